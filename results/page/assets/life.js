"use strict";
// The life of one record, as chaeos explain tells it.
const life = (() => {
  const dialog = document.getElementById("life");
  dialog.addEventListener("click", (e) => { if (e.target === dialog) dialog.close(); });
  return {
    show(m) {
      tip.hide();
      document.getElementById("life-title").textContent = m.label;
      document.getElementById("life-text").textContent = m.life || "Its life is not in this page; ask for it:\n" + m.command;
      dialog.showModal();
    },
  };
})();
