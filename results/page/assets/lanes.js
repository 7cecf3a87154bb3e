"use strict";
// Lanes: one line each of spans (a fault, a worker's life, a partition's leader) or of markers, as SVG.
const lanes = (() => {
  const svg = "http://www.w3.org/2000/svg";
  const height = 22, all = [];
  const make = (name, attributes, parent) => {
    const e = document.createElementNS(svg, name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    if (parent) parent.append(e);
    return e;
  };
  const shape = { duplicate: "M-5,-5H5V5H-5Z", lost: "M0,-6L6,5H-6Z", torn: "M0,-6L6,0L0,6L-6,0Z", other: "M-5,0A5,5 0 1 0 5,0A5,5 0 1 0 -5,0Z" };

  const span = (box, s, y, scale) => {
    const from = Math.max(s.from, range.now.from), to = Math.min(s.to ?? range.whole.to, range.now.to);
    if (to < from) return;
    const width = Math.max(scale(to) - scale(from), 1);
    const rect = make("rect", { x: scale(from), y: y + 3, width, height: height - 6, class: s.class || "", rx: 2 }, box);
    if (s.fill) rect.style.fill = theme.color(s.fill);
    if (s.dim) rect.style.opacity = 0.45;
    if (s.text && width > 14) {
      const label = make("text", { x: scale(from) + 4, y: y + height - 7 }, box);
      label.textContent = s.text.slice(0, Math.max(0, Math.floor(width / 6.2) - 1));
      label.style.pointerEvents = "none";
    }
    tip.on(rect, s.tip || s.text || "");
  };

  const marker = (box, m, y, scale) => {
    if (m.at < range.now.from || m.at > range.now.to) return;
    const g = make("g", { class: "marker " + m.kind, transform: `translate(${scale(m.at)},${y + height / 2})`, tabindex: 0, role: "button", "aria-label": m.label }, box);
    make("path", { d: shape[m.kind] || shape.other }, g);
    tip.on(g, m.label);
    const open = () => life.show(m);
    g.addEventListener("click", open);
    // On release: a dialog that opens while the key is down would give the rest of the stroke to its close button.
    const presses = (e) => e.key === "Enter" || e.key === " ";
    g.addEventListener("keydown", (e) => { if (presses(e)) { e.preventDefault(); e.stopPropagation(); } });
    g.addEventListener("keyup", (e) => { if (presses(e)) open(); });
  };

  const draw = (entry) => {
    const width = charts.width(), room = width - charts.left() - 8;
    const scale = (t) => charts.left() + (t - range.now.from) / (range.now.to - range.now.from) * room;
    entry.box.querySelector("svg")?.remove();
    const box = make("svg", { class: "lanes", width, height: entry.lanes.length * height, role: "img", "aria-label": entry.name });
    if (entry.lanes.some((l) => l.markers)) box.setAttribute("role", "group");
    entry.lanes.forEach((lane, i) => {
      const y = i * height;
      make("line", { class: "axis", x1: charts.left(), x2: width, y1: y + height, y2: y + height }, box);
      const label = make("text", { class: "label", x: 0, y: y + height - 7 }, box);
      const letters = Math.floor(charts.left() / 6);
      label.textContent = lane.label.length > letters ? lane.label.slice(0, letters - 1) + "…" : lane.label;
      tip.on(label, lane.label);
      (lane.spans || []).forEach((s) => span(box, s, y, scale));
      (lane.markers || []).forEach((m) => marker(box, m, y, scale));
    });
    entry.box.append(box);
  };

  // add puts lanes of {label, spans, markers} into a box.
  const add = (parent, name, list) => {
    if (list.length === 0) return;
    const box = document.createElement("div");
    box.className = "panel";
    box.innerHTML = "<div class=name></div>";
    box.firstChild.textContent = name;
    parent.append(box);
    const entry = { box, name, lanes: list };
    all.push(entry);
    draw(entry);
  };
  const redraw = () => all.forEach(draw);
  range.onChange(redraw);
  theme.onChange(redraw);
  let last = 0;
  new ResizeObserver(() => {
    if (charts.width() === last) return;
    last = charts.width();
    redraw();
  }).observe(document.getElementById("timeline"));
  return { add };
})();
