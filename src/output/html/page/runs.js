/* Runs or policies side by side on one time axis, and their jobs matched by id. */

const MOST_SIDES = 12;
const SIDES = {power_w: ["power", "W"], waiting: ["jobs waiting", ""], alloc_gpus: ["GPUs held", ""]};
let side = "power_w";

/* The numbers of the same job, of one id and one time of submission, in each run; most runs have their jobs in the same order. */
function matches(policies) {
  const [{jobs}, ...others] = policies, by = new Map();
  if (others.every((p) => p.jobs.id.length === jobs.id.length && p.jobs.id.every((id, i) => id === jobs.id[i] && p.jobs.submit_ms[i] === jobs.submit_ms[i])))
    return jobs.id.map((_, i) => policies.map(() => i));
  policies.forEach((p, place) => p.jobs.id.forEach((id, i) => {
    const key = `${id}\n${p.jobs.submit_ms[i]}`;
    if (!by.has(key)) by.set(key, policies.map(() => -1));
    by.get(key)[place] = i;
  }));
  return [...by.values()];
}

function jobsDiffer(policies) {
  const runs = policies.filter((p) => p.jobs);
  return runs.length === 0 || matches(runs).every((of) => !of.includes(-1)) ? "" : "These runs do not have the same jobs: differences between them are also due to that. ";
}

function plotSide(context, policy, most) {
  const {svg, box} = context, s = scale(SIDES[side][1], most), steps = powerSteps(context, policy.power), {level} = steps;
  const y = d3.scaleLinear().domain([0, most * 1.06]).range([box.bottom, box.top]);
  leftAxis(svg, y.copy().domain([0, most * 1.06 * s.factor]), box, `${name(policy.name, 40)}: ${SIDES[side][0]}${s.unit ? ` (${s.unit})` : ""}`, {ticks: 3});
  const g = clipped(context, `clip-side-${DATA.policies.indexOf(policy)}`);
  drawSteps(g, steps, level[side], y, policy.color, 1.4);
  if (side === "power_w" && level.cap_w) drawSteps(g, steps, level.cap_w, y, "var(--warm)", 1.4, "6 3");
}

function matchedJobs() {
  const measures = {time: "time in the system", wait_s: "wait", energy_j: "energy"}, place = make("div"), runs = DATA.policies.filter((p) => p.jobs);
  const jobs = matches(runs).filter((of) => of.filter((i) => i >= 0).length > 1);
  const values = {time: (j, i) => j.time_ms[i] / 1000, wait_s: (j, i) => j.wait_ms[i] < 0 ? null : j.wait_ms[i] / 1000, energy_j: (j, i) => j.energy_j[i]};
  const show = (measure) => {
    const value = (i, p) => i < 0 ? null : values[measure](runs[p].jobs, i), apart = ([low, high]) => high - low || 0;
    place.replaceChildren(table({
      caption: `${plural(jobs.length, "job", "jobs")} of two runs or more, matched by id and submission${jobsLeft(POLICY())}: ${measures[measure]}, the largest differences first`,
      rows: jobs.map((of) => ({of, apart: apart(d3.extent(of, value))})).sort((a, b) => b.apart - a.apart),
      item: ({of}) => {
        const first = of.findIndex((i) => i >= 0);
        return {of, any: jobAt(runs[first], of[first])};
      },
      most: 60,
      columns: [text("job", ({any}) => bdi(any.job_id, 40)), text("user", ({any}) => bdi(any.user, 30)), text("submitted", ({any}) => momentText(any.submit_s)),
                ...runs.map((p, r) => num(bdi(p.name, 30), ({of}) => quantity(value(of[r], r), measure === "energy_j" ? "J" : "s")))]
    }));
  };
  show("time");
  return [make("h3", {}, "The same jobs in every run"), make("p", {}, jobsDiffer(DATA.policies)), chooser("Measure", Object.entries(measures), "time", show), place];
}

function runsSection() {
  const shown = DATA.policies.filter((p) => p.power).slice(0, MOST_SIDES);
  const most = () => d3.max(shown, (p) => d3.max(p.power.levels[0][side === "power_w" ? "high_w" : side])) || 1;
  const sides = shown.map((p) => timeChart({
    label: `${name(p.name, 40)}: power, jobs waiting or GPUs held over time, on the time axis of all runs`,
    height: 150,
    plot: (c) => plotSide(c, p, most()),
    hover: (at, px, py, c) => powerTip(at, c, p.power)
  }));
  return [
    timeTools("Time shown in the charts side by side"),
    chooser("Quantity", Object.entries(SIDES).map(([key, [words]]) => [key, words]), side, (v) => {
      side = v;
      sides.forEach((s) => s.context.redraw());
    }),
    make("figure", {}, ...sides.map((s) => s.holder), make("figcaption", {}, `Replication ${POLICY().replication} of each${
        shown.length < DATA.policies.length ? `, ${shown.length} of ${DATA.policies.length}` : ""}, on one scale. The dashed line is the cap.`)),
    ...(POLICY().jobs ? matchedJobs() : [])
  ];
}
