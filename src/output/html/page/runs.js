/* Runs or policies side by side on one time axis, and their jobs matched by id. */

const MOST_SIDES = 12;
const SIDES = {power_w: ["power", "W"], waiting: ["jobs waiting", ""], alloc_gpus: ["GPUs held", ""]};
let side = "power_w";

/* The same jobs: of one id and one time of submission. */
const jobKey = (j) => `${j.job_id}\n${j.submit_s}`;

function jobsDiffer(policies) {
  const [first, ...others] = policies.map((p) => new Set(jobsOf(p).map(jobKey)));
  return others.every((o) => o.size === first.size && [...o].every((k) => first.has(k))) ? "" :
      "These runs do not have the same jobs: differences between them are also due to that. ";
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
  const measures = {time: "time in the system", wait_s: "wait", energy_j: "energy"}, place = make("div"), by = new Map();
  DATA.policies.forEach((p, i) => jobsOf(p).forEach((j) => by.set(jobKey(j), Object.assign(by.get(jobKey(j)) || [], {[i]: j}))));
  const jobs = [...by.values()].map((of) => ({of, any: of.find(Boolean)})).filter(({of}) => of.filter(Boolean).length > 1);
  const show = (measure) => {
    const spread = ({of}) => d3.max(of, (j) => j && j[measure]) - d3.min(of, (j) => j && j[measure]) || 0;
    place.replaceChildren(table({
      caption: `${plural(jobs.length, "job", "jobs")} of two runs or more, matched by id and submission${jobsLeft(POLICY())}: ${measures[measure]}, the largest differences first`,
      rows: jobs.sort((a, b) => spread(b) - spread(a)),
      most: 60,
      columns: [text("job", ({any}) => bdi(any.job_id, 40)), text("user", ({any}) => bdi(any.user, 30)), text("submitted", ({any}) => momentText(any.submit_s)),
                ...DATA.policies.map((p, i) => num(bdi(p.name, 30), ({of}) => of[i] ? quantity(of[i][measure], measure === "energy_j" ? "J" : "s") : null))]
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
