"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const night = matchMedia("(prefers-color-scheme: dark)");
  const paint = () => root.classList.toggle("dark", night.matches); // DataTables takes its colours from this
  night.addEventListener("change", paint);
  paint();

  /** A sortable table without pages; the form beside it narrows its rows by their data attributes. */
  function sortable(element) {
    for (const row of element.querySelectorAll("tbody > tr[hidden]")) row.hidden = false;
    const fixed = [...element.querySelectorAll("thead th")].flatMap((head, place) =>
      head.dataset.orderable === "false" ? [place] : []);
    const table = new DataTable(element, {
      paging: false, autoWidth: false, order: [[0, "asc"]],
      columnDefs: [{ targets: fixed, orderable: false }],
      language: { zeroRecords: element.dataset.empty, emptyTable: element.dataset.empty },
      layout: { topStart: null, topEnd: null, bottomStart: null, bottomEnd: null },
    });
    const form = document.querySelector(`form[data-table="${element.id}"]`);
    const filters = [...form.querySelectorAll("select[data-filter]")];
    const words = form.querySelector("[data-search]");
    const count = form.querySelector("[data-count]");
    table.search.fixed("form", (text, data, index) => {
      const row = table.row(index).node();
      return filters.every((one) => !one.value || row.dataset[one.dataset.filter] === one.value);
    });
    table.on("draw", () => {
      const shown = table.rows({ search: "applied" }).count();
      count.textContent = `${shown} ${count.dataset.noun}${shown === 1 ? "" : "s"} shown`;
    });
    const update = () => {
      describe(filters);
      table.search(words ? words.value : "").draw();
    };
    for (const kind of ["input", "change"]) form.addEventListener(kind, update);
    element.tHead.addEventListener("keydown", (event) => { // DataTables hears Enter; a button hears Space too
      if (event.key !== " " || !event.target.matches("[role=button]")) return;
      event.preventDefault();
      event.target.click();
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    addEventListener("hashchange", () => reveal(form, update));
    update();
    reveal(form, update);
  }

  /** Show the sentence that says what the averages of the chosen scope are over. */
  function describe(filters) {
    const chosen = filters.filter((one) => "scope" in one.dataset).map((one) => one.value).join("/");
    const texts = [...document.querySelectorAll("[data-scope-text]")];
    if (!texts.length) return;
    const found = texts.find((one) => one.dataset.scopeText === chosen)
      || texts.find((one) => one.dataset.scopeText === "");
    for (const one of texts) one.hidden = one !== found;
  }

  /** Bring the row that the address names into view, even where a filter hides it, and open its numbers. */
  function reveal(form, update) {
    const id = decodeURIComponent(location.hash.slice(1));
    if (!id) return;
    if (!document.getElementById(id)) {
      form.reset();
      update();
    }
    const target = document.getElementById(id);
    if (!target || !target.matches("tr")) return;
    target.querySelector("details")?.setAttribute("open", "");
    target.scrollIntoView({ block: "start" });
  }

  /** One tab stop for a matrix of links; the arrow keys, Home and End move inside it. */
  function grid(table) {
    const rows = [...table.tBodies[0].rows].map((row) =>
      [...row.cells].map((cell) => cell.querySelector("a")));
    const links = rows.flat().filter(Boolean);
    for (const link of links) link.tabIndex = -1;
    links[0].tabIndex = 0;
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const enter = (link) => {
      for (const one of links) if (one.tabIndex === 0) one.tabIndex = -1;
      link.tabIndex = 0;
    };
    table.addEventListener("focusin", (event) => enter(event.target));
    table.addEventListener("keydown", (event) => {
      let down = rows.findIndex((row) => row.includes(event.target));
      let across = down < 0 ? -1 : rows[down].indexOf(event.target);
      if (down < 0) return;
      let next = null;
      if (event.key === "Home") next = rows[down].find(Boolean);
      if (event.key === "End") next = rows[down].findLast(Boolean);
      const [dy, dx] = moves[event.key] || [0, 0];
      while (!next && (dy || dx)) {
        [down, across] = [down + dy, across + dx];
        if (!rows[down] || across < 0 || across >= rows[down].length) break;
        next = rows[down][across];
      }
      if (dy || dx || next) event.preventDefault();
      next?.focus();
    });
  }

  document.querySelectorAll("table[data-sortable]").forEach(sortable);
  document.querySelectorAll("table.matrix").forEach(grid);
})();
