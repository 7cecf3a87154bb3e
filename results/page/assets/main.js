"use strict";
(() => {
  const timeline = document.getElementById("timeline");
  const data = range.data;
  const rate = (v) => v >= 10 || v === 0 ? Math.round(v).toLocaleString("en") + "/s" : v.toFixed(1) + "/s";
  const span = (v) => v >= 1000 ? (v / 1000).toFixed(v >= 10000 ? 0 : 1) + "s" : v >= 10 ? Math.round(v) + "ms" : v.toFixed(1) + "ms";
  const count = (v) => Math.round(v).toLocaleString("en");
  const heading = (text) => {
    const h = document.createElement("h3");
    h.textContent = text;
    timeline.append(h);
  };

  lanes.add(timeline, "faults", data.faults.map((f) => ({ label: f.name, spans: [{ ...f, class: "fault", text: f.name, tip: f.text }] })));

  for (const p of data.pipelines) {
    heading(p.name + ": " + p.verdict);
    charts.add(timeline, "throughput", { times: p.times, unit: rate, stalls: p.stalls,
      series: [{ label: "acked", values: p.acked }, { label: "visible", values: p.visible }] });
    charts.add(timeline, "end-to-end latency of the worst partition", { times: p.times, unit: span, log: true, gaps: true, stalls: p.stalls,
      series: [{ label: "p50", values: p.p50 }, { label: "p99", values: p.p99 }, { label: "max", values: p.max }] });
    if (p.lag.some((l) => l.values.some((v) => v > 0))) {
      charts.add(timeline, "high watermark minus LSO, by partition", { times: p.times, unit: count, stalls: p.stalls,
        series: p.lag.map((l) => ({ label: "partition " + l.partition, values: l.values })) });
    }
    const stalls = p.stalls.map((s) => ({ ...s, class: "stall", text: s.name, tip: s.text }));
    const rows = [];
    if (stalls.length) rows.push({ label: "LSO stalls", spans: stalls });
    if (p.markers.length) rows.push({ label: "anomalies", markers: p.markers });
    lanes.add(timeline, "stalls and anomalies", rows);
  }

  if (data.leaders.length) heading("Leaders and in-sync replicas");
  lanes.add(timeline, "one colour a leader; pale while a replica is out of sync", data.leaders.map((l) => ({
    label: l.partition, spans: l.spans.map((s) => ({ ...s, fill: s.leader < 0 ? "bad" : "c" + s.leader % 6 })),
  })));
  if (data.lives.length) heading("Workers and sources");
  lanes.add(timeline, "green: up, red: killed, yellow: paused", data.lives.map((l) => ({ label: l.member, spans: l.spans })));
  document.body.dataset.ready = "true";
})();
