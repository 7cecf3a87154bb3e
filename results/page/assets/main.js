"use strict";
(() => {
  const timeline = document.getElementById("timeline");
  const data = range.data;
  const rate = (v) => v >= 10 || v === 0 ? Math.round(v).toLocaleString("en") + "/s" : v.toFixed(1) + "/s";
  const span = (v) => v >= 1000 ? (v / 1000).toFixed(v >= 10000 ? 0 : 1) + "s" : v >= 10 ? Math.round(v) + "ms" : v.toFixed(1) + "ms";
  const count = (v) => Math.round(v).toLocaleString("en");
  const heading = (text, badge, kind) => {
    const h = document.createElement("h3");
    h.textContent = text;
    if (badge) {
      const b = document.createElement("span");
      b.className = "badge " + kind;
      b.textContent = badge;
      h.append(" ", b);
    }
    timeline.append(h);
  };

  // packed puts spans of the same name into one lane, and those that overlap into further ones.
  const packed = (spans, label) => {
    const rows = [];
    for (const s of spans) {
      const free = rows.find((r) => r.label === label(s) && r.spans.every((o) => (o.to ?? Infinity) <= s.from || (s.to ?? Infinity) <= o.from));
      if (free) free.spans.push(s);
      else rows.push({ label: label(s), spans: [s] });
    }
    return rows;
  };

  lanes.add(timeline, "faults", packed(data.faults.map((f) => ({ ...f, class: "fault", text: f.name, tip: f.text })), (f) => f.name));

  for (const p of data.pipelines) {
    heading(p.name, p.verdict, p.outcome);
    charts.add(timeline, "records a second, on a square-root axis", { times: p.times, unit: rate, scale: "root", stalls: p.stalls,
      series: [{ label: "acked", values: p.acked }, { label: "visible", values: p.visible }] });
    charts.add(timeline, "end-to-end latency of the worst partition", { times: p.times, unit: span, scale: "log", stalls: p.stalls,
      series: [{ label: "max", values: p.max, color: "c5", width: 1 }, { label: "p99", values: p.p99, color: "c1" }, { label: "p50", values: p.p50, color: "c0" }] });
    if (p.lag.some((l) => l.values.some((v) => v > 0))) {
      charts.add(timeline, "offsets from the last stable offset to the high watermark, by partition", { times: p.times, unit: count, stalls: p.stalls,
        series: p.lag.map((l) => ({ label: "p" + l.partition, values: l.values })) });
    }
    const rows = packed(p.stalls.map((s) => ({ ...s, class: "stall", text: s.name, tip: s.text })), () => "LSO stalls").map((r, i) => i ? { ...r, label: "" } : r);
    for (const m of p.markers) {
      rows.push({ label: `${m.kind} ${count(m.total)}`, marked: m, about: p.name });
    }
    lanes.add(timeline, p.markers.length ? "stalls and anomalies; open a marker for its record's life" : "stalls", rows, [
      ...(p.stalls.length ? [{ text: "stall", class: "stall" }] : []),
      ...p.markers.map((m) => ({ shape: m.kind,
        text: m.at.length < m.total ? `${m.kind}: ${count(m.at.length)} of ${count(m.total)} are marked, the first by place in the log` : m.kind }))]);
  }

  // A partition that kept its leader and all replicas gets no lane.
  const moved = data.leaders.filter((l) => l.spans.length > 1 || l.spans.some((s) => s.dim || s.leader < 0));
  const still = data.leaders.filter((l) => !moved.includes(l));
  if (data.leaders.length) heading("Leaders and in-sync replicas");
  const brokers = [...new Set(moved.flatMap((l) => l.spans.map((s) => s.leader)))].sort((a, b) => a - b);
  lanes.add(timeline, "leader", moved.map((l) => ({
    label: l.partition, spans: l.spans.map((s) => ({ ...s, fill: s.leader < 0 ? "bad" : "c" + s.leader % 6 })),
  })), [...brokers.map((b) => b < 0 ? { text: "no leader", fill: "bad" } : { text: "broker " + b, fill: "c" + b % 6 }), { text: "pale: a replica is out of sync", fill: "c5", dim: true }]);
  if (still.length) {
    const p = document.createElement("p");
    p.className = "hint";
    p.textContent = `No change in ${still.length} partitions: ` + still.map((l) => `${l.partition} (${l.spans.map((s) => s.text)})`).join(", ");
    timeline.append(p);
  }
  if (data.members.length) heading("Workers and sources");
  lanes.add(timeline, "incarnations, numbered", data.members.map((l) => ({ label: l.member, spans: l.spans })),
    ["up", "killed", "paused"].map((state) => ({ text: state, class: state })));
  // A link may open a kind of anomalies: #open=PIPELINE/KIND.
  const wanted = decodeURIComponent(location.hash.slice(1)).split("&").find((word) => word.startsWith("open="))?.slice(5);
  for (const p of data.pipelines) for (const m of p.markers) if (p.name + "/" + m.kind === wanted) life.show(m, p.name, 0, m.at.length - 1);
  document.body.dataset.ready = "true";
})();
