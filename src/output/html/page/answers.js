/* Five questions, each with its answer in words and a table; and the search for jobs and users. */

const PART_WORDS = {
  queued: "waited for its first start",
  capped: "waited for the power cap alone",
  setup: "set-up of its first start",
  run: "computed what is kept",
  slowed: "slowed down by neighbors",
  lost: "computed what was lost",
  resized: "set-up after a resize",
  preempted: "checkpoint, wait and set-up after a preemption",
  failed: "wait and set-up after a node failure",
  throttled: "slowed by the cap",
};
const CAUSE_WORDS = {
  "queued behind": "it waited for GPUs that other jobs held",
  "infeasible at submit": "even its fastest configuration was too slow",
  configuration: "it ran in slower configurations than its fastest",
  capped: "it waited for the power cap",
  slowed: "neighbors slowed it down",
};

const shellWord = (word) => /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/* Who held most GPU time in a stretch of time: [job, GPU seconds]. */
function holders(lanes, from, to) {
  const held = new Map();
  for (let i = 0; i < lanes.job.length; i++) {
    const length = Math.min(to, lanes.start_s[i] + lanes.length_s[i]) - Math.max(from, lanes.start_s[i]);
    for (let p = lanes.place[i]; length > 0 && p < lanes.place[i + 1]; p += 2)
      held.set(lanes.job[i], (held.get(lanes.job[i]) || 0) + length * lanes.gpus[p + 1]);
  }
  return [...held].sort((a, b) => b[1] - a[1]).slice(0, 5);
}

/* "22:21 h" since the start of a run of hours, else as the charts have it. */
const momentText = (at) => view.start === null && view.end >= 7200 ? `${Math.floor(Math.round(at / 60) / 60)}:${String(Math.round(at / 60) % 60).padStart(2, "0")}\u00a0h` : timeText(at);

/* The cap in a stretch of time, and the mean power under it. */
function capWhile({power}, from, to, when) {
  if (!power || !(to > from)) return "";
  const level = power.levels[power.levels.length - 1], rows = d3.range(...powerRange(level, from, to)), caps = rows.map((i) => level.cap_w && level.cap_w[i]).filter((w) => w !== null && w !== undefined);
  const length = (i) => Math.min(to, level.time_s[i + 1] ?? power.end_s) - Math.max(from, level.time_s[i]), mean = sum(rows.map((i) => level.power_w[i] * length(i))) / sum(rows.map(length));
  return caps.length === 0 ? `No power cap applied ${when}. ` : `The power cap was ${[...new Set(d3.extent(caps))].map((w) => quantity(w, "W")).join(" to ")} ${when}, and the cluster drew ${quantity(mean, "W")} in the mean. `;
}

function jobAnswer(policy, j) {
  const lanes = policy.lanes, until = j.start_s ?? endOf(policy), why = CAUSE_WORDS[j.cause] || (j.cause && `it was ${j.cause}`), waited = until > j.submit_s;
  const before = j.cause === "configuration" && j.start_s !== null && j.start_s > j.deadline_s ? "it was late before it started, and then " : "";
  const elsewhere = j.missed !== 0 ? [] : DATA.policies.filter((p) => p !== policy && p.jobs && !jobsDiffer([p, policy]) && p.jobs.due[p.jobs.id.indexOf(j.job_id)] === LATE);
  if (lanes) prepareLanes(policy);
  const held = lanes && waited ? holders(lanes, j.submit_s, until) : [];
  const place = DATA.comparison ? `${DATA.made.repeat.replace("/manifest.json", "")} --policy ${shellWord(policy.label)}` : shellWord(policy.folder);
  return [
    make("p", {}, "Job ", strong(bdi(j.job_id, 60)), " of user ", bdi(j.user || "(no name)", 40), `, submitted at ${momentText(j.submit_s)}, ${
        j.status === "rejected" ? "was rejected. " : `${j.start_s === null ? "never started" : `started at ${momentText(j.start_s)}`} and ${
            j.finish_s === null ? `was still ${j.status}` : `${j.status} at ${momentText(j.finish_s)},`} after ${seconds(j.time)}. `}`,
        j.deadline_s === null ? "It had no deadline. " : `Its deadline was ${momentText(j.deadline_s)}, ${seconds(j.deadline_s - j.submit_s)} after submission. `,
        strong(j.missed === 1 ? `It missed its deadline${j.late ? ` by ${seconds(j.late)}` : ""}${why ? `: ${before}${why}` : ""}. ` : ""),
        j.missed === 0 ? `It met its deadline${elsewhere.length ? `; it was late in ${namesOf(elsewhere)}` : ""}. ` : "",
        waited ? capWhile(policy, j.submit_s, until, "while it waited") : capWhile(policy, until, j.finish_s ?? endOf(policy), "while it ran")),
    j.parts && sum(j.parts) === 0 ? "" : j.parts ? table({
      caption: "Where its time went",
      rows: j.parts.map((s, i) => [policy.blame.parts[i], s]).filter((p) => p[1] > 0).sort((a, b) => b[1] - a[1]),
      columns: [text("what", (p) => PART_WORDS[p[0]]), num("time", (p) => seconds(p[1])), num("share", (p) => percent(p[1] / j.time))]
    }) : absent(policy.absent.blame || "Where its time went is not in this page."),
    held.length ? table({
      caption: "Who held most GPU time while it waited for its first start",
      rows: held,
      columns: [text("job", ([h]) => bdi(lanes.jobs.id[h], 40)), text("user", ([h]) => bdi(lanes.users[lanes.jobs.user[h]], 30)),
                text("submitted", ([h]) => lanes.jobs.submit_ms[h] > 1000 * j.submit_s ? "after it" : "before it"), num("held", (h) => quantity(h[1], "GPU s"))]
    }) : "",
    policy.blame ? make("p", {class: "note"}, "All that is known of it: ", make("code", {}, name(`easim explain ${place} --replication ${policy.replication} ${shellWord(j.job_id)}`, 400))) : ""
  ];
}

function lateAnswer(policy) {
  const {jobs} = policy, place = make("div", {id: "job-answer"});
  if (!jobs || jobs.id.length === 0) return [absent(policy.absent.curves)];
  const worse = (a, b) => jobs.late_ms[b] - jobs.late_ms[a] || (jobs.due[b] === LATE) - (jobs.due[a] === LATE) || jobs.time_ms[b] - jobs.time_ms[a] || a - b;
  const late = d3.range(jobs.id.length).filter((i) => jobs.due[i] === LATE), all = late.length ? late : d3.range(jobs.id.length);
  showJob.now = (j) => {
    const left = all.length - (late.length === 0 || jobs.due[j] === LATE), title = `${late.length === 0 ? "No job was late; other jobs" : jobs.due[j] === LATE ? "Other late jobs" : "Late jobs"}: ${number(left, 9)}`;
    place.replaceChildren(...jobAnswer(policy, jobAt(policy, j)), left === 0 ? make("p", {}, "No other job was late.") : tableBehind(title, () => table({
      caption: `${late.length ? "Latest after their deadlines" : "Longest in the system"} first${jobsLeft(policy)}`,
      rows: all.filter((i) => i !== j).sort(worse),
      item: (i) => jobAt(policy, i),
      columns: [text("job", (o) => make("button", {type: "button", onclick: () => showJob(o.job_id)}, bdi(o.job_id, 40))), text("user", (o) => bdi(o.user, 30)),
                ...late.length ? [num("late", (o) => seconds(o.late))] : [], num("waited", (o) => seconds(o.wait_s)), num("in the system", (o) => seconds(o.time))]
    })));
  };
  showJob.now(all.reduce((worst, i) => worse(worst, i) > 0 ? i : worst));
  return [place];
}

const jobsLeft = ({jobs}) => jobs && jobs.all > jobs.id.length ? `, of the first ${jobs.id.length} of ${jobs.all} jobs` : "";

function showJob(id) {
  showJob.now(POLICY().jobs.id.indexOf(id));
  explain($("answers"));
  $("answers").scrollIntoView();
}

const policyOf = (p) => p.manifest ? p.manifest.policy.name : p.name;
const isCapped = (p) => estimate(p, "cap_violation_s").mean !== null;
const exceeded = (p) => estimate(p, "cap_violation_s").mean || 0;
const capText = (p) => !isCapped(p) ? "none" : [...new Set(d3.extent((p.power && p.power.levels[0].cap_w) || []))].map((w) => quantity(w, "W")).join(" to ");

/* Whose mean completion time the cap raised most and least, in a sentence. */
function whoPaid(p, free) {
  const before = new Map(records(free.users).map((u) => [u.user, u.jct_mean_s])), rows = records(p.users)
      .filter((u) => u.jct_mean_s > 0 && before.get(u.user) > 0).map((u) => ({user: u.user, from: before.get(u.user), to: u.jct_mean_s}))
      .sort((a, b) => b.to - b.from - (a.to - a.from));
  const one = ({user, from, to}) => `${name(user, 30)} (${seconds(from)} to ${seconds(to)})`;
  return rows.length < 2 ? "" : make("p", {}, `Mean completion time by user: the largest change is that of ${one(rows[0])}, the least that of ${one(rows[rows.length - 1])}.`);
}

function capAnswer(policy) {
  const capped = DATA.policies.filter(isCapped), few = (all) => all.length > 4 ? `${all.length} of ${DATA.policies.length}` : namesOf(all);
  const freeOf = (p) => DATA.several && DATA.policies.find((q) => !isCapped(q) && policyOf(q) === policyOf(p));
  if (capped.length === 0) return [make("p", {}, "Nothing: no power cap holds in these results.")];
  const over = capped.filter((p) => exceeded(p) > 0), kept = capped.filter((p) => !over.includes(p)), paired = capped.filter(freeOf), alone = kept.filter((p) => !freeOf(p));
  const shown = kept.includes(policy) ? policy : kept[0] || (capped.includes(policy) ? policy : capped[0]);
  const waited = (p) => isCapped(p) && p.blame ? p.blame.sums_s[1] / 3600 : null;
  const moved = (p, m) => { /* " (+12 %)", of a share " (+3 points)" */
    const from = isCapped(p) && freeOf(p) ? estimate(freeOf(p), m).mean : null, to = estimate(p, m).mean, share = metricUnit(m) === "share", change = share ? 100 * (to - from) : to / from - 1;
    return !from || !Number.isFinite(change) || change === 0 ? "" : ` (${change > 0 ? "+" : ""}${share ? `${number(change)} points` : percent(change)})`;
  };
  return [
    make("p", {}, strong(`Under ${name(shown.name, 60)} a job that started had waited ${seconds(estimate(shown, "wait_mean_s").mean)} on average${
           freeOf(shown) ? `, without the cap ${seconds(estimate(freeOf(shown), "wait_mean_s").mean)}` : ""}.`), " ",
         shown.blame ? `For ${number(waited(shown))} job hours of waiting, ${percent(shown.blame.sums_s[1] / (sum(shown.blame.sums_s) || 1))} of the time of jobs in the system, free GPUs fitted a job and only the cap kept it from starting (replication ${shown.replication}); without the cap it might have waited for GPUs. A cap also makes jobs run slower. ` : "",
         jobsDiffer(paired.flatMap((p) => [freeOf(p), p])),
         alone.length ? `To see all that the cap cost under ${few(alone)}, run ${alone.length > 1 ? "each" : "it"} without a cap and report both folders together.` : ""),
    ...paired.map((p) => make("p", {}, strong(`${name(p.name, 60)} against ${name(freeOf(p).name, 60)}, without a cap: `), listed(
        ["jct_restricted_mean_s", "deadline_miss_rate", "energy_kwh", "cost"].filter((m) => estimate(p, m).mean !== null).map((m) => {
          const [from, to] = [freeOf(p), p].map((q) => quantity(estimate(q, m).mean, m === "cost" ? "" : metricUnit(m)));
          return `${metricLabel(m)} ${from === to ? `${to} in both` : `${from} to ${to}`}${moved(p, m)}`;
        })), ".")),
    ...paired.map((p) => whoPaid(p, freeOf(p))),
    over.length ? make("p", {}, strong(`${few(over)} ${over.length > 1 ? "do" : "does"} not keep to the cap`), ": such figures do not show what keeping to it would cost.") : "",
    table({
      caption: `Means with and without the cap${paired.length ? "; in brackets the change against the same policy without a cap" : ""}`,
      rows: DATA.policies,
      columns: [text(DATA.several ? "run" : "policy", (p) => bdi(p.name, 40)), num("cap", capText), num("GPUs free, cap in the way", waited, "job h"), num("above its cap", (p) => isCapped(p) ? seconds(exceeded(p)) : null),
                ...["jct_restricted_mean_s", "wait_mean_s", "jobs_finished", "jobs_rejected", "deadline_miss_rate", "energy_kwh", "energy_per_work_kwh", "cost"].filter((m) => DATA.policies.some((p) => estimate(p, m).mean))
                    .map((m) => [m, scale(metricUnit(m), d3.max(DATA.policies, (p) => estimate(p, m).mean))])
                    .map(([m, s]) => num(metricLabel(m), (p) => make("span", {}, number(estimate(p, m).mean * s.factor), moved(p, m) && make("br"), moved(p, m).trim()), s.unit))]
    })
  ];
}

/* From each value of a job hour on, the policy whose energy and time cost least. */
function cheapest(rows) {
  const out = [{from: 0, row: [...rows].sort((a, b) => a.energy - b.energy || a.hours - b.hours || exceeded(a.p) - exceeded(b.p))[0]}];
  for (;;) {
    const {row} = out[out.length - 1], next = rows.filter((r) => r.hours < row.hours)
        .map((r) => ({row: r, from: (r.energy - row.energy) / (row.hours - r.hours)})).sort((a, b) => a.from - b.from || a.row.hours - b.row.hours || exceeded(a.row.p) - exceeded(b.row.p))[0];
    if (!next) return out;
    out.push(next);
  }
}

function priceAnswer() {
  if (!isComparison()) return [absent("Only one policy is here: easim compare, or a report of several folders, shows which suits a price.")];
  const of = (p, m) => estimate(p, m).mean, known = DATA.policies.every((p) => of(p, "cost") !== null), place = make("div");
  const own = known ? of(DATA.policies[0], "cost") / of(DATA.policies[0], "energy_kwh") * 1000 : null, at = {price: own ?? 100, value: 1}, scaled = own > 0;
  const [low, high] = d3.extent(records(DATA.policies[0].series).filter((s) => s.time_s < endOf(DATA.policies[0])), (s) => s.price_per_mwh), flat = low !== undefined && low === high;
  const least = {price: scaled && !flat ? 0 : null, value: 0}, called = {price: "the price of electricity", value: "the worth of an hour"}, boxes = {};
  const box = (key, words, unit) => make("label", {}, words + " ", boxes[key] = make("input", {type: "number", step: "any", min: least[key], value: Number(at[key].toPrecision(4)), oninput: () => {
    const wrong = Object.keys(boxes).filter((k) => boxes[k].value === "" || !boxes[k].checkValidity());
    if (!wrong.includes(key)) at[key] = Number(boxes[key].value);
    if (wrong.length === 0) show();
    else place.replaceChildren(...wrong.map((k) => make("p", {}, `Expected ${called[k]} as a number${least[k] === 0 ? " from 0 on" : ""}, got ${boxes[k].value || "none"}.`)));
  }}), unit);
  const show = () => {
    const rows = DATA.policies.map((p) => ({
      p, hours: of(p, "jct_restricted_mean_s") / 3600 * of(p, "jobs_submitted"), /* energy as if all work were done */
      energy: (scaled ? of(p, "cost") * at.price / own : of(p, "energy_kwh") / 1000 * at.price) *
          of(p, "work_submitted_gpu_h") / (of(p, "work_submitted_gpu_h") - of(p, "work_unfinished_gpu_h"))
    })).filter((r) => Number.isFinite(r.energy)), all = (r) => r.energy + at.value * r.hours, best = rows.length ? cheapest(rows) : [];
    rows.sort((a, b) => all(a) - all(b) || exceeded(a.p) - exceeded(b.p));
    const keeps = rows.find((r) => exceeded(r.p) === 0), first = rows.filter((r) => all(r) === all(rows[0]) && exceeded(r.p) === exceeded(rows[0].p));
    place.replaceChildren(
        make("p", {}, strong(`${namesOf(first.map((r) => r.p))} ${first.length > 1 ? "cost" : "costs"} least at these numbers. `), ...best.length === 1 ? ["It does so whatever an hour is worth."] : best.flatMap((b, i) => [i === 0 ? `If an hour is worth less than ${number(best[1].from)}, ` : i === 1 ? "; from there " : `; from ${number(b.from)} `, i === 0 ? "" : best[i + 1] ? `to ${number(best[i + 1].from)} ` : "on ", bdi(b.row.p.name, 60), i === 0 ? " costs least" : "", best[i + 1] ? "" : "."]),
             ...best.filter((b) => exceeded(b.row.p) > 0).flatMap((b) => [" ", strong(bdi(b.row.p.name, 60), ` is above its power cap for ${seconds(exceeded(b.row.p))}.`)]),
             ...exceeded(rows[0].p) > 0 && keeps ? [" Of those that keep to their cap ", strong(bdi(keeps.p.name, 60), " costs least.")] : []),
        table({
          caption: "In the currency of the price, the least cost first. Unfinished work counts as if it took energy like the rest, unfinished jobs count up to the end",
          rows,
          columns: [text(DATA.several ? "run" : "policy", (r) => bdi(r.p.name, 40)), num("energy costs", (r) => r.energy), num("hours of all jobs (h)", (r) => r.hours), num("these cost", (r) => at.value * r.hours), num("cost of both", all),
                    ...rows.some((r) => exceeded(r.p) > 0) ? [num("above its cap", (r) => seconds(exceeded(r.p)))] : []]
        }));
  };
  const priceWords = own === null ? "The results have no price: 100 a MWh is an example." : `The first run paid ${number(own)} on average for a MWh that its cluster drew, PUE included. ${
      !scaled ? "No factor turns this into another price: the energy counts at the price in the box, at all hours alike." :
      flat ? "Its price never changed: another number takes its place." :
      `Another number multiplies the price at every time, so that this average becomes it: the price curve keeps its shape${low === undefined ? "" : `, from ${number(low)} to ${number(high)} before scaling`}.`}`;
  show();
  return [
    make("p", {}, "Type two numbers of yours, in one currency: what electricity costs, and what it is worth to you if a job finishes an hour sooner. The sentence and the table below them change; no other figure of this page does."),
    make("div", {class: "tools"}, box("price", "Electricity costs on average", " a MWh"), make("span", {class: "note"}, priceWords)),
    make("div", {class: "tools"}, box("value", "One hour less from submission to finish of one job is worth", ""),
         make("span", {class: "note"}, "The whole time from submission to finish counts, not the wait alone.")), place
  ];
}

function usedAnswer(policy) {
  const [most, ...others] = userRows(policy).sort((a, b) => b.share - a.share), of = (u) => bdi(u.user || "(no name)", 40);
  if (!most) return [absent(policy.absent.users)];
  return [make(
      "p", {}, strong("User ", of(most), `: ${percent(most.share)} of the energy of jobs`), ` under ${name(policy.name, 60)} (${quantity(most.energy_kwh, "kWh")}), ${percent(most.held)} of the GPU time, ${
          plural(most.jobs, "job", "jobs")}, in replication ${policy.replication}. `,
      ...others.slice(0, 4).flatMap((u, i) => [i ? ", " : "Then follow ", of(u), ` (${percent(u.share)})`]), others.length ? "." : "")];
}

function assumedAnswer() {
  const isEvidence = (a) => a.key === "models: evidence", all = HEAD().assumptions || [], assumed = all.filter((a) => !isEvidence(a)), known = d3.nest().key((p) => p.evidence).entries(PHYSICS().filter((p) => p.gpu_type && p.evidence));
  const line = (a) => make("li", {}, name(a.text, 400), " ", make("code", {}, name(a.key, 100)));
  return [
    make("p", {}, strong(plural(assumed.length, "assumption", "assumptions")), ", each with the key that changes it. ",
         known.length ? `Parameters of models on GPU types with stated evidence: ${listed(known.map((k) => `${k.values.length} ${k.key}`))}.` : ""),
    make("ul", {class: "note"}, ...assumed.map(line)), ...all.some(isEvidence) ? [make("p", {}, "How well the models are known:"), make("ul", {class: "note"}, ...all.filter(isEvidence).map(line))] : []
  ];
}

function answersSection() {
  return [["Why was a job late?", lateAnswer], ["What did the power cap cost?", capAnswer], ["Which policy suits my price?", priceAnswer], ["Who used most?", usedAnswer],
          ["What is assumed?", assumedAnswer]].flatMap(([title, answer]) => [make("h3", {}, title), ...answer(POLICY())]);
}

/* Jobs and users whose names have the text, those that are it first. */
function search(words) {
  const policy = POLICY(), wanted = words.toLowerCase().replace(/^(job|user) +/, ""), is = (f) => f[1].toLowerCase() === wanted;
  const all = [...records(policy.users).map((u) => ["user", u.user]), ...(policy.jobs ? policy.jobs.id : []).map((id) => ["job", id])];
  const found = wanted === "" ? [] : all.filter((f) => f[1].toLowerCase().includes(wanted)).sort((a, b) => is(b) - is(a));
  $("found").replaceChildren(...found.slice(0, 12).map(([kind, id]) => make(
      "li", {}, make("button", {type: "button", onclick: () => kind === "job" ? showJob(id) : showUser(id)}, kind + " ", bdi(id, 40)))),
      make("li", {}, wanted === "" ? "" : plural(found.length, "match", "matches") + jobsLeft(policy)));
}

/* The timeline lets through only this user, the attribution begins there. */
function showUser(user) {
  const a = POLICY().attribution, node = a && attributionTree(a).find((n) => n.level === 1 && n.name === user);
  filters.user = user;
  Object.assign(drill, {policy: POLICY().name, at: node ? node.id : 0});
  build();
  $(a ? "attribution" : "fairness").scrollIntoView();
}
