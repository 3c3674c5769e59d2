/* What the page shows: one JSON object, written by easim report (docs/reference/outputs.md has its members). */

const DATA = JSON.parse($("data").textContent);
for (const key of ["name", "command", "baseline", "pareto", "replications", "partial"]) DATA[key] = DATA.manifest[key] ?? null;
DATA.pareto = DATA.pareto || [];
DATA.several = DATA.policies.length > 1 && !DATA.comparison;
const state = {policy: 0};
/* Runs of one policy are called by their folders: what all of these begin with is left out. nth: of those of one color. */
const paths = DATA.policies.map((p) => p.name.split("/"));
let shared = 0;
while (DATA.several && paths.every((w) => w.length > shared + 1 && w[shared] === paths[0][shared])) shared++;
DATA.policies.forEach((p, i) => Object.assign(p, {
  label: p.name, name: paths[i].slice(shared).join("/"), nth: DATA.policies.slice(0, i).filter((q) => q.color === p.color).length
}));
const POLICY = () => DATA.policies[state.policy];
const isComparison = () => DATA.policies.length > 1;
/* What made what is shown: of several runs, each has its own manifest and models. */
const HEAD = () => DATA.several ? POLICY().manifest : DATA.manifest;
const PHYSICS = () => DATA.several ? POLICY().physics : DATA.physics;
const endOf = (policy) => [policy.power, policy.lanes, policy.heat].map((part) => part && part.end_s).find(Boolean) || 0;

/* A table of a file as objects by the names of its columns. */
function records(tableOf) {
  if (!tableOf) return [];
  return tableOf.rows.map((row) => Object.fromEntries(tableOf.columns.map((c, i) => [c, row[i]])));
}

function estimate(policy, metric) {
  const e = policy.estimates[metric];
  return e ? {n: e[0], mean: e[1], ci95: e[2]} : {n: 0, mean: null, ci95: null};
}

/* The row of compare.csv of a policy and a metric. */
const differences = new Map();
function difference(policy, metric) {
  if (DATA.comparison && differences.size === 0)
    for (const row of records(DATA.comparison.compare)) differences.set(row.metric + "\n" + row.policy, row);
  return differences.get(metric + "\n" + policy.name) || null;
}

/* Better or worse than the baseline by Holm's p < 0.05: 1, -1; else 0. */
function verdict(policy, metric) {
  const row = difference(policy, metric), better = (DATA.metrics[metric] || {}).better;
  if (!row || row.p_holm === null || !(row.p_holm < 0.05) || !row.diff_mean || !better) return 0;
  return (row.diff_mean < 0) === (better === "less") ? 1 : -1;
}

/* Numbers of 16 bits each, as shares of 65535. */
function shares16(text) {
  const bytes = atob(text), out = new Uint16Array(bytes.length / 2);
  for (let i = 0; i < out.length; i++) out[i] = bytes.charCodeAt(2 * i) | bytes.charCodeAt(2 * i + 1) << 8;
  return out;
}

const sum = (values) => values.reduce((a, b) => a + (b || 0), 0);

/* Colours go to the largest; all others share the last one. */
const COLORS = 8;
function palette(names, weights) {
  const order = names.map((_, i) => i).sort((a, b) => weights[b] - weights[a]);
  const places = new Uint8Array(names.length).fill(COLORS);
  order.slice(0, COLORS).forEach((index, place) => {
    places[index] = place;
  });
  return {places, order};
}
