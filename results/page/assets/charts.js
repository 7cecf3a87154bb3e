"use strict";
// Line charts over time, drawn by uPlot: one panel each, all on the same range.
const charts = (() => {
  const all = [];
  const left = () => width() > 700 ? 110 : 64; // what lanes leave free too, so that times stand below each other
  const width = () => Math.max(240, document.getElementById("timeline").clientWidth);
  let following = false;

  // bands shades the faults and, over them, the stalls of the chart's own pipeline.
  const bands = (u, list, color) => {
    u.ctx.save();
    u.ctx.fillStyle = color;
    for (const b of list) {
      const from = Math.max(u.valToPos(b.from, "x", true), u.bbox.left);
      const to = Math.min(u.valToPos(b.to ?? range.whole.to, "x", true), u.bbox.left + u.bbox.width);
      if (to > from) u.ctx.fillRect(from, u.bbox.top, to - from, u.bbox.height);
    }
    u.ctx.restore();
  };

  const axis = () => ({ stroke: theme.color("quiet"), grid: { stroke: theme.color("line"), width: 0.5 }, ticks: { stroke: theme.color("line") } });

  const options = (panel) => ({
    width: width(), height: 150, padding: [8, 8, 0, 0], cursor: { sync: { key: "chaeos" }, drag: { x: true, y: false, setScale: false } },
    scales: { x: { time: false, min: range.now.from, max: range.now.to }, y: { distr: panel.log ? 3 : 1, range: panel.log ? undefined : (u, min, max) => [0, max > 0 ? max * 1.05 : 1] } },
    axes: [{ ...axis(), values: (u, v) => v.map((x) => x + "s") }, { ...axis(), size: left(), values: (u, v) => v.map((x) => x === null ? "" : panel.unit(x)) }],
    series: [{ label: "time", value: (u, v) => v === null ? "–" : v.toFixed(2) + "s" },
      ...panel.series.map((s, i) => ({ label: s.label, stroke: theme.color("c" + i % 6), width: 1.4, spanGaps: !!panel.gaps, points: { show: false },
        value: (u, v) => v === null || v === undefined ? "–" : panel.unit(v) }))],
    hooks: {
      drawClear: [(u) => { bands(u, range.data.faults, theme.color("fault")); bands(u, panel.stalls || [], theme.color("stall")); }],
      setSelect: [(u) => {
        if (u.select.width < 3) return;
        range.set(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"));
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      }],
      ready: [(u) => u.over.addEventListener("dblclick", range.reset)],
    },
  });

  const draw = (entry) => {
    if (entry.plot) entry.plot.destroy();
    entry.plot = new uPlot(options(entry.panel), [entry.panel.times, ...entry.panel.series.map((s) => s.values)], entry.box);
  };

  // add puts a chart into a box. A panel has times, series of {label, values}, unit (a value as text), and the stalls to shade.
  const add = (parent, name, panel) => {
    const box = document.createElement("div");
    box.className = "panel";
    box.innerHTML = "<div class=name></div>";
    box.firstChild.textContent = name;
    parent.append(box);
    const entry = { box, panel };
    all.push(entry);
    draw(entry);
  };

  range.onChange((from, to) => {
    if (following) return;
    following = true;
    all.forEach((e) => e.plot.setScale("x", { min: from, max: to }));
    following = false;
  });
  theme.onChange(() => all.forEach(draw));
  let last = 0;
  new ResizeObserver(() => {
    if (width() === last) return;
    last = width();
    all.forEach((e) => e.plot.setSize({ width: last, height: 150 }));
  }).observe(document.getElementById("timeline"));
  return { add, left, width };
})();
