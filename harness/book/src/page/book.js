"use strict";
(() => {
  // A region that scrolls has to be reached with the keyboard. What is folded up is left until it is opened.
  const reachable = () => {
    const seen = [...document.querySelectorAll(".scroll:not([tabindex])")].filter((r) => !r.closest("details:not([open])"));
    for (const region of seen.filter((region) => region.scrollWidth > region.clientWidth)) {
      region.tabIndex = 0;
      region.setAttribute("role", "group");
      region.setAttribute("aria-label", region.querySelector("table") ? "table" : "source");
    }
  };
  let waiting = false;
  const later = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; reachable(); });
  };
  reachable();
  document.addEventListener("toggle", later, true);
  window.addEventListener("resize", later);

  // A link to something that is folded up unfolds it.
  const unfold = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const inside = target?.matches(".variants li") ? target.querySelector("details") : target?.closest("details");
    if (inside) inside.open = true;
  };
  window.addEventListener("hashchange", unfold);
  unfold();

  const input = document.getElementById("filter");
  if (!input) return;
  const items = [...document.querySelectorAll("[data-find]")];
  const sections = [...document.querySelectorAll(".listed-chapter")];
  const found = document.getElementById("found");
  const apply = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const item of items) {
      item.hidden = !words.every((word) => item.dataset.find.includes(word));
      if (!item.hidden) shown += 1;
    }
    for (const section of sections) section.hidden = !section.querySelector("[data-find]:not([hidden])");
    found.textContent = shown + " of " + items.length;
  };
  input.addEventListener("input", apply);
  document.addEventListener("keydown", (event) => {
    const typed = /^(input|textarea|select)$/i.test(event.target.tagName);
    if (event.key !== "/" || typed || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
  input.closest(".filter").hidden = false;
  apply();
})();
