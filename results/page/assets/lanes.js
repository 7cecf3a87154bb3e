"use strict";
// Lanes, as SVG: each is a line of spans (a fault, a worker's incarnation, a partition's leader) or of markers.
const lanes = (() => {
  const svg = "http://www.w3.org/2000/svg";
  const height = 22, all = [];
  const make = (name, attributes, parent) => {
    const e = document.createElementNS(svg, name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    if (parent) parent.append(e);
    return e;
  };

  // readable colours a label black or white, whatever its bar's colour over the paper leaves easier to read.
  const readable = ([label, bar]) => {
    const numbers = (color) => color.match(/[\d.]+/g).map(Number);
    const looks = getComputedStyle(bar), [r, g, b, alpha = 1] = numbers(looks.fill), paper = numbers(getComputedStyle(document.body).backgroundColor);
    const seen = [r, g, b].map((v, i) => v * alpha * looks.opacity + paper[i] * (1 - alpha * looks.opacity));
    const linear = seen.map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    label.style.fill = (light + 0.05) / 0.05 > 1.05 / (light + 0.05) ? "#000" : "#fff";
  };

  const span = (box, s, y, scale, labels) => {
    const from = Math.max(s.from, range.now.from), to = Math.min(s.to ?? range.whole.to, range.now.to);
    if (to < from) return;
    const width = Math.max(scale(to) - scale(from), 1);
    const rect = make("rect", { x: scale(from), y: y + 3, width, height: height - 6, class: s.class || "", rx: 2 }, box);
    if (s.fill) rect.style.fill = theme.color(s.fill);
    if (s.dim) rect.style.opacity = 0.4;
    const letters = Math.floor((width - 6) / 6.2);
    if (s.text && letters >= Math.min(s.text.length, 4)) {
      const label = make("text", { x: scale(from) + 4, y: y + height - 7 }, box);
      label.textContent = s.text.length > letters ? s.text.slice(0, letters - 1) + "…" : s.text;
      label.style.pointerEvents = "none";
      labels.push([label, rect]);
    }
    tip.on(rect, s.tip || s.text || "");
  };

  const draw = (entry) => {
    const width = charts.width(), room = width - charts.left() - 8;
    const scale = (t) => charts.left() + (t - range.now.from) / (range.now.to - range.now.from) * room;
    entry.svg?.remove();
    const box = make("svg", { class: "lanes", width, height: entry.lanes.length * height, role: "img", "aria-label": entry.name });
    if (entry.lanes.some((l) => l.marked)) box.setAttribute("role", "group");
    const labels = [];
    entry.lanes.forEach((lane, i) => {
      const y = i * height;
      make("line", { class: "axis", x1: charts.left(), x2: width, y1: y + height, y2: y + height }, box);
      const label = make("text", { class: "label", x: 0, y: y + height - 7 }, box);
      const letters = Math.floor((charts.left() - 6) / 5.8);
      label.textContent = lane.label.length > letters ? lane.label.slice(0, letters - 3) + "…" + lane.label.slice(-2) : lane.label; // a partition's number stays
      tip.on(label, lane.tip || lane.label);
      (lane.spans || []).forEach((s) => span(box, s, y, scale, labels));
      if (lane.marked) markers.draw(box, make, lane.marked, lane.about, y + height / 2, scale);
    });
    entry.svg = box;
    entry.box.append(box);
    labels.forEach(readable); // a bar has its colours only where it is shown
  };

  // add puts lanes of {label, spans, marked} into a box, below a key of {text, class, fill, shape}.
  const add = (parent, name, list, key) => {
    if (list.length === 0) return;
    const box = document.createElement("div"), head = document.createElement("div");
    box.className = "panel";
    head.className = "name";
    head.textContent = name;
    for (const k of key || []) {
      const chip = document.createElement("span"), sample = make("svg", { width: 14, height: 12, viewBox: "-7 -6 14 12" });
      chip.className = "chip lanes";
      if (k.shape) markers.shape(make, sample, k.shape);
      const rect = k.shape ? null : make("rect", { x: -6, y: -5, width: 12, height: 10, rx: 2, class: k.class || "" }, sample);
      if (k.fill) rect.style.fill = `var(--${k.fill})`;
      if (k.dim) rect.style.opacity = 0.4;
      chip.append(sample, k.text);
      head.append(chip);
    }
    box.append(head);
    parent.append(box);
    const entry = { box, name, lanes: list };
    all.push(entry);
    draw(entry);
  };
  const redraw = () => all.forEach(draw);
  range.onChange(redraw);
  theme.onChange(redraw);
  let last = 0;
  const resize = () => {
    if (charts.width() === last) return;
    last = charts.width();
    redraw();
  };
  new ResizeObserver(resize).observe(document.getElementById("timeline"));
  return { add, resize };
})();
