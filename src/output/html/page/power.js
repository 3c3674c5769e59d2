/* Power against the cap, and the queue, over the time of one replication. */

/* The bins for a stretch of time: the coarsest that are not wider than two pixels or so. */
function powerLevel(power, pixels) {
  const [from, to] = viewSpan();
  for (const level of power.levels) {
    const shown = level.time_s.length * Math.min(1, (to - from) / power.end_s);
    if (shown >= pixels / 2) return level;
  }
  return power.levels[power.levels.length - 1];
}

/* The rows that a stretch of time touches. */
function powerRange(level, from, to) { return [Math.max(0, d3.bisectRight(level.time_s, from) - 1), d3.bisectLeft(level.time_s, to)]; }

/* What is drawn of power over time: the rows of a level, each of which holds until the next one. */
function powerSteps({box, x}, power) {
  const level = powerLevel(power, box.right - box.left);
  return {level, range: powerRange(level, ...x.domain()), x, end: power.end_s};
}

/* Where the row i begins and ends. */
const stepEnds = ({level, x, end}, i) => [level.time_s[i], i + 1 < level.time_s.length ? level.time_s[i + 1] : end].map((t) => x(t).toFixed(1));

function drawSteps(g, steps, values, y, stroke, width, dash = null) {
  let path = "", open = false;
  for (let i = steps.range[0]; i < steps.range[1]; i++) {
    if (values[i] !== null) {
      const [a, b] = stepEnds(steps, i), h = y(values[i]).toFixed(1);
      path += `${open ? "L" : "M"}${a},${h}L${b},${h}`;
    }
    open = values[i] !== null;
  }
  put(g, "path", {d: path, fill: "none", stroke, "stroke-width": width, "stroke-dasharray": dash});
}

function drawBand(g, steps, low, high, y) {
  let up = "", down = "";
  for (let i = steps.range[0]; i < steps.range[1]; i++) {
    const [a, b] = stepEnds(steps, i);
    up += `${up ? "L" : "M"}${a},${y(high[i]).toFixed(1)}L${b},${y(high[i]).toFixed(1)}`;
    down = `L${b},${y(low[i]).toFixed(1)}L${a},${y(low[i]).toFixed(1)}` + down;
  }
  put(g, "path", {d: up + down + "Z", fill: "var(--accent-soft)"});
}

/* What is drawn is clipped to the plot. */
function clipped(context, id) {
  const {svg, box} = context;
  put(put(svg, "clipPath", {id}), "rect", {x: box.left, y: box.top - 2, width: box.right - box.left, height: box.bottom - box.top + 4});
  return svg.append("g").attr("clip-path", `url(#${id})`);
}

function plotPower(context, power) {
  const {svg, box} = context, steps = powerSteps(context, power), {level} = steps;
  const finite = level.cap_w ? level.cap_w.filter((c) => c !== null) : [];
  const high = d3.max([d3.max(level.high_w) || 1, finite.length ? Math.min(d3.max(finite), 3 * d3.max(level.high_w)) : 0]);
  const s = scale("W", high), y = d3.scaleLinear().domain([0, high * 1.06]).range([box.bottom, box.top]);
  leftAxis(svg, d3.scaleLinear().domain([0, high * 1.06 * s.factor]).range([box.bottom, box.top]), box, `power (${s.unit})`);
  const g = clipped(context, "clip-power");
  drawBand(g, steps, level.low_w, level.high_w, y);
  drawSteps(g, steps, level.power_w, y, "var(--accent)", 1.4);
  if (finite.length) drawSteps(g, steps, level.cap_w, y, "var(--warm)", 1.8, "6 3");
}

function plotCount(context, power, key, label) {
  const {svg, box} = context, steps = powerSteps(context, power), values = steps.level[key], high = Math.max(1, d3.max(values)),
              y = d3.scaleLinear().domain([0, high * 1.06]).range([box.bottom, box.top]);
  leftAxis(svg, y, box, label, {ticks: 3});
  drawSteps(clipped(context, `clip-${key}`), steps, values, y, "var(--ink)", 1.3);
}

function powerTip(at, context, power) {
  const level = powerLevel(power, context.box.right - context.box.left), i = d3.bisectRight(level.time_s, at) - 1;
  if (i < 0) return null;
  const cap = level.cap_w ? level.cap_w[i] : null, w = level.power_w[i];
  return [
    strong(timeText(at)), definitions([
      [level.step_s ? `power, mean of ${seconds(level.step_s)}` : "power", quantity(w, "W")],
      ["from, to", level.step_s ? `${quantity(level.low_w[i], "W")}, ${quantity(level.high_w[i], "W")}` : null],
      ["cap", cap === null ? null : quantity(cap, "W")], ["below the cap by", cap === null ? null : quantity(cap - w, "W")],
      ["throttled GPUs", level.throttled_gpus ? number(level.throttled_gpus[i]) : null], ["jobs waiting", number(level.waiting[i])],
      ["GPUs held, free, failed", [level.alloc_gpus, level.idle_gpus, level.failed_gpus].map((q) => number(q[i])).join(", ")]
    ])
  ];
}

function powerSection() {
  const policy = POLICY(), power = policy.power;
  if (!power) return [absent(policy.absent.power)];
  const capped = power.levels[0].cap_w && power.levels[0].cap_w.some((c) => c !== null), over = estimate(policy, "cap_violation_s");
  const main = timeChart({
    label: `Power over time${capped ? " and its cap" : ""}. Keys: arrows move, plus and minus zoom, 0 shows the whole run; the table below has the figures.`,
    height: (width) => Math.min(300, Math.max(210, width * 0.28)),
    plot: (c) => plotPower(c, power),
    hover: (at, px, py, c) => powerTip(at, c, power)
  });
  const queue = timeChart({
    label: "Jobs waiting over time, on the same stretch of time.",
    height: 165,
    plot: (c) => plotCount(c, power, "waiting", "jobs waiting"),
    hover: (at, px, py, c) => powerTip(at, c, power)
  });
  const throttled = power.levels[0].throttled_gpus ? timeChart({
    label: "GPUs that compute below the power of their wish over time, on the same stretch of time.",
    height: 165,
    plot: (c) => plotCount(c, power, "throttled_gpus", "throttled GPUs"),
    hover: (at, px, py, c) => powerTip(at, c, power)
  }) : null;
  const binned = power.levels[power.levels.length - 1].step_s;
  return [
    timeTools("Time shown in the charts of power, GPUs and heat"),
    make("figure", {}, main.holder, legend([
      ["var(--accent)", "power of GPUs and nodes", "solid"], ...(binned ? [["var(--accent-soft)", "least to most within a bin"]] : []),
      ...(capped ? [["var(--warm)", "power cap", "dashed"]] : [])
    ]),
        ...(throttled ? [throttled.holder] : []), queue.holder,
        make("figcaption", {}, `Replication ${policy.replication}. `,
            capped ? (over.mean > 0 ? `The cap was exceeded for ${seconds(over.mean)} a replication in the mean. ` : "The cap was never exceeded. ") :
                                      "No power cap holds in this run. ",
            binned ? `The ${number(power.rows, 9)} changes of power are shown as means over equal bins, at least ${seconds(binned)} each. ` :
                                      "Every change of power is shown. ",
            make("span", {class: "hint"}, "Drag to move, double-click or Ctrl + wheel to zoom; all charts over time move together."))),
    tableBehind("Table of this figure", () => powerTable(power)), ...limitTables(policy), ...billFigures(policy)
  ];
}

/* The effects of an enforced cap: figures, the jobs that it slowed most, and power domains. */
function limitTables(policy) {
  const [run] = records(policy.limits), domains = records(policy.domains);
  if (!run) return [];
  const most = policy.slowed.length ? table({
    caption: "The jobs that the cap slowed most",
    rows: policy.slowed,
    columns: [
      text("job", (j) => bdi(j.job, 40)), num("slowed by the cap", (j) => seconds(j.limit_lost_s)),
      num("below its wish", (j) => seconds(j.throttled_s)), num("held GPUs", (j) => seconds(j.exec_s))
    ]
  }) : make("p", {}, "The cap slowed no job.");
  const inside = domains.length ? [table({
    caption: "Power domains",
    rows: domains,
    columns: [
      text("domain", (d) => bdi(d.domain, 40)), num("cap", (d) => quantity(d.cap_w, "W")), num("mean power", (d) => quantity(d.power_mean_w, "W")),
      num("highest", (d) => quantity(d.power_max_w, "W")), num("over its cap", (d) => seconds(d.cap_violation_s)),
      num("throttled", (d) => d.throttled_gpu_h, "GPU h")
    ]
  })] : [];
  return [
    make("h3", {}, "What the enforced cap did"),
    make("p", {class: "limits"}, `In replication ${policy.replication}, GPUs computed ${quantity(3600 * run.throttled_gpu_h, "GPU s")} below the power of their wish. `,
        `The cap slowed ${plural(run.flex_broken, "job", "jobs")} by more than their flex, and refused ${plural(run.capped_starts, "start", "starts")}.`),
    most, ...inside
  ];
}

function powerTable(power) {
  const level = powerLevel(power, 400), range = powerRange(level, ...viewSpan()), rows = d3.range(range[0], range[1]),
        step = Math.max(1, Math.ceil(rows.length / 60));
  const cell = (key, unit) => (i) => level[key] && level[key][i] !== null ? quantity(level[key][i], unit, 4) : "\u2013";
  return table({
    caption: `Power over the shown time${step > 1 ? `, every ${step}th row` : ""}`,
    columns: [
      text("from", (i) => timeText(level.time_s[i])), num("power", cell("power_w", "W")), num("cap", cell("cap_w", "W")),
      ...(level.throttled_gpus ? [num("throttled GPUs", cell("throttled_gpus", ""))] : []), num("jobs waiting", cell("waiting", "")), num("GPUs held", cell("alloc_gpus", "")), num("GPUs free", cell("idle_gpus", ""))
    ],
    rows: rows.filter((_, n) => n % step === 0)
  });
}

/* ---- Price, carbon and cost ---- */

/* What is drawn, with its unit; sums rise evenly, the others hold until they change. */
const BILL = {
  price_per_mwh: {words: "price", unit: "currency a MWh"},
  carbon_g_per_kwh: {words: "carbon intensity", unit: "g/kWh"},
  cost: {words: "cost since the start", unit: "currency of the prices", sums: "price_per_mwh"},
  co2_kg: {words: "CO2 since the start", unit: "kg", sums: "carbon_g_per_kwh"}
};

/* At each change of power, price or carbon: what holds from then on, and what the energy came to until then. */
function billOf({power, series, pue}) {
  const level = power.levels[power.levels.length - 1], steps = records(series), sums = {cost: 0, co2_kg: 0}, starts = steps.map((s) => s.time_s);
  const times = [...new Set([...level.time_s, ...starts, power.end_s])].filter((t) => t <= power.end_s).sort((a, b) => a - b);
  return times.map((t, i) => {
    const step = steps[d3.bisectRight(starts, t) - 1], row = {...step, t, ...sums};
    const kwh = level.power_w[d3.bisectRight(level.time_s, t) - 1] * ((times[i + 1] ?? t) - t) / 3.6e6 * pue;
    for (const key of Object.keys(sums)) sums[key] += kwh * step[BILL[key].sums] / 1000;
    return row;
  });
}

function plotBill({svg, box, x}, bill, key) {
  const [low, high] = d3.extent(bill, (r) => r[key]),
              y = d3.scaleLinear().domain([Math.min(0, low), Math.max(0, high) || 1]).nice().range([box.bottom, box.top]);
  const line = d3.line().x((r) => x(r.t)).y((r) => y(r[key])).curve(BILL[key].sums ? d3.curveLinear : d3.curveStepAfter);
  leftAxis(svg, y, box, `${BILL[key].words} (${BILL[key].unit})`, {ticks: 4});
  put(clipped({svg, box}, `clip-${key}`), "path", {d: line(bill.filter((r) => r[key] !== null)), fill: "none", stroke: "var(--accent)", "stroke-width": 1.5});
}

function billFigures(policy) {
  const knows = (key) => records(policy.series).some((s) => s[BILL[key].sums || key] !== null), keys = Object.keys(BILL).filter(knows);
  if (keys.length === 0)
    return estimate(policy, "cost").mean === null && estimate(policy, "co2_kg").mean === null ?
        [] :
        [absent("Price and carbon over time are in recorded results only.")];
  const bill = billOf(policy), cell = (key) => num(BILL[key].words, (r) => number(r[key], 6), BILL[key].unit), step = Math.ceil(bill.length / 60);
  const words = (r) => keys.map((key) => [BILL[key].words, `${number(r[key], 4)} ${BILL[key].unit}`]);
  const charts = keys.map((key) => timeChart({
    label: `${BILL[key].words} over time, on the same stretch of time`,
    height: 165,
    plot: (c) => plotBill(c, bill, key),
    hover: (at) => [strong(timeText(at)), definitions(words(bill[Math.max(0, d3.bisector((r) => r.t).right(bill, at) - 1)]))]
  }));
  return [
    make("h3", {}, "Price, carbon and cost"),
    make("figure", {}, ...charts.map((c) => c.holder),
        make("figcaption", {},
            `Replication ${policy.replication}, with its warm-up${policy.pue === 1 ? "" : `; energy counts ${number(policy.pue)} times (pue)`}.`)),
    tableBehind("Table of price, carbon and cost", () => table({
      caption: step > 1 ? `Every ${step}th change, and the end` : "Every change",
      rows: bill.filter((_, i) => i % step === 0 || i === bill.length - 1),
      columns: [text("from", (r) => timeText(r.t)), ...keys.map(cell)]
    }))
  ];
}
