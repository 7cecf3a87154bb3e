"use strict";
// Markers: one shape for each anomaly. Those that would overlap become one bar with their number, until the reader zooms in.
const markers = (() => {
  const shapes = { duplicate: "M-5,-5H5V5H-5Z", lost: "M0,-6L6,5H-6Z", torn: "M0,-6L6,0L0,6L-6,0Z", other: "M-5,0A5,5 0 1 0 5,0A5,5 0 1 0 -5,0Z" };
  const near = 11; // pixels

  const shape = (make, parent, kind) => {
    const g = make("g", { class: "marker " + kind }, parent);
    make("path", { d: shapes[kind] || shapes.other }, g);
    return g;
  };

  // clusters are the markers in range, as [first, last] of those that touch each other.
  const clusters = (times, scale) => {
    const out = [];
    times.forEach((at, i) => {
      if (at < range.now.from || at > range.now.to) return;
      const before = out[out.length - 1];
      if (before && scale(at) - scale(times[before.last]) < near) before.last = i;
      else out.push({ first: i, last: i });
    });
    return out;
  };

  const draw = (box, make, marked, about, y, scale) => {
    const times = marked.at;
    for (const c of clusters(times, scale)) {
      const count = c.last - c.first + 1, from = scale(times[c.first]), to = scale(times[c.last]), detail = marked.details[c.first];
      const text = count === 1 ? markers.title(marked, c.first) + (detail ? "\n" + detail.text : "")
        : `${count.toLocaleString("en")} × ${marked.kind}, from ${times[c.first].toFixed(2)}s to ${times[c.last].toFixed(2)}s`;
      const g = make("g", { class: "marker " + marked.kind, tabindex: 0, role: "button", "aria-label": text }, box);
      if (count === 1) make("path", { d: shapes[marked.kind] || shapes.other, transform: `translate(${from},${y})` }, g);
      else bar(make, g, count, from, to, y);
      tip.on(g, text);
      const open = () => life.show(marked, about, c.first, c.last);
      g.addEventListener("click", open);
      // On release: a dialog that opens while the key is down would give the rest of the stroke to its close button.
      const presses = (e) => e.key === "Enter" || e.key === " ";
      g.addEventListener("keydown", (e) => { if (presses(e)) { e.preventDefault(); e.stopPropagation(); } });
      g.addEventListener("keyup", (e) => { if (presses(e)) open(); });
    }
  };

  const bar = (make, g, count, from, to, y) => {
    const text = count.toLocaleString("en"), least = text.length * 6.4 + 8;
    const wide = Math.max(to - from, least), x = (from + to) / 2 - wide / 2;
    make("path", { d: `M${x},${y - 7}h${wide}v14h${-wide}z` }, g);
    const label = make("text", { class: "count", x: x + wide / 2, y: y + 4, "text-anchor": "middle" }, g);
    label.textContent = text;
  };
  const title = (marked, i) => `${marked.kind}: ` + (marked.records[i] ? `record ${marked.records[i]}` : "a transaction without a record in the log");
  return { draw, shape, title };
})();
