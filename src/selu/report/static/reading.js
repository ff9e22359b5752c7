"use strict";
/* A file of one system's scores, read as boards/readers/reading.py reads it, by its words and patterns: the same
   scores, or the same sentence. Of what only the command line reads, the sentence says so. */
const Reading = (() => {
  const refuse = (sentence) => { throw new Error(sentence); };
  const quoted = (text) => `'${text.slice(0, 80)}'`;
  const split = (line) => line.split(/(?<!\\)\|/);

  /** The text of a file: UTF-8 or UTF-16, with a byte order mark or without. */
  function decode(bytes) {
    if (String.fromCharCode(...bytes.slice(0, 2)) === "PK") refuse("this is a workbook: 'selu submit FILE' reads it.");
    const marks = { "255,254": "utf-16le", "254,255": "utf-16be" }, name = marks[bytes.slice(0, 2).join()] || "utf-8";
    const text = new TextDecoder(name).decode(bytes);
    try {
      new TextDecoder(name, { fatal: true }).decode(bytes);
    } catch {
      refuse(`row ${text.split("\ufffd")[0].split("\n").length} is not UTF-8: save the file as text in UTF-8.`);
    }
    return text;
  }

  /** Scores in 0..1 by task, and the system's name; of an unusable file an Error with row and column. */
  function read(given, tasks, rules, file = "the text") {
    const has = (name, ...kinds) => kinds.some((kind) => rules[kind].includes(name));
    const whole = (name, flags = "") => new RegExp(`^(?:${rules[name]})$`, flags);
    const any = (name, flags = "g") => new RegExp(rules[name], flags);
    const [NUMBER, COMMA, GROUPS] = ["NUMBER", "COMMA", "GROUPS"].map((name) => whole(name));

    // -- rows of texts ----------------------------------------------------------------------------

    function markdown(text) {
      const fields = (line) => split(line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, ""))
        .map((part) => part.replace(any("LINK"), "$1").replace(/\\([\\|`[\]<])/g, "$1").trim());
      const lines = text.split("\n"), under = lines.findIndex((line, at) => at && line.includes("-")
        && (line + lines[at - 1]).includes("|") && whole("RULE").test(line.trim())
        && fields(line).length === fields(lines[at - 1]).length);
      if (under < 0) return null;
      const rest = lines.slice(under + 1), end = rest.findIndex((line) => split(line).length < 2);
      const rows = (end < 0 ? rest : rest.slice(0, end)).map((line, at) => [under + 2 + at, fields(line)]);
      const head = fields(lines[under - 1]), pad = (row) => [...row, ...Array(Math.max(head.length - row.length, 0)).fill("")];
      return { head, line: under, rows: rows.map(([line, row]) => [line, pad(row)]) };
    }

    function separated(text) {
      const first = text.split("\n").find((line) => line.trim()), said = /^"?sep=(.)"?$/i.exec(first.trim());
      const tried = said ? [said[1]] : [...`\t;,|`].filter((sign) => first.includes(sign));
      if (!tried.length) {
        refuse("row 1 has no comma, semicolon, tab or bar: give a table with a column for the systems and one for each task.");
      }
      let best = null, failed = null;
      for (const sign of tried) {
        try {
          const [head, ...rows] = parted(text, sign).slice(said ? 1 : 0), width = head ? head[1].length : 0;
          const rank = [rows.every(([, row]) => row.length === width) ? 1 : 0, width];
          if (head && (!best || rank[0] > best.rank[0] || (rank[0] === best.rank[0] && rank[1] > best.rank[1]))) {
            best = { head: head[1], line: head[0], rows, rank };
          }
        } catch (error) { failed = error; }
      }
      return best || refuse(failed ? failed.message : "the file holds no table: give a row for each system.");
    }

    function parted(text, separator) {
      const rows = [];
      let fields = [], field = "", quote = "", line = 1; // quote: "" before, "o" open, "c" closed, "n" no quotation
      const wrong = () => refuse(`row ${line} is not CSV: a quotation mark is not closed.`);
      const next = () => { fields.push(field.trim()); [field, quote] = ["", ""]; };
      const end = () => { next(); if (fields.some(Boolean)) rows.push([line, fields]); fields = []; };
      for (let at = 0; at < text.length; at += 1) {
        const sign = text[at];
        if (quote === "o" && sign === '"' && text[at + 1] === '"') { field += sign; at += 1; }
        else if (quote === "o" && sign === '"') quote = "c";
        else if (quote === "o") { field += sign; if (sign === "\n") line += 1; }
        else if (sign === separator) next();
        else if (sign === "\n") { end(); line += 1; }
        else if (quote === "c") wrong();
        else if (!quote && sign === '"') quote = "o";
        else if (quote || sign !== " ") { field += sign; quote = "n"; }
      }
      if (quote === "o") wrong();
      end();
      return rows;
    }

    function whole_(grid) {
      const width = grid.head.length;
      for (const [line, row] of grid.rows) {
        while (row.length > width && !row.at(-1)) row.pop();
        if (row.length !== width) {
          refuse(`row ${line} has ${row.length} columns, row ${grid.line} has ${width}: give every row as many.`);
        }
      }
      if (!grid.rows.length) refuse(`row ${grid.line} names the columns, and no row comes after it: give at least one.`);
      const kept = grid.head.flatMap((name, at) => (name || grid.rows.some(([, row]) => row[at]) ? [at] : []));
      if (kept.length < 2) {
        refuse(`row ${grid.line} has one column: give one for the systems and one for each task, separated by commas.`);
      }
      const take = (row) => kept.map((at) => row[at]);
      return { head: take(grid.head), line: grid.line, rows: grid.rows.map(([line, row]) => [line, take(row)]) };
    }

    // -- numbers and names ------------------------------------------------------------------------

    const words = (text) => text.split(/\s+/).filter(Boolean).join(" ");
    const plain = (text) => words(text.replaceAll("\\pm", "±").replace(any("MARKUP"), "").replaceAll("\\_", "_"));
    const missing = (text) => has(plain(text).toLowerCase(), "MISSING");
    const strip = (text, signs = `${rules.MARKS} `) => {
      const kept = [...text].flatMap((sign, at) => (signs.includes(sign) ? [] : [at]));
      return kept.length ? [...text].slice(kept[0], kept.at(-1) + 1).join("") : "";
    };
    const bare = (text) => {
      const found = strip(plain(text).replace(any("AFTER", ""), ""));
      return `${strip(found.replace(/[% ]+$/, ""))}${found.endsWith("%") ? "%" : ""}`
        .replaceAll("\u2212", "-").replace(/[\u00a0\u202f ]/g, "");
    };

    /** A value and its decimals, null of a missing one, undefined of what is not a number. */
    function number(text) {
      if (missing(text)) return null;
      let found = bare(text);
      if (comma) found = found.replaceAll(".", "").replace(",", ".");
      else if (GROUPS.test(found)) found = found.replaceAll(",", "");
      const parts = NUMBER.exec(found);
      if (!parts) return undefined;
      const [, sign, digits, power, percent] = parts, exponent = Number(power || 0) - (percent ? 2 : 0);
      const value = Number(`${sign}${digits}e${exponent}`), decimals = (digits.split(".")[1] || "").length - exponent;
      return Math.abs(value) > 1e12 ? undefined : { value, digits: Math.max(decimals, 0) };
    }

    function hasComma(rows) {
      const seen = {};
      for (const [line, row] of rows) {
        for (const field of row) {
          const found = bare(field).replace(/[% ]+$/, "");
          const kind = COMMA.test(found) ? (GROUPS.test(found) && !/^[+-]*0/.test(found) ? null : true)
            : found.includes(".") && NUMBER.test(found) ? false : null;
          if (kind !== null) seen[kind] ||= [line, field];
        }
      }
      if (seen.true && seen.false) {
        refuse(`row ${seen.true[0]} has '${seen.true[1]}', with a decimal comma, and row ${seen.false[0]} '${seen.false[1]}', `
          + "with a decimal point: write all numbers in one way.");
      }
      return Boolean(seen.true);
    }

    const called = (text) => {
      const name = plain(text).replace(any("ARROWS", "gi"), "").trim().toLowerCase();
      return name.replace(/\s*[([][^()[\]]*[)\]]$/, "").trim() || name;
    };
    const nameOf = (text) => {
      let name = words(text.replace(/[\p{C}\p{Z}]/gu, " ")), found;
      while ((found = whole("EMPHASIS").exec(name))) name = found[2].trim();
      return name;
    };
    const taskName = (text) => words(nameOf(text).replace(any("ARROWS", "gi"), "")) || nameOf(text);
    const kindOf = (text, ofTask) => {
      const name = called(text);
      if (has(name, "MEAN")) return "mean";
      if (has(name, ...(ofTask ? ["OTHER", "PART"] : ["SPREAD"])) || (ofTask && whole("OF_OTHER").test(name))) return "other";
      return has(name, "RANK") ? "rank" : has(name, "ROWS") ? "rows" : "";
    };
    const at_ = (line, head) => `row ${line}, column ${nameOf(head).slice(0, 80) || 1}`;
    const valueAt = (text, place) => {
      const found = number(text);
      return found === undefined ? refuse(`${place}: ${quoted(text)} is not a number; write it like 0.81, or leave it empty.`) : found;
    };

    // -- what rows and columns are ----------------------------------------------------------------

    const numeric = (at) => {
      const filled = grid.rows.map(([, row]) => row[at]).filter((text) => !missing(text));
      return 2 * filled.filter((text) => number(text)).length >= filled.length;
    };
    const headless = () => refuse(`row ${grid.line} names no task: put a row with the names of the columns above the scores.`);
    const firstNumber = (at, digits) => grid.rows.find(([, row]) => { const found = number(row[at]); return found && found.digits >= digits; });

    function firstTexts() {
      const heads = grid.head.slice(1).map(number), named = heads.some((one) => !one);
      if (!named && heads.some((one) => one.digits)) headless();
      const texts = grid.head.findIndex((_, at) => !numeric(at) && grid.rows.some(([, row]) => row[at]) && !firstNumber(at, 1));
      if (texts >= 0) return texts;
      if (!named) headless();
      const name = called(grid.head[0]), found = firstNumber(0, has(name, "NUMBERED") || kindOf(name, true) ? 1 : 0);
      if (found && !has(name, "TASK")) {
        refuse(`${at_(found[0], grid.head[0])}: ${quoted(found[1][0])} is a number: the table has ${grid.rows.length.toLocaleString("en-US")} systems and no `
          + "column of their names; put a column 'system' first.");
      }
      return 0;
    }

    function long(system, task) {
      const names = grid.head.map(called), named = names.findIndex((name) => has(name, "SCORE"));
      const values = names.flatMap((name, at) => ([system, task].includes(at)
        || has(name, "SEED", "ROWS", "RANK", "OTHER", "PART") || 2 * grid.rows.filter(([, row]) => number(row[at])).length <= grid.rows.length ? [] : [at]));
      if (named < 0 && values.length !== 1) {
        refuse(`row ${grid.line} has a column for systems and one for tasks, and `
          + `${values.slice(0, 5).map((at) => `'${grid.head[at]}'`).join(", ") || "none of numbers"} beside them: call the column of the `
          + "scores 'score'.");
      }
      const score = named < 0 ? values[0] : named;
      const found = { systems: new Set(), tasks: new Map() };
      for (const [line, row] of grid.rows) {
        const [name, of] = [nameOf(row[system]), taskName(row[task])], place = `row ${line}, column ${nameOf(grid.head[score])}`;
        if (!name || !of) refuse(`row ${line}, column ${nameOf(grid.head[name ? task : system])} is empty: name it.`);
        found.systems.add(name);
        const value = valueAt(row[score], place), other = found.tasks.get(of);
        if (value && other && other.name === name && other.value !== value.value) {
          if (names.some((one) => has(one, "SEED", "PART", "VERSION"))) {
            refuse(`${place}: ${quoted(of)} has several scores: 'selu submit FILE' reads them.`);
          }
          refuse(`${place}: the score of ${quoted(name)} on ${quoted(of)} is in ${other.place}, too; keep one, or tell them apart by a `
            + "column seed, metric or split.");
        }
        if (!other) found.tasks.set(of, value && { name, value: value.value, place });
      }
      return found;
    }

    function wide(first, byTask) {
      const [side, other] = byTask ? ["task", "system"] : ["system", "task"];
      const [ofColumn, ofRow] = byTask ? [nameOf, taskName] : [taskName, nameOf];
      const kinds = grid.head.map((head, at) => (at === first ? "names" : kindOf(head, !byTask)));
      const columns = grid.head.flatMap((head, at) => (kinds[at] || !(has(called(head), "SCORE") || numeric(at)) ? [] : [at]));
      if (!columns.length) {
        refuse(`the table has no column of scores: give one for each ${other}, beside ${quoted(nameOf(grid.head[first]))}.`);
      }
      const named = new Map(), seen = new Map(), scores = new Map();
      for (const at of columns) {
        const name = ofColumn(grid.head[at]);
        if (!name) refuse(`row ${grid.line}, column ${at + 1} has no name: name its ${other}.`);
        if ([...named.values()].includes(name)) {
          refuse(`row ${grid.line} has the column ${quoted(name)} twice: give each ${other} its own name.`);
        }
        named.set(at, name);
      }
      for (const [line, row] of grid.rows) {
        const name = ofRow(row[first]), place = at_(line, grid.head[first]);
        if (!name) refuse(`${place} is empty: name the ${side}.`);
        if (seen.has(name)) refuse(`${place}: ${quoted(name)} is given twice (rows ${seen.get(name)} and ${line}): name each ${side} once.`);
        seen.set(name, line);
      }
      for (const [line, row] of grid.rows) {
        const kind = kindOf(row[first], byTask), name = ofRow(row[first]);
        const isSummary = kind && (byTask || kind !== "rank");
        if (isSummary) seen.delete(name);
        else {
          for (const [at, one] of kinds.entries()) {
            if (one === "mean" || (byTask && one === "rows")) valueAt(row[at], at_(line, grid.head[at]));
          }
        }
        for (const [at, column] of isSummary && kind === "other" ? [] : named) {
          const place = at_(line, grid.head[at]), value = valueAt(row[at], place), task = byTask ? name : column;
          if (!isSummary && (value || !scores.has(task))) scores.set(task, value && { value: value.value, place });
        }
      }
      if (!seen.size) refuse(`row ${grid.line} names the columns, and no ${side} comes after it: give at least one.`);
      return { systems: new Set(byTask ? named.values() : seen.keys()), tasks: scores };
    }

    // -- one system's scores ----------------------------------------------------------------------

    const text = given.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
    if (text.includes("\0")) refuse("the file holds zero bytes, so it is no table of text: save the table as CSV in UTF-8.");
    if (!text.trim()) refuse("the file is empty: give a table with a row for each system and a column for each task.");
    if (/^\s*[{[]/.test(text)) refuse("this is JSON: 'selu submit FILE' reads it.");
    let grid = whole_(markdown(text) || separated(text.replace(/\n+$/, "")));
    if (grid.head.some((name) => name.toLowerCase() === "id") && grid.head.some((name) => /^(answer|prediction)$/i.test(name))) {
      refuse("these are predictions: 'selu submit FILE --task TASK' scores them.");
    }
    const comma = hasComma(grid.rows), [[line, row], ...others] = grid.rows;
    const heads = grid.head.map(number), namesNothing = heads.every((one) => one) && heads.some((one) => one.digits);
    if (!others.length && !namesNothing && !has(called(grid.head[0]), "SYSTEM", "TASK") && number(row[0])
      && row.every((field) => field && number(field) !== undefined)) {
      grid = { ...grid, head: ["system", ...grid.head], rows: [[line, ["score", ...row]]] };
    }
    const names = grid.head.map(called), scored = names.some((name) => has(name, "SCORE"));
    const texts = names.map((_, at) => at === 0 || scored || !numeric(at));
    const pick = (kind, not) => names.findIndex((name, at) => texts[at] && at !== not && has(name, kind));
    const system = pick("SYSTEM", -1);
    let task = pick("TASK", system);
    if (task < 0 && scored && system >= 0) task = pick("PART", system);
    const first = system < 0 ? firstTexts() : system;
    const found = system >= 0 && task >= 0 ? long(system, task) : wide(first, system < 0 && first === task);
    const [name, second] = found.systems;
    if (![...found.tasks.values()].some(Boolean)) refuse(`${file} holds no score: each field of a task is empty.`);
    if (second !== undefined) {
      refuse(`${file} has ${found.systems.size.toLocaleString("en-US")} systems, ${name} and ${second} among them: submit one system a file, with the `
        + "columns task and score.");
    }
    return { name: has(name.toLowerCase(), "NAMELESS") ? "" : name, scores: known(found.tasks, tasks, file) };
  }

  // -- tasks ----------------------------------------------------------------------------------------

  function known(given, tasks, file) {
    const id = (name) => name.toLowerCase().replace(/[^a-z0-9.]+/g, "-").replace(/^[-.]+|[-.]+$/g, "");
    const scores = {}, refused = [];
    for (const [name, one] of given) {
      const task = tasks.find((other) => id(other) === id(name)), place = one ? `${one.place}: ` : "";
      if (!task) refused.push(`${one ? one.place.split(",")[0] : file}: there is no task ${quoted(name)}; ${hint(name, tasks)}`);
      else if (task in scores) refused.push(`${place}${file} has two scores on ${task}: keep one of them.`);
      else if (one && !(one.value >= 0 && one.value <= 1)) {
        refused.push(`${place}${Number(one.value.toPrecision(6))} on ${task} is not in 0 to 1, the range of its scores; write `
          + "85.3 % as 0.853.");
      } else scores[task] = one && one.value;
    }
    if (refused.length) {
      refuse(refused[0] + (refused[1] ? ` In all, ${refused.length.toLocaleString("en-US")} rows can't be used.` : ""));
    }
    return Object.fromEntries(Object.entries(scores).filter(([, value]) => value !== null));
  }

  function hint(name, tasks) {
    const share = (task) => 2 * matched(task, name.toLowerCase()) / (task.length + name.length);
    const [near] = [...tasks].sort((a, b) => share(b) - share(a) || (a < b ? 1 : -1));
    const more = tasks.length > 8 ? ` and ${tasks.length - 8} more` : "";
    return share(near) >= 0.5 ? `did you mean '${near}'?` : `known: ${tasks.slice(0, 8).join(", ")}${more}.`;
  }

  /** How many letters two names share in blocks, the longest first, as Python's difflib counts them. */
  function matched(a, b) {
    let [from, to, size] = [0, 0, 0];
    for (let i = 0; i < a.length; i += 1) {
      for (let j = 0; j < b.length; j += 1) {
        let k = 0;
        while (i + k < a.length && j + k < b.length && a[i + k] === b[j + k]) k += 1;
        if (k > size) [from, to, size] = [i, j, k];
      }
    }
    return size && size + matched(a.slice(0, from), b.slice(0, to)) + matched(a.slice(from + size), b.slice(to + size));
  }

  return { decode, read };
})();
