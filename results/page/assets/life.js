"use strict";
// The life of one record, as chaeos explain prints it. A bar of markers shows one after the other.
const life = (() => {
  const dialog = document.getElementById("life"), get = (part) => document.getElementById("life-" + part);
  let marked = null, about = "", at = 0, first = 0, last = 0;

  // lines are a text's, each wrapped below the beginning of its last column.
  const lines = (text) => text.split(/(?<=\n)/).map((line) => {
    const block = document.createElement("span"), column = Math.max(0, ...[...line.matchAll(/ {2,}(?=\S)/g)].map((gap) => gap.index + gap[0].length));
    block.textContent = line;
    block.style.setProperty("--column", column + "ch");
    return block;
  });

  const fill = () => {
    const detail = marked.details[at] || {}, record = marked.records[at];
    get("title").textContent = markers.title(marked, at);
    get("place").textContent = `${about} · ${marked.at[at].toFixed(3)}s` + (last > first ? ` · ${(at - first + 1).toLocaleString("en")} of ${(last - first + 1).toLocaleString("en")}` : "");
    get("about").textContent = detail.text || "";
    get("text").hidden = !record;
    get("text").replaceChildren(...lines(detail.life || `This page does not carry its life. To see it:\n${range.data.explain} ${record} --pipeline ${about}`));
    get("back").disabled = at === first;
    get("on").disabled = at === last;
  };
  const step = (by) => {
    at = Math.max(first, Math.min(last, at + by));
    fill();
  };
  get("back").addEventListener("click", () => step(-1));
  get("on").addEventListener("click", () => step(1));
  dialog.addEventListener("keydown", (e) => {
    if (e.key === "ArrowLeft") step(-1);
    if (e.key === "ArrowRight") step(1);
  });
  dialog.addEventListener("click", (e) => { if (e.target === dialog) dialog.close(); });
  return {
    // show opens the markers from one to another of a kind, at the first whose life the page carries.
    show(kind, pipeline, from, to) {
      tip.hide();
      [marked, about, first, last, at] = [kind, pipeline, from, to, from];
      for (let i = to; i >= from; i--) if (marked.details[i]?.life) at = i;
      get("nav").hidden = from === to;
      fill();
      dialog.showModal();
    },
  };
})();
