"use strict";
/* A ranking over chosen tasks, as stats/chosen.py and stats/draws.py make it: the same draws, and the same sums in the
   same order, so that both give the same numbers. */
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

  return { gammas, ranking, against };
})();
