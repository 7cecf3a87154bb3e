"use strict";
// On paper: light colours, everything unfolded, charts as wide as a sheet. Afterwards what the reader chose comes back.
(() => {
  const root = document.documentElement;
  let before = null;
  addEventListener("beforeprint", () => {
    const closed = [...document.querySelectorAll("details:not([open])")];
    before = { dark: root.classList.contains("dark"), closed };
    closed.forEach((d) => { d.open = true; });
    root.classList.add("printing");
    theme.set(false);
    charts.resize();
    lanes.resize();
  });
  addEventListener("afterprint", () => {
    if (!before) return;
    before.closed.forEach((d) => { d.open = false; });
    root.classList.remove("printing");
    theme.set(before.dark);
    charts.resize();
    lanes.resize();
    before = null;
  });
})();
