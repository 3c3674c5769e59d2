/* What the figures rest on: parameters of the models with their evidence, and how sure that makes
   the differences. */

function physicsSection() {
  const out = [], models = DATA.models;
  if (models.length === 0)
    out.push(
        absent("There are no models: every job has a fixed duration, and power is that of the GPU types."));
  else
    out.push(table({
      caption: "How well the models are known, by model and GPU type",
      rows: models,
      columns: [
        {title: "model", cell: (m) => bdi(m.model, 40)},
        {title: "GPU type", cell: (m) => bdi(m.gpu_type, 30)}, {title: "form", cell: (m) => m.form},
        {title: "weakest evidence", cell: (m) => m.weakest_evidence}, {
          title: "error in the sample",
          number: true,
          cell: (m) => m.mape_in_sample === null ? null : percent(m.mape_in_sample)
        },
        {
          title: "error, left out",
          number: true,
          cell: (m) => m.mape_leave_one_out === null ? null : percent(m.mape_leave_one_out)
        },
        {title: "measured range", cell: (m) => m.measured_range ? "stated" : "not stated"}
      ]
    }));
  if (DATA.physics.length)
    out.push(make(
        "details", {}, make("summary", {}, `All ${DATA.physics.length} parameters with evidence and source`),
        table({
          caption: "Parameters of the models",
          rows: DATA.physics,
          most: 1000,
          tall: true,
          columns: [
            {title: "model", cell: (p) => bdi(p.model, 40)},
            {title: "GPU type", cell: (p) => p.gpu_type ? bdi(p.gpu_type, 30) : "all"},
            {title: "parameter", cell: (p) => make("code", {}, name(p.parameter, 40))},
            {title: "value", cell: (p) => name(p.value, 60)},
            {title: "evidence", cell: (p) => bdi(p.evidence, 40)},
            {title: "source", wide: true, cell: (p) => bdi(p.source, 300)}
          ]
        })));
  return out;
}

const MOST_SHARE = 2; /* on the axis of the budget */

function drawBudget(svg, width, rows) {
  const room = nameRoom(rows.map((r) => r.source), width), each = 24, height = rows.length * each + 50,
        box = frame(svg, width, height, {left: room, right: 16, top: 8, bottom: 42});
  const x =
      d3.scaleLinear()
          .domain([0, Math.min(MOST_SHARE, Math.max(1, d3.max(rows, (r) => Math.max(r.share || 0, r.ci_high || 0))))])
          .range([box.left, box.right])
          .clamp(true);
  bottomAxis(svg, x, box, "share of the variance (%)", {text: (v) => number(100 * v)});
  rows.forEach((r, i) => {
    const at = box.top + (i + 0.5) * each, g = svg.append("g").datum(r),
          main = ["physics", "workload", "residual"].includes(r.source);
    svg.append("text")
        .attr("x", room - 10)
        .attr("y", at + 4)
        .attr("text-anchor", "end")
        .attr("class", main ? "strong" : null)
        .text(fitName(r.source, room));
    if (r.share === null) return;
    g.append("rect")
        .attr("x", box.left)
        .attr("y", at - 7)
        .attr("height", 14)
        .attr("width", Math.max(1, x(r.share) - box.left))
        .attr("fill", main ? "var(--accent)" : "var(--c4)");
    if (r.ci_low !== null && r.ci_high !== null)
      g.append("line")
          .attr("x1", x(r.ci_low))
          .attr("x2", x(r.ci_high))
          .attr("y1", at)
          .attr("y2", at)
          .attr("stroke", "var(--ink)")
          .attr("stroke-width", 1.5);
    withTip(
        g, `${name(r.source)}: ${percent(r.share)} of the variance`,
        () => [strong(bdi(r.source)), definitions([
                 ["share", percent(r.share)],
                 [
                   "95 % interval",
                   r.ci_low === null ? "\u2013" : `${percent(r.ci_low)} to ${percent(r.ci_high)}`
                 ]
               ])]);
  });
}

function uncertaintySection() {
  const comparison = DATA.comparison;
  if (!comparison || !comparison.budget || !comparison.differences)
    return [
      absent(
          "No uncertainty budget: the scenario has no key uncertainty, or these are not the results of easim compare (docs/uncertainty.md).")
    ];
  const policy = POLICY(), about = records(comparison.differences).filter((r) => r.policy === policy.name),
        budget = records(comparison.budget).filter((r) => r.policy === policy.name);
  if (about.length === 0)
    return [absent(
        `${name(policy.name, 40)} is the baseline: differences are those of the other policies from it.`)];
  const usable = [...new Set(
            about
                .filter(
                    (r) => r.diff_mean !== null && DATA.metrics[r.metric] && DATA.metrics[r.metric].better)
                .map((r) => r.metric))],
        place = make("div");
  let metric = usable.includes("energy_per_work_kwh") ? "energy_per_work_kwh" : usable[0];
  const show = () => {
    const d = about.find((r) => r.metric === metric), rows = budget.filter((r) => r.metric === metric),
          s = scale(metricUnit(metric), Math.abs(d.base_mean || d.diff_mean));
    place.replaceChildren(
        make(
            "p", {}, `${metricLabel(metric)}: `,
            strong(`${number(d.diff_mean * s.factor)}${
                d.diff_ci95 === null ? "" : ` \u00b1 ${number(d.diff_ci95 * s.factor, 2)}`} ${s.unit}`),
            ` against ${name(DATA.baseline, 40)} (${
                d.diff_rel === null ? "\u2013" : percent(d.diff_rel)}) over ${
                plural(d.worlds, "world", "worlds")} and ${plural(d.replications, "workload", "workloads")}`,
            d.p_better === null ? "." : `; better in ${percent(d.p_better)} of the worlds (p < 0.05).`),
        figure({
          label: `Where the variance of the difference in ${metricLabel(metric)} comes from`,
          caption: [
            "Shares of physics, workload and what they do only together; below, the total effect of each group of parameters in the variance of physics. Lines are 95 % intervals.",
            rows.some((r) => Math.max(r.share || 0, r.ci_high || 0) > MOST_SHARE) ?
                ` What is above ${percent(MOST_SHARE)} is cut; estimates above 100 % say that the worlds are too few.` :
                ""
          ],
          draw: (svg, width) => drawBudget(svg, width, rows),
          behind: () => table({
            caption: "Uncertainty budget",
            rows,
            columns: [
              {title: "source", cell: (r) => bdi(r.source, 60)},
              {title: "share", number: true, cell: (r) => r.share === null ? null : percent(r.share)},
              {title: "from", number: true, cell: (r) => r.ci_low === null ? null : percent(r.ci_low)},
              {title: "to", number: true, cell: (r) => r.ci_high === null ? null : percent(r.ci_high)}
            ]
          })
        }));
    drawCharts();
  };
  show();
  return [
    make(
        "div", {class: "tools"},
        select(
            "Metric", usable.map((m) => [m, metricLabel(m)]), metric,
            (v) => {
              metric = v;
              show();
            })),
    place
  ];
}
