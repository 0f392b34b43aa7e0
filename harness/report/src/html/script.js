"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const STEP = 100;

  // A region that scrolls has to be reached with the keyboard, and say what it is. What is folded up is left until it is opened:
  // asking for its size would lay out the whole page. All sizes are read before anything is written, for the same reason.
  const reachable = () => {
    const seen = [...document.querySelectorAll(".scroll:not([tabindex])")].filter((r) => !r.closest("details:not([open])"));
    for (const region of seen.filter((region) => region.scrollWidth > region.clientWidth)) {
      region.tabIndex = 0;
      region.setAttribute("role", "group");
      const table = region.querySelector("table, svg");
      const name = table?.getAttribute("aria-label") || table?.caption?.textContent;
      if (name) region.setAttribute("aria-label", name);
    }
  };
  // Opening many at once is one change, not hundreds.
  let waiting = false;
  const later = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; reachable(); });
  };
  reachable();
  // Of many nights the last ones are seen first.
  document.querySelectorAll(".latest").forEach((region) => { region.scrollLeft = region.scrollWidth; });
  document.addEventListener("toggle", later, true);
  window.addEventListener("resize", later);

  const list = byId("list");
  if (!list) return;

  // Packed data: base64 of raw DEFLATE of JSON.
  const unpack = async (id) => {
    const bytes = Uint8Array.from(atob(byId(id).content.textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await new Response(stream).text());
  };
  // The chunks that were unpacked last: a mismatch and its neighbours are in the same one.
  const chunks = new Map();
  const chunk = (number) => {
    const known = chunks.get(number) || unpack("chunk-" + number);
    chunks.delete(number);
    chunks.set(number, known);
    if (chunks.size > 8) chunks.delete(chunks.keys().next().value);
    return known;
  };

  const element = (name, properties, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };
  const failed = (why) => {
    byId("unlisted").textContent = "The list of variants cannot be shown: " + why + " It needs a browser of 2023 or later.";
  };

  const start = (index) => {
    const { judged, statuses, causes, cells, requirements, instructions, variants, mismatches } = index;
    const ids = variants.map((variant) => variant[0].toLowerCase());
    const causeWords = causes.map((cause) => cause[1].toLowerCase());
    const instructionWords = instructions.map((text) => text.toLowerCase());
    // A line of the list is a variant on a target. Its number is counted through all targets of a variant.
    const found = new Map();
    mismatches.forEach((mismatch, number) => found.set(mismatch[0] * judged.length + mismatch[1], number));
    const all = variants.length * judged.length;
    const of = (line) => [Math.floor(line / judged.length), line % judged.length];
    const mismatchOf = (line) => mismatches[found.get(line)];

    const input = byId("filter"), status = byId("status"), target = byId("judged"), narrowed = byId("narrowed"), more = byId("more");
    // What the list is narrowed to: {name, has}, by a link in the page.
    let narrow = null;
    let lines = [];
    let shown = 0;

    const count = new Array(statuses.length).fill(0);
    variants.forEach((variant) => variant[1].forEach((number) => { count[number] += 1; }));
    if (mismatches.length) status.append(element("option", { value: "mismatches" }, "mismatches (" + mismatches.length + ")"));
    status.append(element("option", { value: "all" }, "all (" + all + ")"));
    statuses.forEach(([mark, word], number) => {
      if (count[number]) status.append(element("option", { value: String(number) }, mark + " " + word + " (" + count[number] + ")"));
    });
    if (target) {
      target.append(element("option", { value: "" }, "all"));
      judged.forEach((name, place) => target.append(element("option", { value: String(place) }, name)));
    }

    const item = (line) => {
      const [v, j] = of(line);
      const [mark, word, standing] = statuses[variants[v][1][j]];
      const headline = [
        element("span", { className: "badge " + standing }, mark + " " + word), " ",
        element("bdi", { className: "id" }, variants[v][0]),
      ];
      const mismatch = mismatchOf(line);
      if (mismatch) headline.push(" ", element("span", { className: "by" }, causes[mismatch[2]][1]));
      if (judged.length > 1) headline.push(" ", element("span", { className: "target" }, "against ", element("bdi", {}, judged[j])));
      if (!mismatch || !mismatch[5]) return element("li", { className: "plain" }, ...headline);
      const id = "m" + (found.get(line) + 1);
      const body = element("div", { className: "body" });
      const details = element("details", { className: "mismatch", id }, element("summary", {}, ...headline), body);
      // Loaded when it is opened for the first time.
      details.addEventListener("toggle", () => {
        if (!details.open || body.dataset.asked) return;
        body.dataset.asked = "yes";
        body.setAttribute("aria-busy", "true");
        chunk(mismatch[5][0]).then((contents) => {
          // Escaped when the page was written.
          body.innerHTML = contents[mismatch[5][1]];
          body.prepend(element("p", { className: "where" }, element("a", { href: "#" + id }, "Link to this mismatch")));
          body.removeAttribute("aria-busy");
          later();
        }, (why) => { body.textContent = "It cannot be shown: " + why; });
      });
      return element("li", {}, details);
    };

    const extend = () => {
      const next = lines.slice(shown, shown + STEP);
      const first = list.children.length;
      list.append(...next.map(item));
      shown += next.length;
      const left = lines.length - shown;
      more.hidden = left === 0;
      more.textContent = "Show " + Math.min(STEP, left) + " more of " + left;
      return list.children[first];
    };

    const apply = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const wanted = status.value, place = target ? target.value : "";
      lines = [];
      for (let line = 0; line < all; line += 1) {
        const [v, j] = of(line);
        if (place !== "" && String(j) !== place) continue;
        if (wanted === "mismatches" ? !found.has(line) : wanted !== "all" && String(variants[v][1][j]) !== wanted) continue;
        if (narrow && !narrow.has(v, j, line)) continue;
        const mismatch = mismatchOf(line);
        const has = (word) => ids[v].includes(word) || Boolean(mismatch) &&
          (causeWords[mismatch[2]].includes(word) || mismatch[4] !== null && instructionWords[mismatch[4]].includes(word));
        if (words.every(has)) lines.push(line);
      }
      list.replaceChildren();
      shown = 0;
      extend();
      narrowed.hidden = !narrow;
      if (narrow) narrowed.textContent = narrow.name + " ✕";
      narrowed.setAttribute("aria-label", narrow ? "Show more than " + narrow.name : "");
      byId("shown").textContent = lines.length + " of " + all;
    };

    // What a link in the page narrows the list to: a cell of the matrix, a requirement, a cause, one mismatch.
    const narrowing = (hash) => {
      const [, cell, cellPlace, cellNumber] = /^#(cell)-(\d+)-(\d+)$/.exec(hash) || [];
      if (cell) {
        const [place, number] = [Number(cellPlace), Number(cellNumber)];
        return {
          name: cells[number], place,
          has: (v, j, line) => (mismatchOf(line)?.[3] || variants[v][2]).includes(number),
        };
      }
      const [, kind, text] = /^#(list-cause-|requirement-|m)(\d+)$/.exec(hash) || [];
      const number = Number(text);
      if (kind === "requirement-" && requirements[number]) return { name: requirements[number], has: (v) => variants[v][3].includes(number) };
      if (kind === "list-cause-" && causes[number]) return { name: causes[number][1], mismatches: true, has: (v, j, line) => mismatchOf(line)?.[2] === number };
      if (kind === "m" && mismatches[number - 1]) return { name: "mismatch " + number, mismatches: true, open: true, has: (v, j, line) => found.get(line) === number - 1 };
      return null;
    };
    const follow = () => {
      const to = narrowing(location.hash);
      if (!to) return;
      narrow = to;
      input.value = "";
      status.value = to.mismatches ? "mismatches" : "all";
      if (target) target.value = to.place === undefined ? "" : String(to.place);
      apply();
      if (to.open) list.querySelectorAll("details").forEach((details) => { details.open = true; });
      byId("variants").scrollIntoView();
      byId("variants").focus({ preventScroll: true });
    };

    input.addEventListener("input", apply);
    status.addEventListener("change", apply);
    if (target) target.addEventListener("change", apply);
    narrowed.addEventListener("click", () => { narrow = null; history.replaceState(null, "", "#variants"); apply(); input.focus(); });
    more.addEventListener("click", () => { const first = extend(); (first?.querySelector("summary") || more).focus(); });
    const open = (wanted) => list.querySelectorAll("details.mismatch").forEach((details) => { details.open = wanted; });
    byId("expand").addEventListener("click", () => open(true));
    byId("collapse").addEventListener("click", () => open(false));
    document.addEventListener("keydown", (event) => {
      const typed = /^(input|textarea|select)$/i.test(event.target.tagName);
      if (event.key !== "/" || typed || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.focus();
    });
    // A link that is followed again changes no fragment.
    document.addEventListener("click", (event) => {
      const link = event.target.closest?.("a[href^='#']");
      if (link && link.getAttribute("href") === location.hash && narrowing(location.hash)) {
        event.preventDefault();
        follow();
      }
    });
    window.addEventListener("hashchange", follow);
    byId("unlisted").hidden = true;
    document.querySelector(".filter").hidden = false;
    apply();
    follow();
    document.documentElement.dataset.listed = "yes";
  };

  if (typeof DecompressionStream === "undefined") failed("this browser does not unpack data.");
  else unpack("index").then(start).catch((why) => failed(why + "."));
})();
