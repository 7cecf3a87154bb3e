"use strict";
// The range of time that every chart and lane shows.
const range = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const whole = { from: data.from, to: data.to };
  const shortest = 0.05;
  const now = { ...whole };
  const listeners = [];
  const set = (from, to) => {
    if (!(to - from >= shortest)) return;
    const length = Math.min(to - from, whole.to - whole.from);
    now.from = Math.max(whole.from, Math.min(from, whole.to - length));
    now.to = now.from + length;
    listeners.forEach((f) => f(now.from, now.to));
  };
  const zoom = (factor) => {
    const middle = (now.from + now.to) / 2, half = (now.to - now.from) / 2 * factor;
    set(middle - half, middle + half);
  };
  const move = (part) => {
    const by = (now.to - now.from) * part;
    set(now.from + by, now.to + by);
  };
  const keys = {
    "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), "0": () => set(whole.from, whole.to),
    ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2),
  };
  for (const button of document.querySelectorAll("[data-range]")) button.addEventListener("click", () => keys[button.dataset.range]());
  document.getElementById("timeline").addEventListener("keydown", (e) => {
    if (!keys[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    keys[e.key]();
  });
  return { data, whole, now, set, onChange: (f) => listeners.push(f), reset: () => set(whole.from, whole.to) };
})();
