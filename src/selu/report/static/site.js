"use strict";
(() => {
  const all = (selector, of = document) => [...of.querySelectorAll(selector)];
  const make = (name, fields) => Object.assign(document.createElement(name), fields);
  document.documentElement.classList.add("js");
  if (document.querySelector(".bench")) return; // a page that draws its own tables, and keeps its own address

  // What is chosen stands behind the address's "#", which works from disk, too: filters, and "sort".
  const controls = all("[data-filter]");
  const anchor = () => {
    try { return decodeURIComponent(location.hash.slice(1)); } catch { return ""; }
  };
  const chosen = () => new URLSearchParams(anchor().includes("=") ? location.hash.slice(1) : "");
  function keep(params) {
    history.replaceState(history.state, "", params.size ? `#${params}` : location.pathname + location.search);
  }

  /* Sorting: a button in each head; numbers begin with the highest, and what is missing comes last. */
  const number = (text) => {
    const found = /^[−-]?[\d,]*\.?\d+(e[−-]?\d+)?/i.exec(text.trim());
    return found ? Number(found[0].replaceAll(",", "").replaceAll("−", "-")) : NaN;
  };
  const told = (cell) => cell.dataset.order ?? cell.textContent.trim();
  const heads = (table) => all("thead tr:last-child > *", table);
  function sort(table, key, up) {
    const place = heads(table).findIndex((head, index) => (head.dataset.key ?? String(index)) === key);
    if (place < 0) return;
    heads(table).forEach((head, index) => {
      if (index === place) head.setAttribute("aria-sort", up ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
    const rows = [...table.tBodies[0].rows].map((row) => [told(row.cells[place]), row]);
    const numeric = rows.filter(([text]) => !Number.isNaN(number(text))).length * 2 > rows.length;
    const absent = ([text]) => (numeric ? Number.isNaN(number(text)) : !text || text === "–");
    rows.sort((a, b) => absent(a) - absent(b) || (up ? 1 : -1)
      * (numeric ? number(a[0]) - number(b[0]) || 0 : a[0].localeCompare(b[0], "en", { numeric: true })));
    table.tBodies[0].append(...rows.map(([, row]) => row));
  }
  for (const table of all("table[data-sort]")) {
    heads(table).forEach((head, index) => {
      if (head.tagName !== "TH") return;
      const button = make("button", { type: "button", className: "sort" });
      if (head.querySelector("a")) button.ariaLabel = `Sort by ${head.textContent.trim()}`; // no link in a button
      else button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const values = [...table.tBodies[0].rows].map((row) => number(told(row.cells[index])));
        const text = values.filter(Number.isNaN).length * 2 >= values.length;
        const now = head.getAttribute("aria-sort");
        const up = now ? now === "descending" : text || /^rank$/i.test(head.textContent.trim());
        const key = head.dataset.key ?? String(index);
        sort(table, key, up);
        const params = chosen();
        params.set("sort", `${table.dataset.sort}.${key}.${up ? "up" : "down"}`);
        keep(params);
      });
    });
  }

  /* Filters of rows and claims. */
  const texts = new WeakMap();
  const text = (item) => texts.get(item) ?? (texts.set(item, item.textContent.toLowerCase()), texts.get(item));
  function matches(item, { name, value }) {
    if (name === "q") return value.toLowerCase().split(/\s+/).every((word) => text(item).includes(word));
    const own = item.dataset[name];
    return value.startsWith("<") ? own !== "" && Number(own) < Number(value.slice(1)) : own === value;
  }
  function narrow(form) {
    const scope = document.getElementById(form.dataset.filters);
    const wanted = all("[data-filter]", form).filter((one) => one.value.trim())
      .map((one) => ({ name: one.dataset.filter, value: one.value.trim() }));
    const items = all(scope.tBodies ? "tbody > tr" : ".claim", scope);
    for (const item of items) item.hidden = !wanted.every((one) => matches(item, one));
    for (const group of all("[data-group]", scope)) {
      group.hidden = !group.querySelector(".claim:not([hidden])");
      if (group.matches("details")) group.open = wanted.length > 0;
    }
    const shown = items.filter((item) => !item.hidden).length;
    const output = form.querySelector("[data-count]");
    const folded = !wanted.length && scope.querySelector("details[data-group]");
    output.textContent = folded ? `${items.length} ${output.dataset.count}s`
      : `${shown} of ${items.length} ${output.dataset.count}s shown`;
    document.querySelector("[data-nothing]").hidden = shown > 0;
  }

  /* Heat map: published score, difference from the best or rank; checked scores only; one task on a phone. */
  function warm(form) {
    const table = document.getElementById(form.dataset.heat);
    const { show, only, task } = Object.fromEntries(
      all("[data-filter]", form).map((one) => [one.dataset.filter, one.value]));
    const names = heads(table).map((head) => head.dataset.key);
    const best = names.map((_, place) => Math.max(
      ...[...table.tBodies[0].rows].map((row) => number(row.cells[place].dataset.order ?? ""))
        .filter((value) => !Number.isNaN(value))));
    const rows = [...table.tHead.rows, ...table.tBodies[0].rows].slice(1);
    for (const row of rows) {
      row.hidden = Boolean(only) && row.parentElement === table.tBodies[0];
      [...row.cells].forEach((cell, place) => {
        cell.classList.toggle("shown", names[place] === (task || "mean"));
        if (!cell.dataset.rank) return;
        const holder = cell.querySelector("a") ?? cell;
        cell.dataset.text ??= holder.textContent;
        const behind = best[place] - Number(cell.dataset.order);
        cell.dataset.behind = behind.toFixed(3);
        holder.textContent = show === "rank" ? cell.dataset.rank
          : show === "behind" ? (behind ? `−${behind.toFixed(3)}` : "best") : cell.dataset.text;
        const kinds = cell.dataset.checked?.split(" ") ?? [];
        const wanted = only === "checked" ? kinds.length : kinds.includes(only);
        cell.classList.toggle("dim", Boolean(only) && !wanted);
        if (wanted) row.hidden = false;
      });
    }
  }
  function describe(table) {
    const output = document.querySelector("[data-detail]");
    const tell = (event) => {
      const cell = event.target.closest("td");
      if (!cell?.id) return;
      const row = cell.parentElement.cells[0].textContent.trim();
      const of = `${row}, ${heads(table)[cell.cellIndex].textContent.trim()}: `;
      const how = cell.dataset.checked?.replace(" ", ", ") ?? "as published, not checked";
      output.textContent = of + (cell.dataset.rank
        ? `${Number(cell.dataset.order).toFixed(3)}, rank ${cell.dataset.rank} of ${cell.dataset.of}, `
          + `${cell.dataset.behind} below the best, ${how}.`
        : `no score. ${cell.querySelector(".unseen").textContent}.`);
    };
    for (const kind of ["mouseover", "focusin"]) table.addEventListener(kind, tell);
  }

  /* One tab stop for a table of many cells; the arrow keys, Home and End move inside it. */
  function grid(table) {
    table.setAttribute("role", "grid");
    const stops = () => [...table.tBodies[0].rows].map((row) =>
      [...row.cells].map((cell) => cell.querySelector("a") ?? cell));
    for (const stop of stops().flat()) stop.tabIndex = -1;
    stops()[0][0].tabIndex = 0;
    table.tBodies[0].addEventListener("focusin", (event) => {
      for (const one of all("tbody [tabindex='0']", table)) one.tabIndex = -1;
      event.target.tabIndex = 0;
    });
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    table.tBodies[0].addEventListener("keydown", (event) => {
      const rows = stops();
      const down = rows.findIndex((row) => row.includes(event.target));
      if (down < 0) return;
      const [dy, dx] = moves[event.key] || [0, 0];
      const next = event.key === "Home" ? rows[down][0] : event.key === "End" ? rows[down].at(-1)
        : dy || dx ? rows[down + dy]?.[rows[down].indexOf(event.target) + dx] : null;
      if (dy || dx || next) event.preventDefault();
      next?.focus();
    });
  }

  /* Any table to take away: an interval becomes two columns, a missing value an empty field. */
  const plain = (cell) => {
    const copy = cell.cloneNode(true);
    for (const one of all(".unseen, .bar, [aria-hidden]", copy)) one.remove();
    const shown = copy.textContent.replace(/\s+/g, " ").trim();
    if (cell.dataset.order && !Number.isNaN(number(shown)) && Number.isFinite(Number(cell.dataset.order))
      && !/ to /.test(shown)) return cell.dataset.order;
    if (/^[–-]?$/.test(shown)) return "";
    return /^−?[\d,]+(\.\d+)?$/.test(shown) ? shown.replaceAll(",", "").replace("−", "-") : shown;
  };
  function columns(table) {
    const rows = all("tbody > tr:not([hidden])", table).filter((row) => row.cells.length === heads(table).length);
    const range = /^(.*?)\s*\[?(−?[\d.]+)(?:, | to )(−?[\d.]+)\]?$/;
    return heads(table).flatMap((head, place) => {
      const name = plain(head);
      const values = rows.map((row) => plain(row.cells[place]));
      const parts = values.map((value) => range.exec(value));
      const found = parts.filter(Boolean).length;
      if (!found || found < values.filter(Boolean).length) return [[name, values]];
      const part = (at) => parts.map((one) => (one?.[at] ?? "").replace("−", "-"));
      const whole = part(1).some(Boolean) ? [[name, part(1)]] : [];
      const prefix = /interval$/i.test(name) ? "" : `${name} `;
      return [...whole, [`${prefix}low`, part(2)], [`${prefix}high`, part(3)]];
    });
  }
  const lines = (of) => of[0][1].map((_, row) => of.map(([, values]) => values[row]));
  const quote = (value) => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  const tex = (value) => value.replace(/[&%$#_{}~^\\]/g, (sign) =>
    ({ "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\\": "\\textbackslash{}" })[sign] ?? `\\${sign}`);
  const numeric = (values) => values.every((value) => value === "" || /^-?[\d.]+$/.test(value));
  const forms = {
    CSV: ["csv", (of) => [of.map(([name]) => name), ...lines(of)].map((line) => line.map(quote).join(",")).join("\n")],
    Markdown: ["md", (of) => [of.map(([name]) => name), of.map(([, v]) => (numeric(v) ? "--:" : ":--")), ...lines(of)]
      .map((line) => `| ${line.map((value) => value.replaceAll("|", "\\|")).join(" | ")} |`).join("\n")],
    LaTeX: ["tex", (of) => [
      `\\begin{tabular}{${of.map(([, values]) => (numeric(values) ? "r" : "l")).join("")}}`, "\\toprule",
      `${of.map(([name]) => tex(name)).join(" & ")} \\\\`, "\\midrule",
      ...lines(of).map((line) => `${line.map(tex).join(" & ")} \\\\`), "\\bottomrule", "\\end{tabular}"].join("\n")],
    JSON: ["json", (of) => JSON.stringify(lines(of).map((line) => Object.fromEntries(line.map((value, place) =>
      [of[place][0], value === "" ? null : numeric(of[place][1]) ? Number(value) : value]))), null, 1)],
  };
  function take(table) {
    const name = table.dataset.name || `${document.title.split(" · ")[0]} ${all("main table").indexOf(table) + 1}`;
    const place = make("p", { className: "take" });
    place.append("Take this table: ");
    for (const [label, [ending, write]] of Object.entries(forms)) {
      const button = make("button", { type: "button", textContent: label });
      button.addEventListener("click", () => {
        const url = URL.createObjectURL(new Blob([`${write(columns(table))}\n`], { type: "text/plain" }));
        make("a", { href: url, download: `${name.replace(/[^\w-]+/g, "-")}.${ending}` }).click();
        setTimeout(() => URL.revokeObjectURL(url), 1000);
      });
      place.append(button, " ");
    }
    (table.closest(".scroll, .heat-wrap, .output_subarea") ?? table).after(place);
  }

  for (const block of all("[data-copy]")) {
    const button = make("button", { type: "button", textContent: "Copy" });
    button.addEventListener("click", () => {
      getSelection().selectAllChildren(block);
      document.execCommand("copy"); // the clipboard's own interface is closed to pages from disk
      button.textContent = "Copied";
    });
    block.before(make("p", { className: "take" }));
    block.previousElementSibling.append(button);
  }

  /* A table as wide as the page has no box of its own, so that its head stays at the top of the window. */
  function fit() {
    const boxes = all(".scroll, .picture, .notebook pre, .notebook .output_subarea")
      .map((box) => [box, box.scrollWidth <= box.clientWidth + 1 && box.clientWidth > 0]);
    boxes.forEach(([box, fits], place) => {
      box.classList.toggle("fits", fits);
      if (fits) box.removeAttribute("tabindex");
      else box.tabIndex = 0;
      if (fits || !box.matches(".scroll")) return;
      const name = box.querySelector("caption") ?? box.closest("section")?.querySelector("h2, h3");
      box.setAttribute("role", "region");
      box.setAttribute("aria-label", `Table ${place + 1}: ${name?.textContent ?? "numbers"}`);
    });
  }

  /* Bring what the address names into view, even where a filter hides it. */
  function reveal() {
    const target = anchor() && document.getElementById(anchor());
    if (!target) return;
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    target.scrollIntoView({ block: target.matches("td") ? "center" : "start" });
  }

  function update() {
    for (const form of all("form[data-filters]")) narrow(form);
    for (const form of all("form[data-heat]")) warm(form);
  }
  function restore() {
    const params = chosen();
    for (const one of controls) {
      one.value = params.get(one.dataset.filter) ?? "";
      if (one.selectedIndex < 0) one.value = "";
    }
    const [name, key, way] = (params.get("sort") ?? "").split(".");
    const table = name && all("table[data-sort]").find((one) => one.dataset.sort === name);
    if (table) sort(table, key, way === "up");
    update();
    reveal();
  }

  for (const form of all("form.controls")) {
    form.addEventListener("submit", (event) => event.preventDefault());
    for (const kind of ["input", "change"]) form.addEventListener(kind, () => {
      const params = chosen();
      for (const one of controls) {
        if (one.value.trim()) params.set(one.dataset.filter, one.value.trim());
        else params.delete(one.dataset.filter);
      }
      keep(params);
      update();
    });
  }
  all("table.matrix, table.heat").forEach(grid);
  all("table.heat").forEach(describe);
  all("main table:not(.small)").filter((table) => table.tHead && !table.closest(".pair")).forEach(take);
  addEventListener("hashchange", restore);
  addEventListener("resize", fit);
  addEventListener("toggle", fit, true); // a table in closed details has no width
  fit();
  restore();
})();
