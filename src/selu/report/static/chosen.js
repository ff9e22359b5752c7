"use strict";
/* A ranking over chosen tasks, as stats/chosen.py and stats/draws.py make it: the same draws, and the same sums in the
   same order, so that both give the same numbers; and a file of scores, read as sources/submission.py reads it. */
const Chosen = (() => {
  const ONE = 2 ** 32;

  /** Gamma numbers: a row for the prior (shape 1/2), then one for each observation (shape 1). */
  function gammas(observations, draws, seed) {
    let state = seed >>> 0;
    const word = () => {
      state = (state + 0x9e3779b9) >>> 0;
      let x = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
      x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
      return (x ^ (x >>> 15)) >>> 0;
    };
    const exponential = () => {
      for (let whole = 0; ; whole += 1) {
        const first = word();
        let last = first, falling = 1, number;
        while ((number = word()) < last) [last, falling] = [number, falling + 1];
        if (falling % 2) return whole + first / ONE;
      }
    };
    const arcsine = () => {
      for (;;) {
        const x = word() >>> 16, y = word() >>> 16, square = x * x + y * y;
        if (square > 0 && square < ONE) return x * x / square;
      }
    };
    const found = Array.from({ length: 1 + observations }, () => new Float64Array(draws));
    for (let draw = 0; draw < draws; draw += 1) {
      found[0][draw] = exponential() * arcsine();
      for (let place = 1; place <= observations; place += 1) found[place][draw] = exponential();
    }
    return found;
  }

  function scaled(weights) {
    let total = 0;
    for (const weight of weights) total += weight;
    return weights.map((weight) => weight * weights.length / total);
  }

  function average(values, weights) {
    let total = 0;
    values.forEach((value, at) => { total += weights[at] * value; });
    return total / values.length;
  }

  function deviation(values, weights, mean) {
    if (values.length < 2) return null;
    let total = 0;
    values.forEach((value, at) => { total += weights[at] * (value - mean) * (value - mean); });
    return Math.sqrt(total / (values.length - 1));
  }

  function interval(values, weights, draws, tasks) {
    if (values.length < 2) return [null, null];
    const size = draws[0].length, means = new Float64Array(size), below = new Float64Array(size);
    values.forEach((value, at) => { // task by task, since a task's draws lie side by side
      const weight = weights[at], row = draws[1 + tasks[at]];
      for (let draw = 0; draw < size; draw += 1) {
        const mass = weight * row[draw];
        means[draw] += mass * value;
        below[draw] += mass;
      }
    });
    for (let draw = 0; draw < size; draw += 1) means[draw] /= below[draw];
    means.sort();
    const place = Math.floor(0.025 * size);
    return [means[place], means[size - 1 - place]];
  }

  function winRates(scores, weights, chosen) {
    return scores.map((row, system) => {
      let above = 0, below = 0;
      for (const task of chosen) {
        const others = scores.filter((_, at) => at !== system).map((of) => of[task]).filter((one) => one !== null);
        if (row[task] === null || !others.length) continue;
        const won = others.filter((one) => one < row[task]).length + 0.5 * others.filter((one) => one === row[task]).length;
        above += weights[task] * (won / others.length);
        below += weights[task];
      }
      return below ? above / below : null;
    });
  }

  /** Systems by their weighted mean; those that lack a chosen task after all others. */
  function ranking(scores, weights, draws) {
    const chosen = weights.flatMap((weight, task) => (weight > 0 ? [task] : []));
    const rates = winRates(scores, weights, chosen), found = [];
    scores.forEach((row, system) => {
      const tasks = chosen.filter((task) => row[task] !== null);
      if (!tasks.length) return;
      const values = tasks.map((task) => row[task]), each = scaled(tasks.map((task) => weights[task]));
      const mean = average(values, each), [low, high] = interval(values, each, draws, tasks);
      const missing = chosen.filter((task) => row[task] === null);
      found.push({ system, mean, sd: deviation(values, each, mean), low, high, winRate: rates[system], missing });
    });
    const key = (one) => Math.floor(one.mean * 1e12 + 0.5);
    found.sort((a, b) => a.missing.length - b.missing.length || key(b) - key(a) || (a.sd || 0) - (b.sd || 0));
    const level = (a, b) => a.missing.length === b.missing.length && key(a) === key(b);
    return found.map((one) => ({ rank: found.findIndex((other) => level(one, other)) + 1, ...one }));
  }

  /** One system against another by the Bayesian signed-rank test; null where there is nothing to test. */
  function against(a, b, weights, rope, draws) {
    const tasks = weights.flatMap((weight, at) => (weight > 0 && a[at] !== null && b[at] !== null ? [at] : []));
    if (tasks.length < 2) return null;
    const [first, second] = [a, b].map((row) => tasks.map((task) => row[task]));
    const each = scaled(tasks.map((task) => weights[task]));
    const [one, two] = [first, second].map((values) => deviation(values, each, average(values, each)));
    const width = rope * Math.sqrt((one * one + two * two) / 2);
    if (width === 0) return null;
    const points = [[0, 1, 0], ...tasks.map((task, at) => [first[at] - second[at], each[at], 1 + task])];
    points.sort((x, y) => x[0] - y[0] || x[2] - y[2]);
    const [lower, upper] = [
      points.map(([z]) => points.filter(([other]) => z + other < -2 * width).length),
      points.map(([z]) => points.filter(([other]) => z + other <= 2 * width).length),
    ];
    const size = points.length, below = new Float64Array(size + 1), masses = new Float64Array(size);
    const heavy = Float64Array.from(points, (point) => point[1]), rows = points.map((point) => draws[point[2]]);
    const total = draws[0].length;
    let better = 0, worse = 0;
    for (let draw = 0; draw < total; draw += 1) {
      for (let at = 0; at < size; at += 1) {
        masses[at] = heavy[at] * rows[at][draw];
        below[at + 1] = below[at] + masses[at];
      }
      let left = 0, right = 0;
      for (let at = 0; at < size; at += 1) {
        left += masses[at] * below[lower[at]];
        right += masses[at] * (below[size] - below[upper[at]]);
      }
      const equal = below[size] * below[size] - left - right;
      if (right > left && right > equal) better += 1;
      else if (left >= right && left >= equal) worse += 1;
    }
    return { better: better / total, equal: (total - better - worse) / total, worse: worse / total, rope: width, tasks: tasks.length };
  }

  // -- a file of scores ---------------------------------------------------------------------------

  const LINES = 1000, NAMES = ["system", "name", "model"], SCORES = ["score", "published"];
  const NUMBER = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
  const short = (text) => `'${text.slice(0, 80)}'`;
  const refuse = (sentence) => { throw new Error(sentence); };

  /** Rows of fields with their lines: separated by commas, semicolons or tabs, as files.py reads them. */
  function table(text) {
    const lines = text.split("\n"), begin = lines.findIndex((line) => line.trim());
    const named = /^"?sep=(.)"?[ ,;\t]*$/.exec(lines[begin].trimStart()), plain = lines[begin].replace(/"(?:[^"]|"")*"/g, "");
    const often = (sign) => plain.split(sign).length;
    const separator = named ? named[1] : [",", ";", "\t"].reduce((a, b) => (often(b) > often(a) ? b : a));
    const rows = [];
    let fields = [], field = "", quoted = false, fresh = true, line = named ? begin + 2 : 1, began = line;
    if (named) text = lines.slice(begin + 1).join("\n");
    const next = () => { fields.push(field.trim()); [field, fresh] = ["", true]; };
    const end = () => {
      next();
      if (fields.some(Boolean)) rows.push([began, fields]);
      fields = [];
    };
    for (let at = 0; at < text.length; at += 1) {
      const sign = text[at];
      if (quoted && sign === '"' && text[at + 1] === '"') { field += sign; at += 1; }
      else if (sign === '"' && (quoted || fresh)) [quoted, fresh] = [!quoted, false];
      else if (!quoted && sign === separator) next();
      else if (!quoted && sign === "\n") { end(); line += 1; began = line; }
      else { if (sign === "\n") line += 1; field += sign; fresh = false; }
    }
    if (quoted) refuse(`row ${began} is no CSV: a quotation mark is not closed.`);
    if (field || fields.length) end();
    return rows.length ? rows : [[line, []]];
  }

  /** Rows of a Markdown table: without what makes a text bold, and with a dash for an empty field. */
  function markdown(text) {
    const rows = text.split("\n").map((line, at) => [at + 1, line.trim()]).filter(([, line]) => line);
    if (rows.length > 1 && /^[|:\- ]+$/.test(rows[1][1])) rows.splice(1, 1);
    return rows.map(([at, line]) => {
      if (!line.startsWith("|")) refuse(`row ${at} begins with no '|', as those before it: give the table alone.`);
      const fields = line.replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((field) => field.trim().replace(/^[*`]+|[*`]+$/g, ""));
      return [at, fields.map((field) => (["-", "\u2013"].includes(field) ? "" : field.replaceAll("\\|", "|")))];
    });
  }

  /** Scores in 0..1 by task, and what the file calls the system; an Error names row and column of what is wrong. */
  function read(text, tasks) {
    text = text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
    if (!text.trim()) refuse("there is no text: give a CSV with the columns task and score.");
    if (text.includes("\0")) refuse("row 1 holds zero bytes, as UTF-16 does: save the file as UTF-8.");
    if (/^[{[]/.test(text.trimStart())) refuse("this is JSON: 'selu submit FILE' reads it.");
    const form = text.trimStart().startsWith("|") ? markdown : table;
    const [[first, names], ...rows] = form(text), head = names.map((name) => name.toLowerCase());
    head.forEach((name, at) => {
      if (head.indexOf(name) < at) refuse(`row ${first} has the column ${short(name)} twice: keep one of them.`);
    });
    if (head.includes("id")) refuse("these are predictions: 'selu submit FILE --task TASK' scores them.");
    if (rows.length > LINES) {
      refuse(`the text has ${rows.length.toLocaleString("en-US")} rows: scores take one row a task, at most 1,000 rows.`);
    }
    if (!rows.length) refuse(`row ${first} names the columns, and no row comes after it: give at least one score.`);
    for (const [line, row] of rows) {
      if (row.length !== head.length) {
        refuse(`row ${line} has ${row.length} columns, row ${first} has ${head.length}: give every row as many.`);
      }
    }
    const found = (head.includes("task") ? long : wide)(head, rows, tasks, first);
    if (!Object.keys(found.scores).length) refuse("every score is empty: give at least one.");
    return found;
  }

  function long(head, rows, tasks, first) {
    const column = SCORES.find((name) => head.includes(name));
    if (!column) {
      refuse(`row ${first} has a column task, but no column score (it has ${head.join(", ").slice(0, 120)}): name the column `
        + "of your scores score.");
    }
    const scores = {}, seen = {}, called = head.findIndex((name) => NAMES.includes(name));
    const name = called < 0 ? "" : rows[0][1][called];
    for (const [line, row] of rows) {
      if (called >= 0 && row[called] !== name) {
        refuse(`row ${line}, column ${head[called]}: ${short(row[called])} is another system than ${short(name)} in row `
          + `${rows[0][0]}; give one system.`);
      }
      const task = known(row[head.indexOf("task")], tasks, line, "task");
      if (seen[task]) refuse(`row ${line}, column task: ${task} stands in row ${seen[task]}, too; keep one of them.`);
      seen[task] = line;
      const value = score(row[head.indexOf(column)], line, column);
      if (value !== null) scores[task] = value;
    }
    return { name, scores };
  }

  function wide(head, rows, tasks, first) {
    if (head.some((name) => NUMBER.test(name))) {
      refuse(`row ${first} has numbers and names no columns: begin with a row task,score.`);
    }
    const columns = head.map((column) => (NAMES.includes(column) ? null : known(column, tasks, first, column)));
    if (rows.length > 1) refuse(`row ${rows[1][0]} is a second system: give one system.`);
    const [line, row] = rows[0], scores = {};
    columns.forEach((task, at) => {
      if (task !== null && columns.indexOf(task) < at) {
        refuse(`row ${first}, column ${head[at].slice(0, 80)}: ${task} has a column already; keep one of them.`);
      }
      const value = task === null ? null : score(row[at], line, head[at]);
      if (value !== null) scores[task] = value;
    });
    const called = head.findIndex((name) => NAMES.includes(name));
    return { name: called < 0 ? "" : row[called], scores };
  }

  function known(text, tasks, line, column) {
    const name = text.toLowerCase().replace(/[ -]/g, "_");
    if (tasks.includes(name)) return name;
    const [close, far] = tasks.map((task) => [task, distance(name, task)]).sort((a, b) => a[1] - b[1])[0];
    const more = tasks.length > 8 ? ` and ${tasks.length - 8} more` : "";
    const hint = far <= close.length / 2 ? `did you mean '${close}'?` : `known: ${tasks.slice(0, 8).join(", ")}${more}.`;
    return refuse(`row ${line}, column ${column.slice(0, 80)}: there is no task ${short(text)}; ${hint}`);
  }

  /** How many letters have to change to make one name another. */
  function distance(a, b) {
    let row = Array.from({ length: b.length + 1 }, (_, at) => at);
    for (const [at, letter] of [...a.slice(0, 80)].entries()) {
      const next = [at + 1];
      for (let on = 0; on < b.length; on += 1) {
        next.push(Math.min(row[on] + (letter !== b[on]), row[on + 1] + 1, next[on] + 1));
      }
      row = next;
    }
    return row[b.length];
  }

  function score(text, line, column) {
    if (!text) return null;
    const place = `row ${line}, column ${column.slice(0, 80)}`;
    const value = NUMBER.test(text) ? Number(text) : Infinity;
    if (!Number.isFinite(value)) refuse(`${place}: ${short(text)} is no number; write it like 0.853.`);
    if (value < 0 || value > 1) {
      refuse(`${place}: ${text.slice(0, 80)} is not in 0 to 1, where all scores lie; write 85.3 % as 0.853.`);
    }
    return value;
  }

  return { gammas, ranking, against, read };
})();
