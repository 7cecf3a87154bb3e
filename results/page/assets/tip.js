"use strict";
// One tooltip for everything but the charts' own legends. It follows the pointer, or is at the element that has the focus.
const tip = (() => {
  const box = document.createElement("div");
  box.className = "tip";
  box.setAttribute("role", "tooltip");
  box.hidden = true;
  document.body.append(box);
  const place = (x, y) => {
    box.hidden = false;
    box.style.left = Math.max(4, Math.min(x + 12, innerWidth - box.offsetWidth - 8)) + "px";
    box.style.top = Math.max(4, Math.min(y + 14, innerHeight - box.offsetHeight - 8)) + "px";
  };
  const hide = () => { box.hidden = true; };
  return {
    on(element, text) {
      element.addEventListener("pointermove", (e) => { box.textContent = text; place(e.clientX, e.clientY); });
      element.addEventListener("pointerleave", hide);
      element.addEventListener("focus", () => {
        const r = element.getBoundingClientRect();
        box.textContent = text;
        place(r.left, r.bottom);
      });
      element.addEventListener("blur", hide);
    },
    // follow shows at the pointer what says returns for it, if anything.
    follow(element, says) {
      element.addEventListener("pointermove", (e) => {
        box.textContent = says(e);
        if (box.textContent) place(e.clientX, e.clientY);
        else hide();
      });
      element.addEventListener("pointerleave", hide);
    },
    hide,
  };
})();
