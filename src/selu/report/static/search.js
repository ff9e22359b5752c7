"use strict";
(() => {
  const most = 60; // results that are shown
  const field = document.querySelector("#q");
  const list = document.querySelector("#results");
  const output = document.querySelector("#count");
  const make = (name, fields) => Object.assign(document.createElement(name), fields);
  const first = ["page", "system", "task", "ranking"]; // the others follow in their order
  const rank = ([, kind]) => (first.includes(kind) ? first.indexOf(kind) : first.length);
  const texts = entries.map((entry) => entry.slice(0, 3).join(" ").toLowerCase());
  function show() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length
      ? entries.filter((_, at) => words.every((word) => texts[at].includes(word))).sort((a, b) => rank(a) - rank(b)) : [];
    list.replaceChildren(...found.slice(0, most).map(([paper, kind, text, address]) => {
      const item = make("li", {});
      item.append(make("a", { href: address, textContent: text }), make("span", { textContent: ` ${paper}, ${kind}` }));
      return item;
    }));
    output.textContent = !words.length ? `${entries.length.toLocaleString("en")} entries`
      : found.length > most ? `${most} of ${found.length.toLocaleString("en")} shown: add a word` : found.length ? `${found.length} found` : "0 found: take fewer words, such as a task, a system or digits of a score";
    history.replaceState(null, "", words.length ? `#q=${encodeURIComponent(field.value)}` : location.pathname);
  }
  field.value = new URLSearchParams(location.hash.slice(1)).get("q") ?? "";
  field.addEventListener("input", show);
  show();
})();
