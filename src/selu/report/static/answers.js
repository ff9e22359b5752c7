"use strict";
(() => {
  const most = 50; // rows of a page
  const get = (id) => document.getElementById(id);
  const make = (name, text, fields = {}) => Object.assign(document.createElement(name), { textContent: text }, fields);
  const ids = answers.ids.split(",");
  const runs = Object.fromEntries(Object.entries(answers.runs).map(([key, text]) => [key, text.split(",")]));
  const all = Object.values(runs);
  const label = (at) => answers.labels[Number(at)] ?? at;
  const told = (answer) => !answer ? "not asked" : answer === "-" ? "no label"
    : answers.labels.length ? answer.split(" ").map(label).join(", ") : answer;
  const chosen = new URLSearchParams(location.hash.slice(1));
  for (const name of ["a", "b", "which"]) {
    const value = chosen.get(name);
    if ([...get(name).options].some((option) => option.value === value)) get(name).value = value;
    get(name).addEventListener("change", () => show(0));
  }
  let from = 0;
  function show(start) {
    const a = runs[get("a").value], b = runs[get("b").value];
    const asked = ids.map((_, at) => at).filter((at) => a[at] || b[at]);
    const rows = get("which").value === "all" ? asked : asked.filter((at) => a[at] && b[at] && a[at] !== b[at]);
    from = Math.min(Math.max(start, 0), Math.max(rows.length - 1, 0));
    get("rows").replaceChildren(...rows.slice(from, from + most).map((at) => {
      const given = all.filter((of) => of[at]);
      const line = make("tr", "");
      line.append(make("th", ids[at], { scope: "row" }), make("td", told(a[at])), make("td", told(b[at])),
        make("td", a[at] ? `${given.filter((of) => of[at] === a[at]).length} of ${given.length}` : "–", { className: "number" }));
      return line;
    }));
    const last = Math.min(from + most, rows.length);
    get("count").textContent = rows.length
      ? `Rows ${(from + 1).toLocaleString("en")} to ${last.toLocaleString("en")} of ${rows.length.toLocaleString("en")}` : "No rows";
    get("pages").hidden = rows.length <= most;
    get("back").disabled = from === 0;
    get("on").disabled = last === rows.length;
    const kept = new URLSearchParams(["a", "b", "which"].map((name) => [name, get(name).value]));
    history.replaceState(null, "", `#${kept}`);
  }
  get("back").addEventListener("click", () => show(from - most));
  get("on").addEventListener("click", () => show(from + most));
  show(0);
})();
