"use strict";
// Line charts over time, drawn by uPlot: each in a panel of its own, all on the same range.
const charts = (() => {
  const all = [];
  const height = 132;
  const left = () => width() > 700 ? 124 : 64; // what lanes leave free too, so that equal times are below each other
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

  // bandsAt returns the texts of the stalls and faults at a moment.
  const bandsAt = (panel, at) => [...(panel.stalls || []), ...range.data.faults]
    .filter((b) => b.from <= at && at <= (b.to ?? range.whole.to)).map((b) => b.text).join("\n");

  const axis = () => ({ stroke: theme.color("quiet"), font: "11px system-ui, sans-serif", grid: { stroke: theme.color("line"), width: 0.5 }, ticks: { stroke: theme.color("line"), size: 4 } });

  // scales: orders of magnitude, square roots (a burst of hundreds must not flatten what was before it), or linear.
  const scales = {
    log: () => ({ distr: 3 }),
    root: () => ({ distr: 100, fwd: (v) => Math.sqrt(Math.max(0, v)), bwd: (v) => v * v, range: (u, min, max) => [0, max > 0 ? max * 1.1 : 1] }),
    linear: () => ({ range: (u, min, max) => [0, max > 0 ? max * 1.05 : 1] }),
  };
  // rootSplits are round numbers at about equal distances of their square roots.
  const rootSplits = (u, i, min, max) => {
    const out = [0];
    for (let k = 1; k <= 3; k++) {
      const v = max * (k / 3.2) ** 2, step = 10 ** Math.floor(Math.log10(v));
      const round = Math.max(1, Math.round(v / step)) * step;
      if (round > out[out.length - 1] && round < max * 0.93) out.push(round);
    }
    return out;
  };

  // gaps stay open where nothing was observed for a second: a line across would claim what was not seen.
  const gaps = (u, i, from, to, empty) => {
    const second = u.valToPos(u.scales.x.min + 1, "x", true) - u.valToPos(u.scales.x.min, "x", true);
    return empty.filter(([a, b]) => b - a > Math.max(second, 2));
  };

  // shown is a legend's value: nothing while the pointer is elsewhere, and a dash where nothing was observed.
  const shown = (u, v, unit) => u.cursor.idx === null || u.cursor.idx === undefined ? "" : v === null || v === undefined ? "–" : unit(v);

  const line = (s, i) => ({
    label: s.label, stroke: theme.color(s.color || "c" + i % 6), width: s.width || 1.4, points: { show: false }, gaps,
    fill: s.fill ? theme.color(s.fill) : undefined, value: (u, v) => shown(u, v, s.unit),
  });

  const options = (panel, name) => ({
    width: width(), height, padding: [8, 8, 0, 0], cursor: { sync: { key: "chaeos" }, drag: { x: true, y: false, setScale: false }, points: { size: 5 } },
    legend: { mount: (u, legend) => name.append(legend) },
    scales: { x: { time: false, min: range.now.from, max: range.now.to }, y: scales[panel.scale || "linear"]() },
    axes: [{ ...axis(), size: 26, values: (u, v) => v.map((x) => x + "s") },
      { ...axis(), size: left(), ...(panel.scale === "root" ? { splits: rootSplits, filter: (u, splits) => splits } : {}), values: (u, v) => v.map((x) => x === null ? "" : panel.unit(x)) }],
    series: [{ label: " ", value: (u, v) => shown(u, v, (at) => at.toFixed(2) + "s") }, ...panel.series.map((s, i) => line({ unit: panel.unit, ...s }, i))],
    hooks: {
      drawClear: [(u) => { bands(u, range.data.faults, theme.color("fault")); bands(u, panel.stalls || [], theme.color("stall")); }],
      setSelect: [(u) => {
        if (u.select.width < 3) return;
        range.set(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"));
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      }],
      ready: [(u) => {
        u.over.addEventListener("dblclick", range.reset);
        tip.follow(u.over, (e) => bandsAt(panel, u.posToVal(e.clientX - u.over.getBoundingClientRect().left, "x")));
      }],
    },
  });

  const draw = (entry) => {
    if (entry.plot) entry.plot.destroy();
    entry.name.replaceChildren(Object.assign(document.createElement("span"), { textContent: entry.title }));
    entry.plot = new uPlot(options(entry.panel, entry.name), [entry.panel.times, ...entry.panel.series.map((s) => s.values)], entry.box);
  };

  // add puts a chart into a box. A panel has times, series of {label, values}, unit (a value as text), scale, and the stalls to shade.
  const add = (parent, title, panel) => {
    const box = document.createElement("div"), name = document.createElement("div");
    box.className = "panel";
    name.className = "name";
    box.append(name);
    parent.append(box);
    const entry = { box, name, title, panel };
    all.push(entry);
    draw(entry);
  };

  let last = 0;
  const resize = () => {
    if (width() === last) return;
    last = width();
    all.forEach((e) => e.plot.setSize({ width: last, height }));
  };
  range.onChange((from, to) => {
    if (following) return;
    following = true;
    all.forEach((e) => e.plot.setScale("x", { min: from, max: to }));
    following = false;
  });
  theme.onChange(() => all.forEach(draw));
  new ResizeObserver(resize).observe(document.getElementById("timeline"));
  return { add, left, width, resize };
})();
