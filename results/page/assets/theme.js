"use strict";
// Dark or light: what the system prefers, until the reader chooses. Charts read their colours from the page's variables.
const theme = (() => {
  const root = document.documentElement;
  const changed = [];
  const set = (dark) => {
    root.classList.toggle("dark", dark);
    changed.forEach((f) => f());
  };
  const system = matchMedia("(prefers-color-scheme: dark)");
  const asked = location.hash.slice(1).split("&").map((word) => ({ dark: true, light: false })[word]).find((dark) => dark !== undefined); // a link may ask for either
  set(asked ?? system.matches);
  system.addEventListener("change", (e) => set(e.matches));
  document.getElementById("theme").addEventListener("click", () => set(!root.classList.contains("dark")));
  return {
    set,
    color: (name) => getComputedStyle(root).getPropertyValue("--" + name).trim(),
    onChange: (f) => changed.push(f),
  };
})();
