"use strict";
/* The comparison page: what is chosen is read from the address, computed by chosen.js, and written as text. */
(() => {
  const place = document.getElementById("compare");
  if (!place) return;
  const bench = JSON.parse(document.getElementById("bench").textContent);
  const ids = bench.tasks.map((task) => task.id), names = new Map(bench.systems.map((one) => [one.id, one.name]));
  const form = place.querySelector("form"), pick = (selector) => place.querySelector(selector);
  const words = (id) => id.replace(/_/g, " ");
  const ticks = (name) => [...form.querySelectorAll(`input[name=${name}]`)];
  /** Round as the command line does: of two equally near numbers to the even one. */
  const fixed = (value, digits) => {
    const halfway = Math.abs(value * 2 ** (digits + 1)) % 2 === 1;
    return value.toFixed(digits).replace(halfway ? /[13579]$/ : /$^/, (odd) => odd - 1);
  };
  const number = (value, digits = 3) => (value === null ? "–" : fixed(value, digits).replace("-", "−"));
  const percent = (share) => `${fixed(100 * share, 1)} %`;
  const count = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;
  const LIMITS = ["size", "licence", "memory", "price"];
  const SIZES = { K: 1e3, M: 1e6, B: 1e9 };
  let draws = null; // made when they are first needed

  function make(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name === "data") Object.assign(element.dataset, value);
      else if (name in element) element[name] = value;
      else element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  }

  // -- what is chosen, and the address ------------------------------------------------------------

  /** tasks: weight by id; off: systems left out; own: name and scores, or null. */
  function start() {
    const tasks = Object.fromEntries(bench.tasks.filter((task) => task.ranked).map((task) => [task.id, 1]));
    return { tasks, off: [], size: "", licence: "", memory: "", price: "", own: null, first: "", second: "" };
  }

  function write(state) {
    const said = new URLSearchParams(), usual = start();
    const tasks = ids.filter((id) => state.tasks[id]);
    const listed = tasks.map((id) => (state.tasks[id] === 1 ? id : `${id}*${state.tasks[id]}`)).join(",");
    if (listed !== ids.filter((id) => usual.tasks[id]).join(",")) said.set("tasks", listed);
    if (state.off.length) said.set("without", state.off.join(","));
    for (const name of [...LIMITS, "first", "second"]) {
      if (state[name]) said.set(name, state[name]);
    }
    if (state.own) {
      said.set("own", ids.filter((id) => id in state.own.scores).map((id) => `${id}:${state.own.scores[id]}`).join(","));
      said.set("name", state.own.name);
    }
    return said.toString();
  }

  /** What a field shows of this text: what it can't show must not limit systems unseen. */
  function shown(field, text) {
    field.value = text;
    return field.value === text && field.checkValidity() ? text : "";
  }

  function parse(text) {
    const said = new URLSearchParams(text), state = start();
    const list = (name) => (said.get(name) || "").split(",").filter(Boolean);
    if (said.has("tasks")) {
      state.tasks = {};
      for (const part of list("tasks")) {
        const [id, weight] = part.split("*");
        if (ids.includes(id)) state.tasks[id] = legal(weight === undefined ? 1 : Number(weight));
      }
    }
    state.off = list("without").filter((id) => names.has(id));
    for (const name of ["first", "second"]) state[name] = said.get(name) || "";
    for (const name of LIMITS) state[name] = shown(form.elements[name], said.get(name) || "");
    if (said.has("own")) {
      const scores = {};
      for (const part of list("own")) {
        const [id, value] = [part.split(":")[0], Number(part.split(":")[1])];
        if (ids.includes(id) && value >= 0 && value <= 1) scores[id] = value;
      }
      if (Object.keys(scores).length) state.own = { name: (said.get("name") || "mine").slice(0, 60), scores };
    }
    return state;
  }

  const legal = (weight) => (weight > 0 && weight <= 100 ? weight : 1);
  let state = null; // as the address has it

  /** Take a change: show it, and keep it in the address, as a step back where ``step`` says so. */
  function change(changes, step = true) {
    state = { ...state, ...changes };
    const address = `#${write(state)}`;
    if (address !== (location.hash || "#")) history[step ? "pushState" : "replaceState"](null, "", address);
    show();
  }

  // -- computing ----------------------------------------------------------------------------------

  /** What one run takes, over these tasks: hours, USD, GiB; null where some is not known. */
  function cost(system, chosen) {
    const each = chosen.filter((task) => bench.scores[system][task] !== null)
      .map((task) => bench.costs[system][task] || [null, null, null]);
    const [hours, usd, memory] = [0, 1, 2].map((at) => each.map((one) => one[at]));
    const total = (values) => (values.length && !values.includes(null) ? values.reduce((sum, one) => sum + one, 0) : null);
    return { hours: total(hours), usd: total(usd), memory: memory.length && !memory.includes(null) ? Math.max(...memory) : null };
  }

  function fits(at, chosen) {
    const system = bench.systems[at], takes = cost(at, chosen);
    const within = (value, limit) => !limit || (value !== null && value <= Number(limit));
    const found = /^(\d+(?:\.\d+)?)([KMB])$/.exec(state.size);
    const small = !found || (system.parameters === null
      ? system.approach === "baseline" : system.parameters <= Number(found[1]) * SIZES[found[2]]);
    const licensed = !state.licence
      || (state.licence === "open" ? bench.open.includes(system.licence) : system.licence === state.licence);
    return small && licensed && within(takes.memory, state.memory) && within(takes.usd, state.price);
  }

  function evidence(system, chosen) {
    const parts = ["re-run", "re-scored", "recounted", "published"].map((kind) => {
      const tasks = chosen.filter((task) => bench.evidence[system][task] === kind);
      const differ = tasks.filter((task) => bench.differs[system][task]).length;
      return tasks.length ? `${tasks.length} ${kind}${differ ? ` (${differ} ${differ === 1 ? "differs" : "differ"})` : ""}` : "";
    });
    return parts.filter(Boolean).join(", ");
  }

  function compute() {
    draws ||= Chosen.gammas(ids.length, bench.draws, bench.seed);
    const weights = ids.map((id) => state.tasks[id] || 0);
    const chosen = weights.flatMap((weight, at) => (weight > 0 ? [at] : []));
    const systems = bench.systems.map((_, at) => at)
      .filter((at) => !state.off.includes(bench.systems[at].id) && fits(at, chosen));
    const rows = systems.map((at) => ({
      id: bench.systems[at].id, name: bench.systems[at].name, scores: bench.scores[at], at,
    }));
    if (state.own) {
      const scores = ids.map((id) => (id in state.own.scores ? state.own.scores[id] : null));
      rows.push({ id: "", name: state.own.name, scores, at: null });
    }
    const test = (a, b) => Chosen.against(a.scores, b.scores, weights, bench.rope, draws);
    const ranked = Chosen.ranking(rows.map((row) => row.scores), weights, draws)
      .map((one) => ({ ...one, ...rows[one.system] }));
    for (const one of ranked.slice(1)) one.pair = test(one, ranked[0]);
    return { chosen, weights, ranked, test, systems: systems.length };
  }

  // -- showing ------------------------------------------------------------------------------------

  function verdict(pair, better, worse) {
    if (pair.better >= bench.threshold) return `${better} is a clear winner`;
    if (pair.worse >= bench.threshold) return `${worse} is a clear winner`;
    return pair.equal >= bench.threshold ? "the two are practically equal" : "no clear winner";
  }

  function show() {
    const found = compute();
    controls(found);
    answer(found);
    pick("[data-ranking]").replaceChildren(found.ranked.length ? ranking(found) : "");
    pick("[data-heat]").replaceChildren(found.ranked.length ? heat(found) : "");
    two(found);
    pick("[data-csv]").href = `data:text/csv;charset=utf-8,${encodeURIComponent(table(found.ranked))}`;
  }

  function controls({ chosen, systems }) {
    for (const tick of ticks("task")) {
      tick.checked = Boolean(state.tasks[tick.value]);
      const weight = form.querySelector(`input[data-task="${tick.value}"]`);
      weight.hidden = !tick.checked;
      weight.value = state.tasks[tick.value] || 1;
    }
    for (const tick of ticks("system")) tick.checked = !state.off.includes(tick.value);
    for (const name of LIMITS) form.elements[name].value = state[name];
    const set = LIMITS.filter((name) => state[name]).length;
    const said = {
      tasks: `${chosen.length} of ${ids.length}`,
      systems: `${systems} of ${bench.systems.length} shown`,
      limits: set ? String(set) : "none",
      own: state.own ? count(Object.keys(state.own.scores).length, "task") : "none",
    };
    for (const [name, text] of Object.entries(said)) pick(`[data-count=${name}]`).textContent = text;
    for (const button of form.querySelectorAll("[data-preset]")) {
      const wanted = preset(button.dataset.preset);
      const alike = ids.every((id) => (state.tasks[id] || 0) === (wanted[id] || 0));
      button.setAttribute("aria-pressed", String(alike));
    }
  }

  function answer({ ranked, chosen, systems }) {
    const [best] = ranked, mine = ranked.find((one) => !one.id);
    const over = `over ${count(chosen.length, "task")}`;
    let text = !chosen.length ? "Choose at least one task."
      : !ranked.length ? "No system is within all limits: widen one of them."
        : `${best.name} has the highest mean score of ${count(ranked.length, "system")} ${over} (${number(best.mean)}).`;
    if (mine && mine !== best) {
      text += ` ${mine.name} has rank ${mine.rank} of ${ranked.length}, with a mean of ${number(mine.mean)}`
        + (mine.low === null ? "." : ` (${number(mine.low)} to ${number(mine.high)}).`);
      if (mine.pair) {
        const likely = ["worse", "equal", "better"].reduce((a, b) => (mine.pair[b] > mine.pair[a] ? b : a));
        text += ` Against ${best.name} it is ${likely} with a probability of ${percent(mine.pair[likely])}.`;
      }
    }
    const level = mine ? ranked.filter((one) => one.id && one.rank === mine.rank) : [];
    if (level.length) text += ` Its mean equals that of ${level.map((one) => one.name).join(", ")}: they share a rank.`;
    const beside = mine ? Object.keys(state.own.scores).filter((id) => !chosen.includes(ids.indexOf(id))) : [];
    if (beside.length) text += ` Not counted: ${beside.map(words).join(", ")}.`;
    if (chosen.length && chosen.length < bench.few && ranked.length) text += ` ${bench.hint}`;
    pick("[data-answer]").textContent = text;
    const holes = mine ? ids.filter((id) => bench.tasks[ids.indexOf(id)].ranked && !(id in state.own.scores)) : [];
    pick("[data-holes]").textContent = holes.length
      ? `Your file has no score on ${holes.length} of ${bench.tasks.filter((one) => one.ranked).length} ranked tasks: `
        + `${holes.map(words).join(", ")}.` : "";
  }

  const HEADS = ["Rank", "System", "Mean", "95 % interval", "Win rate", "Better, equal, worse than the first", "One run takes", "Scores"];

  function ranking({ ranked, chosen }) {
    const rows = ranked.map((one) => {
      const own = one.at === null, system = own ? {} : bench.systems[one.at];
      const about = own ? "your scores" : [system.size_published, system.licence].filter(Boolean).join(" · ");
      const missing = one.missing.length ? `without ${one.missing.map((task) => words(ids[task])).join(", ")}` : "";
      const cells = [
        make("td", { className: "number" }, `${one.rank}${ranked.some((other) => other !== one && other.rank === one.rank) ? "=" : ""}`),
        make("th", { scope: "row" }, own ? one.name : make("a", { href: `systems/${one.id}.html` }, one.name), make("small", {}, about), missing ? make("small", {}, missing) : null),
        make("td", { className: "number strong" }, number(one.mean)),
        make("td", {}, ...interval(one)),
        make("td", { className: "number" }, one.winRate === null ? "–" : percent(one.winRate)),
        make("td", {}, ...odds(one, ranked[0])),
        make("td", {}, own ? "" : takes(cost(one.at, chosen))),
        make("td", {}, own ? "" : evidence(one.at, chosen)),
      ];
      cells.forEach((cell, at) => { if (at > 2) cell.dataset.label = HEADS[at]; });
      return make("tr", { className: own ? "own" : "" }, ...cells);
    });
    const heads = HEADS.map((head, at) => make("th", { scope: "col", className: [0, 2, 4].includes(at) ? "number" : "" }, head));
    return make("table", { className: "ranking", "aria-labelledby": "ranking" },
      make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows));
  }

  function interval(one) {
    if (one.low === null) return ["–"];
    const [low, high, at] = [one.low, one.high, one.mean].map((value) => 100 * Math.min(Math.max(value, 0), 1));
    const line = make("i"), mark = make("b"), axis = make("span", { className: "axis", ariaHidden: "true" }, line, mark);
    Object.assign(line.style, { left: `${low}%`, width: `${high - low}%` });
    mark.style.left = `${at}%`;
    return [make("span", { className: "nowrap" }, `${number(one.low)} to ${number(one.high)}`), axis];
  }

  function odds(one, first) {
    if (one === first) return ["–"];
    if (!one.pair) return ["no test: too few tasks"];
    const parts = ["better", "equal", "worse"].map((name) => {
      const part = make("i");
      part.style.width = `${100 * one.pair[name]}%`;
      return part;
    });
    const text = ["better", "equal", "worse"].map((name) => percent(one.pair[name]).slice(0, -2)).join(", ");
    return [make("span", { className: "nowrap" }, `${text} %`), make("span", { className: "odds", ariaHidden: "true" }, ...parts)];
  }

  function takes(of) {
    const hours = of.hours === null ? null : of.hours < 0.99 ? `${fixed(Math.max(60 * of.hours, 1), 0)} min` : `${fixed(of.hours, 1)} h`;
    const usd = of.usd === null ? null : of.usd > 0 && of.usd < 0.005 ? "less than 0.01 USD" : `${fixed(of.usd, 2)} USD`;
    const parts = [hours, usd,
      of.memory ? `${fixed(of.memory, 0)} GiB GPU` : of.memory === 0 ? "no GPU" : null];
    return parts.filter(Boolean).map((part) => part.replaceAll(" ", "\u00a0")).join(", ") || "not known";
  }

  function heat({ ranked, chosen }) {
    const best = chosen.map((task) => Math.max(...ranked.map((one) => one.scores[task] ?? -1)));
    const heads = chosen.map((task) => make("th", { scope: "col", className: "up" }, make("span", {}, words(ids[task]))));
    const rows = ranked.map((one) => {
      const cells = chosen.map((task, at) => {
        const value = one.scores[task];
        if (value === null) return make("td", { className: "absent-by-design", title: `${one.name}: no score` }, "–");
        const top = value === best[at] ? " best" : "";
        return make("td", { className: `seq${Math.round(50 * value)}${top}`, title: `${one.name}, ${words(ids[task])}` },
          fixed(value, 3).replace(/^0/, ""));
      });
      return make("tr", { className: one.id ? "" : "own" }, make("th", { scope: "row" }, one.name), ...cells);
    });
    return make("table", { className: "heat", "aria-labelledby": "scores" },
      make("thead", {}, make("tr", {}, make("td"), ...heads)), make("tbody", {}, ...rows));
  }

  /** The two that are named, else one's own and the first, else the first two. */
  function two({ ranked, test }) {
    const [first, second] = ["first", "second"].map((name) => place.querySelector(`select[name=${name}]`));
    const key = (one) => one.id || "own", wanted = ranked.find((one) => !one.id);
    const usual = wanted && wanted !== ranked[0] ? [wanted, ranked[0]] : ranked;
    const chosen = ["first", "second"].map((name, at) => ranked.find((one) => key(one) === state[name]) || usual[at]);
    for (const [at, select] of [first, second].entries()) {
      select.replaceChildren(...ranked.map((one) =>
        make("option", { value: key(one), selected: one === chosen[at] }, one.name)));
    }
    const [a, b] = chosen;
    if (!a || !b || a === b) {
      pick("[data-pair]").textContent = "Choose two different systems.";
      return;
    }
    const pair = test(a, b);
    pick("[data-pair]").textContent = !pair ? "No test: it takes two tasks that both have, and scores that vary."
      : `Over ${count(pair.tasks, "task")}: ${a.name} is better with a probability of ${percent(pair.better)}, the two are `
        + `practically equal with ${percent(pair.equal)}, ${b.name} is better with ${percent(pair.worse)}: `
        + `${verdict(pair, a.name, b.name)}. The equivalence threshold (ROPE) is ${fixed(pair.rope, 4)}.`;
  }

  /** The ranking as CSV with all digits. A name that a spreadsheet would compute begins with an apostrophe. */
  function table(ranked) {
    const field = (value) => {
      const text = value === null || value === undefined ? "" : String(value);
      const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
      return /[",\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
    };
    const rows = ranked.map((one) => [
      one.rank, one.id, one.name, one.mean, one.sd, one.low, one.high, one.winRate,
      one.pair?.better, one.pair?.equal, one.pair?.worse, one.pair?.rope, one.missing.map((task) => ids[task]).join(";"),
    ]);
    const head = ["rank", "id", "system", "mean", "sd", "low", "high", "win_rate", "better", "equal", "worse", "rope", "missing"];
    return `${[head, ...rows].map((row) => row.map(field).join(",")).join("\n")}\n`;
  }

  // -- hearing ------------------------------------------------------------------------------------

  function preset(id) {
    const found = bench.presets.find((one) => one.id === id);
    return found ? Object.fromEntries(found.tasks.map((task) => [task, 1])) : start().tasks;
  }

  /** Read one's own scores: of a file, which is shown, or what was pasted. */
  async function take(file) {
    const wrong = pick("[data-wrong]"), text = form.elements["own-text"];
    try {
      if (file) text.value = Reading.decode(new Uint8Array(await file.arrayBuffer()));
      const { name, scores } = Reading.read(text.value, ids, bench.rules, file ? file.name : "the text");
      const has = bench.tasks.filter((task) => task.id in scores), ranked = has.filter((task) => task.ranked);
      const tasks = Object.fromEntries((ranked.length ? ranked : has).map((task) => [task.id, 1]));
      wrong.textContent = "";
      change({ own: { name: (form.elements["own-name"].value || name || "mine").slice(0, 60), scores }, tasks, first: "", second: "" });
    } catch (error) {
      wrong.textContent = `${error.message[0].toUpperCase()}${error.message.slice(1)}`;
    }
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("click", ({ target }) => {
    if ("preset" in target.dataset) change({ tasks: preset(target.dataset.preset) });
    if (target.dataset.systems) change({ off: target.dataset.systems === "all" ? [] : [...names.keys()] });
    if (target.dataset.own === "take") take();
    if (target.dataset.own === "drop") change({ own: null, first: "", second: "" });
  });
  place.addEventListener("change", ({ target }) => {
    const { name, value } = target;
    if (name === "own-file" && target.files[0]) take(target.files[0]).then(() => { target.value = ""; });
    if (name === "task" || name === "weight") {
      const weight = (id) => legal(Number(form.querySelector(`input[data-task="${id}"]`).value));
      const on = ticks("task").filter((tick) => tick.checked).map((tick) => [tick.value, weight(tick.value)]);
      change({ tasks: Object.fromEntries(on) });
    } else if (name === "system") {
      change({ off: ticks("system").filter((tick) => !tick.checked).map((tick) => tick.value) });
    } else if ([...LIMITS, "first", "second"].includes(name)) {
      change({ [name]: value });
    }
  });
  /** Take over what the address says, and one's own scores into the form. */
  function load() {
    state = parse(location.hash.slice(1));
    const own = state.own ? Object.entries(state.own.scores).map(([id, value]) => `${id},${value}`) : [];
    form.elements["own-text"].value = own.length ? ["task,score", ...own].join("\n") : "";
    form.elements["own-name"].value = state.own ? state.own.name : "";
    pick("[data-wrong]").textContent = "";
    show();
  }

  for (const event of ["popstate", "hashchange"]) addEventListener(event, load);
  if (matchMedia("(min-width: 80rem)").matches) for (const part of ["limits", "tasks"]) pick(`[data-part=${part}]`).open = true;
  place.hidden = false;
  load();
  if (state.own || location.hash === "#own") pick("[data-part=own]").open = true;
})();
