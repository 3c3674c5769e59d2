/* What the page shows: JSON and columns of numbers, packed by easim report (docs/reference/outputs.md has its members). */

/* Undoes what src/output/html/packed.c did. */
function columnOf({packed, count, bytes, steps}, body) {
  const out = new Float64Array(count);
  for (let b = 0, half = 0.5; b < bytes; b++, half *= 256)
    for (let i = 0, at = packed + b * count; i < count; i++) out[i] += half * body[at + i];
  for (let i = 0, before = 0; i < count; i++) {
    const value = bytes && body[packed + i] & 1 ? -out[i] - 0.5 : out[i];
    before = out[i] = steps ? before + value : value;
  }
  return out;
}

/* Floats, of which there are the upper 24 bits; NaN of -1. */
const reals = (bits) => new Float32Array(Uint32Array.from(bits, (b) => 256 * b).buffer);

async function unpack(text) {
  if (!window.DecompressionStream)
    throw new Error("this browser cannot unpack its data. Chrome and Edge can from version 80 on, Firefox from 113 on, Safari from 16.4 on.");
  const packed = atob(text), bytes = new Uint8Array(packed.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const all = await new Response(stream).arrayBuffer().then((buffer) => new Uint8Array(buffer), () => {
    throw new Error("its data is damaged. Make or copy it again.");
  });
  const end = all.indexOf(0), body = all.subarray(end + 1);
  return JSON.parse(new TextDecoder().decode(all.subarray(0, end)), (_, value) => value && value.steps >= 0 && value.packed >= 0 ? columnOf(value, body) : value);
}

const DATA = await unpack($("data").textContent);
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

/* Jobs by number; times in ms, -1: none. */
const LATE = 3; /* of jobs.due: 0 no deadline, 1 not due, 2 kept, 3 missed */
const startOf = (jobs, i) => jobs.submit_ms[i] + Math.max(0, jobs.wait_ms[i]);
const finishOf = (jobs, i) => startOf(jobs, i) + jobs.rest_ms[i];

function prepareJobs({jobs, blame}, end) {
  jobs.id = Array.from(jobs.number, (n, i) => n < 0 ? jobs.heads[jobs.job_id[i]] : jobs.heads[jobs.job_id[i]] + n);
  if (jobs.energy_real) jobs.energy_j = reals(jobs.energy_real);
  jobs.time_ms = jobs.submit_ms.map((submit, i) => (jobs.rest_ms[i] < 0 ? end : finishOf(jobs, i)) - submit);
  jobs.late_ms = jobs.due.map((due, i) => due !== LATE ? 0 : jobs.rest_ms[i] >= 0 ? jobs.time_ms[i] - jobs.deadline_ms[i] : blame ? Math.max(0, blame.late_ms[i]) : 0);
}
for (const p of DATA.policies.filter((p) => p.jobs)) prepareJobs(p, Math.round(1000 * endOf(p)));

/* A job as an object, times in seconds; of a recorded run with the parts of its time. */
function jobAt({jobs, blame}, i) {
  const s = (ms) => ms < 0 ? null : ms / 1000, due = jobs.due[i], start = jobs.wait_ms[i] < 0 ? -1 : startOf(jobs, i), finish = jobs.rest_ms[i] < 0 ? -1 : finishOf(jobs, i);
  const parts = blame && blame.parts.map((part) => blame.of_ms[part] ? blame.of_ms[part][i] : 0);
  if (parts && start >= 0) { /* all of its time but the other parts it computed */
    parts[0] += jobs.wait_ms[i];
    parts[blame.parts.indexOf("run")] = jobs.time_ms[i] - sum(parts);
  }
  return {
    job_id: jobs.id[i], user: jobs.users[jobs.user[i]], status: jobs.statuses[jobs.status[i]], submit_s: jobs.submit_ms[i] / 1000, start_s: s(start), finish_s: s(finish), wait_s: s(jobs.wait_ms[i]),
    deadline_s: due ? (jobs.submit_ms[i] + jobs.deadline_ms[i]) / 1000 : null, missed: due > 1 ? due - 2 : null, late: jobs.late_ms[i] / 1000 || null, time: jobs.time_ms[i] / 1000,
    cause: blame ? blame.causes[blame.cause[i]] : null, parts: parts && parts.map((ms) => ms / 1000)
  };
}

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
