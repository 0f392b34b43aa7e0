"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const input = byId("filter");
  const all = [...document.querySelectorAll(".mismatch")];
  const causes = [...document.querySelectorAll("button.cause")];
  let cause = null;

  // What a mismatch is searched by: its headline and its instructions.
  const texts = all.map((item) => {
    const parts = item.matches("details") ? item.querySelectorAll(":scope > summary, .instruction") : [item];
    return [...parts].map((part) => part.textContent).join(" ").toLowerCase();
  });

  const apply = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    all.forEach((item, index) => {
      const of = !cause || (item.dataset.cause === cause.dataset.cause && item.dataset.target === cause.dataset.target);
      const shown = of && words.every((word) => texts[index].includes(word));
      item.hidden = !shown;
      count += shown ? 1 : 0;
    });
    byId("shown").textContent = count + " of " + all.length;
    causes.forEach((button) => button.setAttribute("aria-pressed", String(button === cause)));
  };

  // A region that scrolls has to be reached with the keyboard, and say what it is. What is folded up is left until it is opened:
  // asking for its size would lay out the whole page. All sizes are read before anything is written, for the same reason.
  const reachable = (root) => {
    const seen = [...root.querySelectorAll(".scroll:not([tabindex])")].filter((r) => !r.closest("details:not([open])"));
    for (const region of seen.filter((region) => region.scrollWidth > region.clientWidth)) {
      region.tabIndex = 0;
      region.setAttribute("role", "group");
      const table = region.querySelector("table");
      const name = table?.getAttribute("aria-label") || table?.caption?.textContent;
      if (name) region.setAttribute("aria-label", name);
    }
  };

  const show = () => {
    const target = /^#m\d+$/.test(location.hash) && byId(location.hash.slice(1));
    if (target && target.matches("details")) target.open = true;
  };

  // Opening all of them at once is one change, not hundreds.
  let waiting = false;
  const later = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; reachable(document); });
  };
  reachable(document);
  document.addEventListener("toggle", later, true);
  window.addEventListener("resize", later);
  window.addEventListener("hashchange", show);
  show();
  if (!input) return;

  const open = (wanted) => all.forEach((item) => { if (!item.hidden && item.matches("details")) item.open = wanted; });
  document.querySelector(".filter").hidden = false;
  input.addEventListener("input", apply);
  causes.forEach((button) => button.addEventListener("click", () => {
    cause = cause === button ? null : button;
    apply();
    if (cause) byId("mismatches").scrollIntoView();
  }));
  byId("clear").addEventListener("click", () => { input.value = ""; cause = null; apply(); input.focus(); });
  byId("expand").addEventListener("click", () => open(true));
  byId("collapse").addEventListener("click", () => open(false));
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(input|textarea|select)$/i.test(event.target.tagName) && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      input.focus();
    }
  });
  apply();
})();
