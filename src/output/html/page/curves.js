/* Distributions over jobs: the share of jobs that are done, or started, within a time. */

const CURVES = [
  {
    key: "jct_s",
    title: "Completion time",
    axis: "completion time",
    unit: "s",
    least: 1,
    words: "from submission to finish; jobs that did not finish keep the curve below 100 %"
  },
  {key: "slowdown", title: "Slowdown", axis: "bounded slowdown", unit: "", least: 1, words: "completion time over the time that GPUs were held, at least 10 s"},
  {
    key: "wait_s",
    title: "Wait",
    axis: "wait",
    unit: "s",
    least: 1,
    words: "from submission to the first start; jobs that never started keep the curve below 100 %"
  },
];

const durationTicks =
    (low, high) => [1, 3, 10, 30, 60, 180, 600, 1800, 3600, 3 * 3600, 10 * 3600, 86400, 3 * 86400, 10 * 86400, 30 * 86400, 100 * 86400, 300 * 86400].filter(
        (v) => v >= low && v <= high);
const durationText = (v) => v < 60 ? `${v} s` : v < 3600 ? `${v / 60} min` : v < 86400 ? `${v / 3600} h` : `${v / 86400} d`;

/* The chosen one over the others, and over it those that coincide with it: shares of jobs differ by 1 % at most. */
function curveOrder(spec) {
  const all = DATA.policies.map((p) => ({p, c: p.curves && p.curves[spec.key]})).filter((d) => d.c && d.c.x.length),
        apart = ({c: a}, {c: b}) => d3.max([...a.x, ...b.x], (v) => Math.abs(shareWithin(a, v) - shareWithin(b, v))), isSame = (a, b) => apart(a, b) <= 0.01;
  const mine = all.find((d) => d.p === POLICY()), over = mine ? all.filter((d) => d !== mine && isSame(mine, d)) : [];
  const order = [...all.filter((d) => d !== mine && !over.includes(d)), ...[mine].filter(Boolean), ...over];
  return {order, groups: groupsOf(order, isSame).map((g) => g.map((d) => d.p))};
}

function drawCurve(svg, width, spec) {
  const height = Math.min(330, Math.max(230, width * 0.36)), box = frame(svg, width, height, {left: 52, right: 18, top: 30, bottom: 46});
  const {order, groups} = curveOrder(spec), steps = 4, values = order.flatMap((d) => [d.c.x[0], d.c.x[d.c.x.length - 1]]),
                low = Math.max(spec.least, d3.min(values)), high = Math.max(low * 1.5, d3.max(values));
  const x = d3.scaleLog().domain([low, high]).range([box.left, box.right]).clamp(true), y = d3.scaleLinear().domain([0, 1]).range([box.bottom, box.top]);
  leftAxis(svg, y, box, "share of all jobs", {values: [0, 0.25, 0.5, 0.75, 1], text: (v) => `${100 * v} %`});
  let ticks = spec.unit === "s" ? durationTicks(low, high) : logTicks(x);
  const room = Math.floor((box.right - box.left) / 52);
  if (ticks.length > room) ticks = ticks.filter((_, i) => i % Math.ceil(ticks.length / room) === 0);
  bottomAxis(svg, x, box, `${spec.axis}, logarithmic`, {values: ticks, text: spec.unit === "s" ? durationText : (v) => number(v, 3)});
  for (const {p, c} of order) {
    const line = d3.line().x((d, i) => x(Math.max(low, c.x[i]))).y((d, i) => y(c.share[i])).curve(d3.curveStepAfter);
    put(svg, "path", {
      class: "series",
      d: line(c.x),
      fill: "none",
      stroke: p.color,
      "stroke-width": p === POLICY() ? 3 : 1.6,
      "stroke-dasharray": layerDash(groups, p, dashOf(p))
    });
  }
  for (const {p, c} of order) { /* marks of one curve are beside those of the others, so that none hides one */
    const place = (i) => box.left + (i + (DATA.policies.indexOf(p) + 0.5) / DATA.policies.length) * (box.right - box.left) / steps;
    const within = d3.range(steps).map(place).filter((at) => x.invert(at) >= c.x[0] && x.invert(at) < c.x[c.x.length - 1]);
    if (isComparison())
      for (const at of within) drawMark(svg, p, at, y(shareWithin(c, x.invert(at))), 34);
  }
  const lines = svg.append("g"), rule = put(lines, "line", {y1: box.top, y2: box.bottom, stroke: "var(--faint)", visibility: "hidden"});
  put(svg, "rect", {x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top, fill: "transparent"})
      .on("pointermove",
          function() {
            const at = d3.mouse(this)[0], value = x.invert(at);
            rule.attr("x1", at).attr("x2", at).attr("visibility", null);
            showTip(d3.event.clientX, d3.event.clientY, strong(`within ${spec.unit ? quantity(value, spec.unit) : number(value)}`),
                definitions([...order].reverse().slice(0, 9).map(({p, c}) => [bdi(p.name, 24), percent(shareWithin(c, value))])));
          })
      .on("pointerleave", () => {
        rule.attr("visibility", "hidden");
        hideTip();
      });
}

function shareWithin(c, value) {
  const i = d3.bisectRight(c.x, value) - 1;
  return i < 0 ? 0 : c.share[i];
}

function quantileOf(c, share) {
  const i = c.share.findIndex((s) => s >= share);
  return i < 0 ? null : c.x[i];
}

function curveTable(spec) {
  const shares = [0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];
  return table({
    caption: `${spec.title} within which a share of all jobs is done`,
    rows: DATA.policies.filter((p) => p.curves && p.curves[spec.key]),
    chosen: (p) => p === POLICY(),
    columns: [
      text("policy", (p) => bdi(p.name, 30)), num("jobs", (p) => number(p.curves.jobs, 12)), num("with a value", (p) => number(p.curves[spec.key].count, 12)),
      ...shares.map((s) => ({
        title: percent(s),
        number: true,
        cell: (p) => {
          const v = quantileOf(p.curves[spec.key], s);
          return v === null ? "never" : spec.unit ? quantity(v, spec.unit) : number(v);
        }
      }))
    ]
  });
}

function curvesSection() {
  const policy = POLICY();
  if (!policy.curves) return [absent(policy.absent.curves)];
  const out = [];
  for (const spec of CURVES) {
    const c = policy.curves[spec.key];
    if (!c || c.x.length === 0) continue;
    const half = quantileOf(c, 0.5);
    out.push(make("h3", {}, spec.title), figure({
      label: `Share of jobs by ${spec.axis}. Under ${name(policy.name, 30)} half of all jobs are within ${
          half === null ? "no time" :
              spec.unit ? quantity(half, spec.unit) :
                          number(half)}.`,
      caption: `Over all rows of jobs.csv, ${HEAD().replications > 1 ? "all replications" : "one replication"}: ${spec.words}.${
          coincideText(curveOrder(spec).groups, "coincide", "one line in the colors of all, with the marks of each")}`,
      draw: (svg, width) => drawCurve(svg, width, spec),
      behind: () => curveTable(spec)
    }));
  }
  if (isComparison()) out.unshift(markLegend(DATA.policies, (p) => p.name + (p === policy ? " (thick)" : p.name === DATA.baseline ? " (baseline)" : "")));
  return out.length ? out : [absent("No job has a completion time.")];
}
