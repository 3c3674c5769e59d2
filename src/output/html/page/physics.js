/* What the figures rest on: parameters of the models with their evidence, and how sure that makes
   the differences. */

function physicsSection() {
  const out = [], models = HEAD().models || (POLICY() && POLICY().manifest.models) || [];
  if (models.length === 0 && PHYSICS().length === 0)
    out.push(absent("There are no models: every job has a fixed duration, and power is that of the GPU types."));
  else if (models.length > 0)
    out.push(table({
      caption: "How well the models are known, by model and GPU type",
      rows: models,
      columns: [
        text("model", (m) => bdi(m.model, 40)), text("GPU type", (m) => bdi(m.gpu_type, 30)), text("form", (m) => m.form),
        text("weakest evidence", (m) => m.weakest_evidence),
        num("mean error, points of the fit", (m) => m.mape_in_sample === null ? null : percent(m.mape_in_sample)),
        num("mean error, points left out", (m) => m.mape_leave_one_out === null ? null : percent(m.mape_leave_one_out)),
        text("measured range", (m) => m.measured_range ? "stated" : "not stated")
      ]
    }));
  if (PHYSICS().length)
    out.push(make("details", {}, make("summary", {}, `All ${PHYSICS().length} parameters with evidence and source`), table({
      caption: "Parameters of the models",
      rows: PHYSICS(),
      most: 1000,
      tall: true,
      columns: [
        text("model", (p) => bdi(p.model, 40)), text("GPU type", (p) => p.gpu_type ? bdi(p.gpu_type, 30) : "all"),
        text("parameter", (p) => make("code", {}, name(p.parameter, 40))), {title: "what it is", wide: true, cell: (p) => p.help},
        text("value", (p) => name(p.value, 60)), text("evidence", (p) => bdi(p.evidence, 40)), {title: "source", wide: true, cell: (p) => bdi(p.source, 300)}
      ]
    })));
  return out;
}

/* Differences from one policy or run, each with its 95 % interval over replications. */
function differencesOfReplications() {
  if (!isComparison()) return [absent("This is a single run: there is no difference. easim compare shows several policies on the same workloads.")];
  const from = (DATA.several ? POLICY() : DATA.policies.find((p) => p.name === DATA.baseline)) || POLICY(), metrics = comparedMetrics();
  const ofRuns = (p, m) => ({
    diff_mean: estimate(p, m).mean - estimate(from, m).mean,
    diff_ci95: estimate(p, m).ci95 === null ? null : Math.hypot(estimate(p, m).ci95, estimate(from, m).ci95)
  });
  const names = [...new Set(DATA.policies.map((p) => shellWord(DATA.several ? policyOf(p) : p.name)))].join(),
        scenario = shellWord(`${from.folder}/scenario.yaml`);
  if (!hasIntervals())
    return [
      absent(`Nothing shows how sure the differences are: each has one replication. To find out, let all policies run the same ${
          DATA.several ? "" : "and more "}workloads, and make a report of that${DATA.several ? ", one for each cap if there are several" : ""}:`),
      make("pre", {}, name(`easim compare ${scenario} --policies ${names} --replications 20 --out results/sure`, 600))
    ];
  const scales = new Map(metrics.map((m) => [m, scale(metricUnit(m), d3.max(DATA.policies, (p) => estimate(p, m).mean || 0))]));
  return [
    make("p", {},
        DATA.several ?
            "If 0 is outside of an interval, the difference is larger than what chance gives. The runs count as independent; easim compare gives all policies the same workloads, which makes intervals of differences narrower." :
            "Differences of pairs of replications with the same workload. \u2713 is significantly better, \u2717 worse (paired t-test, p < 0.05 after Holm). Physics counts as known here: the key uncertainty of a scenario adds what it leaves open (docs/howto/uncertain-claim.md)."),
    table({
      caption: `Differences from ${name(from.name, 40)} \u00b1 half the 95 % interval`,
      rows: DATA.policies.filter((p) => p !== from),
      columns: [
        text(DATA.several ? "run" : "policy", (p) => bdi(p.name, 30)),
        ...metrics.map((m) => num(metricLabel(m),
                           (p) => {
                             const d = DATA.several ? ofRuns(p, m) : difference(p, m), v = verdict(p, m);
                             return d && d.diff_mean === 0 && !d.diff_ci95 ?
                                 "the same" :
                                 d && d.diff_mean !== null ?
                                 make("span", {class: SIGNS[v]},
                                     `${estimateText(m, {mean: d.diff_mean, ci95: d.diff_ci95}, scales.get(m))}${v ? ` ${CHECKS[v]}` : ""}`) :
                                                                                                                     null;
                           },
                           scales.get(m).unit))
      ]
    })
  ];
}

const MOST_SHARE = 2; /* on the axis of the budget */

function drawBudget(svg, width, rows) {
  const room = nameRoom(rows.map((r) => r.source), width), each = 24, height = rows.length * each + 50,
        box = frame(svg, width, height, {left: room, right: 16, top: 8, bottom: 42});
  const x = d3.scaleLinear()
                .domain([0, Math.min(MOST_SHARE, Math.max(1, d3.max(rows, (r) => Math.max(r.share || 0, r.ci_high || 0))))])
                .range([box.left, box.right])
                .clamp(true);
  bottomAxis(svg, x, box, "share of the variance (%)", {text: (v) => number(100 * v)});
  rows.forEach((r, i) => {
    const at = box.top + (i + 0.5) * each, g = svg.append("g").datum(r), main = ["physics", "workload", "residual"].includes(r.source);
    put(svg, "text", {x: room - 10, y: at + 4, "text-anchor": "end", class: main ? "strong" : null}).call(fitName, r.source, room);
    if (r.share === null) return;
    put(g, "rect", {x: box.left, y: at - 7, height: 14, width: Math.max(1, x(r.share) - box.left), fill: main ? "var(--accent)" : "var(--c4)"});
    if (r.ci_low !== null && r.ci_high !== null) put(g, "line", {x1: x(r.ci_low), x2: x(r.ci_high), y1: at, y2: at, stroke: "var(--ink)", "stroke-width": 1.5});
    withTip(g, `${name(r.source)}: ${percent(r.share)} of the variance`,
        () => [strong(bdi(r.source)),
            definitions([["share", percent(r.share)], ["95 % interval", r.ci_low === null ? "\u2013" : `${percent(r.ci_low)} to ${percent(r.ci_high)}`]])]);
  });
}

function uncertaintySection() {
  const comparison = DATA.comparison;
  if (!comparison || !comparison.budget || !comparison.differences) return differencesOfReplications();
  const policy = POLICY(), about = records(comparison.differences).filter((r) => r.policy === policy.name),
        budget = records(comparison.budget).filter((r) => r.policy === policy.name);
  if (about.length === 0) return [absent(`${name(policy.name, 40)} is the baseline: differences are those of the other policies from it.`)];
  const usable = [...new Set(about.filter((r) => r.diff_mean !== null && DATA.metrics[r.metric] && DATA.metrics[r.metric].better).map((r) => r.metric))],
        place = make("div");
  const first = usable.includes("energy_per_work_kwh") ? "energy_per_work_kwh" : usable[0];
  const show = (metric) => {
    const d = about.find((r) => r.metric === metric), rows = budget.filter((r) => r.metric === metric),
          s = scale(metricUnit(metric), Math.abs(d.base_mean || d.diff_mean));
    place.replaceChildren(
        make("p", {}, `${metricLabel(metric)}: `,
            strong(`${number(d.diff_mean * s.factor)}${d.diff_ci95 === null ? "" : ` \u00b1 ${number(d.diff_ci95 * s.factor, 2)}`} ${s.unit}`),
            ` against ${name(DATA.baseline, 40)} (${d.diff_rel === null ? "\u2013" : percent(d.diff_rel)}) over ${plural(d.worlds, "world", "worlds")} and ${
                plural(d.replications, "workload", "workloads")}`,
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
              text("source", (r) => bdi(r.source, 60)), num("share", (r) => r.share === null ? null : percent(r.share)),
              num("from", (r) => r.ci_low === null ? null : percent(r.ci_low)), num("to", (r) => r.ci_high === null ? null : percent(r.ci_high))
            ]
          })
        }));
    drawCharts();
  };
  show(first);
  return [chooser("Metric", usable.map((m) => [m, metricLabel(m)]), first, show), place];
}
