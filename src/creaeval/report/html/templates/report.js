"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const summary = byId("summary");
  const page = byId("page");
  const everything = byId("all");
  const list = byId("list");
  const links = list ? all("a", list) : [];
  const byHash = new Map(links.map((link) => [link.hash, link]));
  let open = "";

  // Ids on a page start with a letter and the page's key: p-KEY, m-KEY.STEP.PASSAGE, q-KEY.STEP.PASSAGE.
  function keyOf(id) {
    const match = /^[pmq]-([^.]+)/.exec(id);
    return match && byId("t-" + match[1]) ? match[1] : "";
  }

  // The text of a page is escaped throughout, and the policy lets nothing in it run.
  function parse(block) {
    const template = document.createElement("template");
    template.innerHTML = block.textContent;
    return template.content;
  }

  function show(id) {
    const key = keyOf(id);
    if (key && key !== open) page.replaceChildren(parse(byId("t-" + key)));
    if (!key && id && !id.startsWith("s-")) return;
    open = key;
    summary.hidden = Boolean(key);
    page.hidden = !key;
    if (!key) page.replaceChildren();
    for (const link of links) link.removeAttribute("aria-current");
    const current = byHash.get("#p-" + key);
    if (current) {
      current.setAttribute("aria-current", "page");
      current.scrollIntoView({ block: "nearest" });
    }
    if (list) fold(true);
    const target = id && byId(id);
    if (!target) return;
    if (target.tagName === "DETAILS") target.open = true;
    for (let box = target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
    if (target.tabIndex >= -1 && target.hasAttribute("tabindex")) target.focus({ preventScroll: true });
    if (id.startsWith("p-") || id === "s-top") window.scrollTo(0, 0);
    else target.scrollIntoView({ block: "center" });
    if (/^[mq]-/.test(id)) light(target, id.split(".").pop());
  }

  const route = () => show(decodeURIComponent(location.hash.slice(1)));
  const go = (hash) => { if (location.hash === hash) route(); else location.hash = hash; };
  window.addEventListener("hashchange", route);

  // A link to where we are already changes no hash, but has to lead there all the same.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link && link.hash === location.hash) route();
    const mark = event.target.closest("mark");
    if (mark && String(getSelection()) === "") {
      const numbers = mark.dataset.q.split(" ");
      const cited = all("sup a", mark.closest(".step")).find((a) => numbers.includes(a.dataset.q));
      if (cited) go(cited.hash);
    }
    const turned = event.target.closest("[data-turn]");
    if (turned) turn(Number(turned.dataset.turn));
    const heading = event.target.closest(".grid thead button");
    if (heading) sort(heading.parentElement);
  });

  // A passage in the text and the quotes that are it.
  function light(element, numbers) {
    const step = element.closest(".step");
    for (const one of all(".lit")) one.classList.remove("lit");
    if (!step || !numbers) return;
    const wanted = numbers.split(" ");
    for (const one of all("[data-q]", step)) {
      if (one.dataset.q.split(" ").some((n) => wanted.includes(n))) one.classList.add("lit");
    }
  }
  for (const kind of ["mouseover", "focusin"]) {
    document.addEventListener(kind, (event) => {
      const one = event.target.closest && event.target.closest("[data-q]");
      if (one) light(one, one.dataset.q);
    });
  }

  // Next and previous among those that the search leaves.
  function turn(by) {
    const shown = links.filter((link) => !link.parentElement.hidden);
    if (!shown.length) return;
    const at = shown.findIndex((link) => link.hash === "#p-" + open);
    const next = at < 0 ? (by > 0 ? 0 : shown.length - 1) : Math.min(shown.length - 1, Math.max(0, at + by));
    go(shown[next].hash);
  }

  function sort(th) {
    const table = th.closest("table");
    const place = Array.from(th.parentElement.children).indexOf(th);
    const numeric = th.classList.contains("num");
    const before = th.getAttribute("aria-sort");
    const down = before ? before === "ascending" : numeric;
    for (const other of all("th[aria-sort]", table)) other.removeAttribute("aria-sort");
    th.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = Array.from(body.rows).map((row) => [row.cells[place].dataset.v, row]);
    const compare = numeric ? (a, b) => a - b : new Intl.Collator(undefined, { numeric: true }).compare;
    rows.sort(([a], [b]) => {
      // What is missing stays last either way.
      if (a === "" || b === "") return (a === "") - (b === "");
      return down ? compare(b, a) : compare(a, b);
    });
    body.append(...rows.map(([, row]) => row));
  }

  const search = byId("search");
  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    const items = all("li[data-s]", list).filter((item) => item.dataset.s !== "");
    const hashes = new Set();
    for (const item of items) {
      item.hidden = !words.every((word) => item.dataset.s.includes(word));
      if (!item.hidden) hashes.add(item.firstElementChild.hash);
      left += !item.hidden;
    }
    for (const row of all(".grid tr[data-s]")) {
      row.hidden = !hashes.has(row.querySelector("a").hash);
    }
    byId("search-count").textContent = words.length ? `${left} of ${items.length}` : "";
  }
  if (search) search.addEventListener("input", filter);

  function fold(closed) {
    list.toggleAttribute("data-open", !closed);
    byId("list-button").setAttribute("aria-expanded", String(!closed));
  }
  if (list) {
    byId("list-button").addEventListener("click", () => fold(list.hasAttribute("data-open")));
  }

  const themes = ["auto", "light", "dark"];
  function theme(name) {
    if (name === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    byId("theme-name").textContent = name;
    try { localStorage.setItem("creaeval-theme", name); } catch { /* a file may have no storage */ }
  }
  byId("theme-button").addEventListener("click", () => {
    const now = document.documentElement.dataset.theme || "auto";
    theme(themes[(themes.indexOf(now) + 1) % themes.length]);
  });
  try {
    const kept = localStorage.getItem("creaeval-theme");
    if (themes.includes(kept)) theme(kept);
  } catch { /* as above */ }

  const keys = byId("keys");
  byId("keys-button").addEventListener("click", () => keys.showModal());

  function fill() {
    const pages = all("script[type='text/html']").map(parse);
    page.replaceChildren();
    everything.replaceChildren(...pages);
  }
  const printAll = byId("print-button");
  if (printAll) printAll.addEventListener("click", () => { fill(); window.print(); });
  window.addEventListener("afterprint", () => {
    if (!everything.firstChild) return;
    everything.replaceChildren();
    open = "";
    route();
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || keys.open) return;
    if (event.key === "Escape" && search) { search.value = ""; filter(); search.blur(); return; }
    if (event.target === search && event.key === "Enter") { turn(1); return; }
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    // A wide table is moved with the arrows.
    const arrow = event.target.classList.contains("wide") ? "" : event.key;
    if (event.key === "j" || arrow === "ArrowRight") turn(1);
    else if (event.key === "k" || arrow === "ArrowLeft") turn(-1);
    else if (event.key === "s") go("#s-top");
    else if (event.key === "?") keys.showModal();
    else if (event.key === "/" && search) { fold(false); search.focus(); }
    else return;
    event.preventDefault();
  });

  if (location.hash) route();
})();
