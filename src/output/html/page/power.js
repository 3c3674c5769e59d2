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
function powerRange(level, from, to) {
  return [Math.max(0, d3.bisectRight(level.time_s, from) - 1), d3.bisectLeft(level.time_s, to)];
}

function stepLine(level, values, range, x, y, endS) {
  let path = "", open = false;
  for (let i = range[0]; i < range[1]; i++) {
    const v = values[i];
    if (v === null) {
      open = false;
      continue;
    }
    const a = x(level.time_s[i]).toFixed(1),
          b = x(i + 1 < level.time_s.length ? level.time_s[i + 1] : endS).toFixed(1), h = y(v).toFixed(1);
    path += `${open ? "L" : "M"}${a},${h}L${b},${h}`;
    open = true;
  }
  return path;
}

function stepBand(level, low, high, range, x, y, endS) {
  let up = "", down = "";
  for (let i = range[0]; i < range[1]; i++) {
    const a = x(level.time_s[i]).toFixed(1),
          b = x(i + 1 < level.time_s.length ? level.time_s[i + 1] : endS).toFixed(1);
    up += `${up ? "L" : "M"}${a},${y(high[i]).toFixed(1)}L${b},${y(high[i]).toFixed(1)}`;
    down = `L${b},${y(low[i]).toFixed(1)}L${a},${y(low[i]).toFixed(1)}` + down;
  }
  return up + down + "Z";
}

/* What is drawn is clipped to the plot. */
function clipped(context, id) {
  const {svg, box} = context;
  svg.append("clipPath")
      .attr("id", id)
      .append("rect")
      .attr("x", box.left)
      .attr("y", box.top - 2)
      .attr("width", box.right - box.left)
      .attr("height", box.bottom - box.top + 4);
  return svg.append("g").attr("clip-path", `url(#${id})`);
}

function plotPower(context, power) {
  const {svg, box, x} = context, level = powerLevel(power, box.right - box.left),
                   range = powerRange(level, ...x.domain());
  const finite = level.cap_w ? level.cap_w.filter((c) => c !== null) : [];
  const high = d3.max(
      [d3.max(level.high_w) || 1, finite.length ? Math.min(d3.max(finite), 3 * d3.max(level.high_w)) : 0]);
  const s = scale("W", high), y = d3.scaleLinear().domain([0, high * 1.06]).range([box.bottom, box.top]);
  leftAxis(
      svg, d3.scaleLinear().domain([0, high * 1.06 * s.factor]).range([box.bottom, box.top]), box,
      `power (${s.unit})`);
  const g = clipped(context, "clip-power");
  put(g, "path", {d: stepBand(level, level.low_w, level.high_w, range, x, y, power.end_s), fill: "var(--accent-soft)"});
  put(g, "path", {
    d: stepLine(level, level.power_w, range, x, y, power.end_s), fill: "none", stroke: "var(--accent)", "stroke-width": 1.4
  });
  if (finite.length)
    put(g, "path", {
      d: stepLine(level, level.cap_w, range, x, y, power.end_s), fill: "none", stroke: "var(--warm)", "stroke-width": 1.8,
      "stroke-dasharray": "6 3"
    });
}

function plotQueue(context, power) {
  const {svg, box, x} = context, level = powerLevel(power, box.right - box.left),
                   range = powerRange(level, ...x.domain());
  const high = Math.max(1, d3.max(level.waiting)),
        y = d3.scaleLinear().domain([0, high * 1.06]).range([box.bottom, box.top]);
  leftAxis(svg, y, box, "jobs waiting", {ticks: 3});
  const line = stepLine(level, level.waiting, range, x, y, power.end_s);
  clipped(context, "clip-queue")
      .append("path")
      .attr("d", line)
      .attr("fill", "none")
      .attr("stroke", "var(--ink)")
      .attr("stroke-width", 1.3);
}

function powerTip(at, context, power) {
  const level = powerLevel(power, context.box.right - context.box.left),
        i = d3.bisectRight(level.time_s, at) - 1;
  if (i < 0) return null;
  const cap = level.cap_w ? level.cap_w[i] : null, w = level.power_w[i];
  return [
    strong(timeText(at)), definitions([
      [level.step_s ? `power, mean of ${seconds(level.step_s)}` : "power", quantity(w, "W")],
      [
        "from, to",
        level.step_s ? `${quantity(level.low_w[i], "W")}, ${quantity(level.high_w[i], "W")}` : null
      ],
      ["cap", cap === null ? null : quantity(cap, "W")],
      ["below the cap by", cap === null ? null : quantity(cap - w, "W")],
      ["jobs waiting", number(level.waiting[i])],
      [
        "GPUs held, free, failed",
        [level.alloc_gpus, level.idle_gpus, level.failed_gpus].map((q) => number(q[i])).join(", ")
      ]
    ])
  ];
}

function powerSection() {
  const policy = POLICY(), power = policy.power;
  if (!power) return [absent(policy.absent.power)];
  const capped = power.levels[0].cap_w && power.levels[0].cap_w.some((c) => c !== null),
        over = estimate(policy, "cap_violation_s");
  const main = timeChart({
    label: `Power over time${
        capped ?
            " and its cap" :
            ""}. Keys: arrows move, plus and minus zoom, 0 shows the whole run; the table below has the figures.`,
    height: (width) => Math.min(300, Math.max(210, width * 0.28)),
    plot: (c) => plotPower(c, power),
    hover: (at, px, py, c) => powerTip(at, c, power)
  });
  const queue = timeChart({
    label: "Jobs waiting over time, on the same stretch of time.",
    height: 165,
    plot: (c) => plotQueue(c, power),
    hover: (at, px, py, c) => powerTip(at, c, power)
  });
  const binned = power.levels[power.levels.length - 1].step_s;
  return [
    timeTools("Time shown in the charts of power, GPUs and heat"),
    make(
        "figure", {}, main.holder, legend([
          ["var(--accent)", "power of GPUs and nodes", "solid"],
          ...(binned ? [["var(--accent-soft)", "least to most within a bin"]] : []),
          ...(capped ? [["var(--warm)", "power cap", "dashed"]] : [])
        ]),
        queue.holder,
        make(
            "figcaption", {}, `Replication ${policy.replication}. `,
            capped ? (over.mean > 0 ?
                          `The cap was exceeded for ${seconds(over.mean)} a replication in the mean. ` :
                          "The cap was never exceeded. ") :
                     "No power cap holds in this run. ",
            binned ?
                `The ${number(power.rows, 9)} changes of power are shown as means over equal bins, at least ${
                    seconds(binned)} each. ` :
                "Every change of power is shown. ",
            make(
                "span", {class: "hint"},
                "Drag to move, double-click or Ctrl + wheel to zoom; the three charts below each other move together."))),
    tableBehind("Table of this figure", () => powerTable(power))
  ];
}

function powerTable(power) {
  const level = powerLevel(power, 400), range = powerRange(level, ...viewSpan()),
        rows = d3.range(range[0], range[1]), step = Math.max(1, Math.ceil(rows.length / 60));
  const cell = (key, unit) => (i) =>
      level[key] && level[key][i] !== null ? quantity(level[key][i], unit, 4) : "\u2013";
  return table({
    caption: `Power over the shown time${step > 1 ? `, every ${step}th row` : ""}`,
    columns: [
      text("from", (i) => timeText(level.time_s[i])), num("power", cell("power_w", "W")), num("cap", cell("cap_w", "W")),
      num("jobs waiting", cell("waiting", "")), num("GPUs held", cell("alloc_gpus", "")), num("GPUs free", cell("idle_gpus", ""))
    ],
    rows: rows.filter((_, n) => n % step === 0)
  });
}
