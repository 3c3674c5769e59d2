/* Policies beside each other: means with intervals, and the front of two metrics. */

const COMPARED = [
  "jct_mean_s", "jct_restricted_mean_s", "wait_mean_s", "energy_kwh", "energy_per_work_kwh", "edp_mean_js",
  "deadline_miss_rate", "jain_slowdown", "util_compute"
];

const comparedMetrics = () => COMPARED.filter((m) => DATA.policies.some((p) => estimate(p, m).mean !== null));
const SIGNS = {"1": "better", "-1": "worse", "0": ""};

function comparisonTable() {
  const metrics = comparedMetrics();
  const scales = Object.fromEntries(
      metrics.map((m) => [m, scale(metricUnit(m), d3.max(DATA.policies, (p) => estimate(p, m).mean || 0))]));
  return table({
    caption: `Means over ${plural(HEAD().replications, "replication", "replications")} \u00b1 half the 95 % interval${
        DATA.baseline === null ? "" : `; \u25b2 better, \u25bc worse than ${name(DATA.baseline, 30)} (paired t-test, p < 0.05 after Holm)`
        }; the restricted mean counts jobs that have not finished up to the end`,
    columns: [
      text("policy", (p) => p.name === DATA.baseline ? make("span", {}, bdi(p.name, 30), " (baseline)") : bdi(p.name, 30)),
      ...metrics.map((m) => ({
                       title: metricLabel(m),
                       unit: scales[m].unit,
                       number: true,
                       cell: (p) => {
                         const e = estimate(p, m), v = verdict(p, m);
                         if (e.mean === null) return "\u2013";
                         const text = estimateText(m, e, scales[m]);
                         return v === 0 ?
                             text :
                             make(
                                 "span", {class: SIGNS[v]}, text + (v > 0 ? " \u25b2" : " \u25bc"),
                                 make("span", {class: "unseen"}, SIGNS[v] + " than the baseline"));
                       }
                     }))
    ],
    rows: DATA.policies,
    chosen: (p) => p === POLICY()
  });
}

/* The mark of a policy, of its own color and form as in the figures of easim plot (gnuplot's numbers). */
const MARKS = {5: d3.symbolSquare, 7: d3.symbolCircle, 9: d3.symbolTriangle, 11: d3.symbolTriangle, 13: d3.symbolDiamond};

function drawMark(svg, p, x, y, size) {
  put(svg, "path", {
    class: "series", d: d3.symbol().type(MARKS[p.marker]).size(size)(),
    transform: `translate(${x},${y})${p.marker === 11 ? " rotate(180)" : ""}`, fill: p.color
  });
}

const axisTitle = (metric, s) => metricLabel(metric) + (s.unit ? ` (${s.unit})` : "");

/* One panel: a row for each policy, its mean and interval. */
function dotPanel(svg, box, metric, room, firstColumn) {
  const s = scale(metricUnit(metric), d3.max(DATA.policies, (p) => estimate(p, metric).mean || 0));
  const ends = DATA.policies.flatMap((p) => {
    const e = estimate(p, metric);
    return e.mean === null ? [] : [(e.mean - (e.ci95 || 0)) * s.factor, (e.mean + (e.ci95 || 0)) * s.factor];
  });
  const [low, high] = d3.extent(ends), pad = (high - low) * 0.08 || Math.abs(high) * 0.1 || 1;
  const left = box.left + (firstColumn ? room : 0);
  const most = metricUnit(metric) === "share" ? 100 : Infinity;
  const x = d3.scaleLinear()
                .domain([Math.max(low - pad, low >= 0 ? 0 : -Infinity), high + pad])
                .nice(4)
                .range([left, box.right - 8]);
  x.domain([x.domain()[0], Math.max(high, Math.min(most, x.domain()[1]))]);
  const y = d3.scalePoint().domain(d3.range(DATA.policies.length)).range([box.top, box.bottom]).padding(0.6);
  const axis = d3.axisBottom(x)
                   .ticks(Math.max(2, Math.floor((box.right - left) / 65)))
                   .tickSize(-(box.bottom - box.top))
                   .tickPadding(6)
                   .tickFormat((v) => number(v, 4));
  put(svg, "g", {class: "grid", transform: `translate(0,${box.bottom})`}).call(axis);
  put(svg, "text", {class: "title", x: left, y: box.top - 9}).text(axisTitle(metric, s));
  const base = DATA.policies.find((p) => p.name === DATA.baseline),
        baseMean = base ? estimate(base, metric).mean : null;
  if (baseMean !== null)
    put(svg, "line", {
      x1: x(baseMean * s.factor), x2: x(baseMean * s.factor), y1: box.top, y2: box.bottom, stroke: "var(--faint)",
      "stroke-dasharray": "3 3"
    });
  DATA.policies.forEach((p, i) => {
    const e = estimate(p, metric), v = verdict(p, metric), at = y(i), chosen = p === POLICY();
    if (firstColumn) {
      drawMark(svg, p, left - 9, at, 50);
      put(svg, "text", {x: left - 18, y: at + 4, "text-anchor": "end", class: chosen ? "strong" : null}).text(fitName(p.name, room - 8));
    }
    if (e.mean === null) return;
    const fill = v > 0 ? "var(--good)" : v < 0 ? "var(--bad)" : "var(--ink)", g = svg.append("g");
    if (e.ci95)
      put(g, "line", {
        x1: x((e.mean - e.ci95) * s.factor), x2: x((e.mean + e.ci95) * s.factor), y1: at, y2: at, stroke: fill, "stroke-width": 2
      });
    put(g, "path", {
      d: d3.symbol() .type( v > 0     ? d3.symbolTriangle : v < 0 ? d3.symbolDiamond : d3.symbolCircle) .size(chosen ? 90 : 52)(),
      transform: `translate(${x(e.mean * s.factor)},${at})`, fill
    });
    withTip(
        g.datum(p), `${name(p.name, 40)}: ${metricLabel(metric)} ${estimateText(metric, e)}`,
        () => [strong(bdi(p.name)), definitions([
                 [metricLabel(metric), estimateText(metric, e)],
                 [
                   "against the baseline",
                   SIGNS[v] || (p.name === DATA.baseline ? "is the baseline" : "no significant difference")
                 ]
               ])]);
  });
}

function drawDots(svg, width) {
  const metrics = comparedMetrics();
  const across = width < 560 ? 1 :
      width < 860            ? 2 :
                               3,
        room = nameRoom(DATA.policies.map((p) => p.name), width / across + 60) + 8, gap = 44;
  const rowHeight = Math.max(70, DATA.policies.length * 19 + 14), rows = Math.ceil(metrics.length / across);
  const panel = across === 1 ? width - room : (width - room - gap * (across - 1)) / across;
  const height = rows * (rowHeight + 62);
  svg.attr("viewBox", `0 0 ${width} ${height}`).attr("height", height);
  metrics.forEach((metric, i) => {
    const column = i % across, row = Math.floor(i / across),
          left = column === 0 ? 0 : room + column * (panel + gap);
    dotPanel(
        svg, {
          left,
          right: left + panel + (column === 0 ? room : 0) - 4,
          top: row * (rowHeight + 62) + 24,
          bottom: row * (rowHeight + 62) + 24 + rowHeight
        },
        metric, room, column === 0);
  });
}

/* Labels beside points: each where it hides least of the marks and labels that are there. */
function placeLabels(points, box) {
  const taken = points.map((p) => ({x: p.x - 7, y: p.y - 7, w: 14, h: 14})), height = 15;
  const overlap = (a, b) => Math.max(0, Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x)) *
      Math.max(0, Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y));
  for (const p of points) {
    const width = 8 + 7.2 * p.text.length, places = [];
    for (const [dx, dy] of [
             [10, -17], [10, 3], [-10 - width, -17], [-10 - width, 3], [-width / 2, -25], [-width / 2, 11],
             [10, -34], [10, 20], [-10 - width, -34], [-10 - width, 20]])
      places.push({x: p.x + dx, y: p.y + dy, w: width, h: height});
    const cost = (r) => sum(taken.map((t) => overlap(r, t))) +
        (r.x < box.left || r.x + r.w > box.right + 16 || r.y < box.top - 8 || r.y + r.h > box.bottom ? 1e4 :
                                                                                                       0);
    p.label = places.reduce((best, r) => cost(r) < cost(best) - 1 ? r : best);
    taken.push(p.label);
  }
}

/* What no schedule of these jobs is below (easim compare --bound), of each metric that has a bound. */
const boundOf = (metric) => DATA.comparison ? DATA.comparison.bounds[metric] ?? null : null;
const isShaded = ([mx, my]) => boundOf(mx) !== null || boundOf(my) !== null;

/* Left of right and below top, all of the other axis; null: there is no such bound. */
function shade(svg, box, right, top) {
  const strips = [
    right === null ? null : [right - box.left, box.top],
    top === null ? null : [box.right - box.left, top]
  ];
  for (const [width, y] of strips.filter((s) => s !== null))
    put(svg, "rect", {class: "unreached", x: box.left, y, width, height: box.bottom - y, fill: "var(--faint)", opacity: 0.25});
}

function drawPareto(svg, width, [mx, my]) {
  const height = Math.min(430, Math.max(320, width * 0.5)),
        box = frame(svg, width, height, {left: 62, right: 24, top: 34, bottom: 48});
  const rows = DATA.policies.map((p) => ({p, ex: estimate(p, mx), ey: estimate(p, my)}))
                   .filter((r) => r.ex.mean !== null && r.ey.mean !== null);
  const sx = scale(metricUnit(mx), d3.max(rows, (r) => r.ex.mean)),
        sy = scale(metricUnit(my), d3.max(rows, (r) => r.ey.mean));
  const axisOf = (values, range) => {
    const [low, high] = d3.extent(values), wide = low > 0 && high / low > 20;
    const pad = wide ? 1 : (high - low) * 0.09 || Math.abs(high) * 0.1 || 1;
    return wide ? d3.scaleLog().domain([low / 1.3, high * 1.3]).range(range) :
                  d3.scaleLinear().domain([low - pad, high + pad]).range(range).nice(5);
  };
  const lx = boundOf(mx), ly = boundOf(my);
  const x = axisOf([...rows.map((r) => r.ex.mean), lx].filter((v) => v !== null).map((v) => v * sx.factor),
                   [box.left, box.right]),
        y = axisOf([...rows.map((r) => r.ey.mean), ly].filter((v) => v !== null).map((v) => v * sy.factor),
                   [box.bottom, box.top]);
  shade(svg, box, lx === null ? null : x(lx * sx.factor), ly === null ? null : y(ly * sy.factor));
  leftAxis(svg, y, box, axisTitle(my, sy), y.base ? {values: logTicks(y)} : {});
  bottomAxis(svg, x, box, axisTitle(mx, sx), {text: (v) => number(v, 4), ...(x.base ? {values: logTicks(x)} : {})});
  const sides = [DATA.metrics[mx].better, DATA.metrics[my].better];
  const beats = (a, b) => [[a.ex, b.ex, sides[0]], [a.ey, b.ey, sides[1]]].every(
                              ([u, v, side]) => side === "more" ? u.mean >= v.mean : u.mean <= v.mean) &&
      (a.ex.mean !== b.ex.mean || a.ey.mean !== b.ey.mean);
  const points = rows.map((r) => ({
                            ...r,
                            x: x(r.ex.mean * sx.factor),
                            y: y(r.ey.mean * sy.factor),
                            front: !rows.some((o) => o !== r && beats(o, r))
                          }));
  const front = points.filter((p) => p.front).sort((a, b) => a.x - b.x);
  put(svg, "path", {d: d3.line().x((p) => p.x).y((p) => p.y)(front), fill: "none", stroke: "var(--accent)", "stroke-width": 1.5});
  for (const p of points) p.text = name(p.p.name, 18);
  placeLabels(points, box);
  /* The ends of an interval on an axis, cut at the frame. */
  const ends = (scaleOf, e, s, low, high) => [e.mean - e.ci95, e.mean + e.ci95].map((v) => v * s.factor).map(
      (v) => Math.min(Math.max(scaleOf(scaleOf.base ? Math.max(v, scaleOf.domain()[0]) : v), low), high));
  for (const p of points) {
    const stroke = p.p.color, g = put(svg, "g", {class: "series"});
    const [x1, x2] = ends(x, p.ex, sx, box.left, box.right), [y1, y2] = ends(y, p.ey, sy, box.top, box.bottom);
    if (p.ex.ci95) put(g, "line", {x1, x2, y1: p.y, y2: p.y, stroke});
    if (p.ey.ci95) put(g, "line", {x1: p.x, x2: p.x, y1, y2, stroke});
    drawMark(g, p.p, p.x, p.y, p.p === POLICY() ? 150 : 70);
    withTip(
        g.datum(p),
        `${name(p.p.name, 40)}: ${metricLabel(mx)} ${estimateText(mx, p.ex)}, ${metricLabel(my)} ${
            estimateText(my, p.ey)}${p.front ? ", on the front" : ""}`,
        () => [strong(bdi(p.p.name)), definitions([
                 [metricLabel(mx), estimateText(mx, p.ex)], [metricLabel(my), estimateText(my, p.ey)],
                 ["on the front", p.front ? "yes" : "no"]
               ])]);
  }
  for (const p of points)
    put(svg, "text", {class: "halo" + (p.p === POLICY() ? " strong" : ""), x: p.label.x + 4, y: p.label.y + 12}).text(p.text);
}

const chosenMetrics = {
  x: null,
  y: null
};

function paretoFigure() {
  const usable = Object.keys(DATA.metrics)
                     .filter(
                         (m) => DATA.metrics[m].better &&
                             DATA.policies.filter((p) => estimate(p, m).mean !== null).length > 1);
  const usual = ["energy_per_work_kwh", "jct_restricted_mean_s"], bounded = ["energy_kwh", "jct_mean_s"];
  if (chosenMetrics.x === null) {
    const wanted = DATA.pareto.length === 2 ? DATA.pareto : usual;
    [chosenMetrics.x, chosenMetrics.y] =
        wanted.every((m, i) => m === usual[i]) && isShaded(bounded) ? bounded : wanted;
  }
  const holder = make("div"), choices = usable.map((m) => [m, metricLabel(m)]);
  const show = () => {
    holder.replaceChildren(figure({
      label: `Every policy by ${metricLabel(chosenMetrics.x)} and ${metricLabel(chosenMetrics.y)}`,
      caption:
          "The line joins the policies that no other beats in both (the Pareto front); crosses are 95 % intervals of the means, cut at the frame. The chosen policy has the larger mark." +
          (isShaded([chosenMetrics.x, chosenMetrics.y]) ? " Shaded: no schedule of these jobs is there." : ""),
      draw: (svg, width) => drawPareto(svg, width, [chosenMetrics.x, chosenMetrics.y]),
      behind: () => table({
        caption: "Points of the figure",
        columns: [
          text("policy", (p) => bdi(p.name, 30)),
          ...[chosenMetrics.x, chosenMetrics.y].map( (m) => (num(metricLabel(m), (p) => estimateText(m, estimate(p, m)))))
        ],
        rows: DATA.policies
      }),
    }));
    drawCharts();
  };
  const along = (words, axis) => select(words, choices, chosenMetrics[axis], (v) => {
    chosenMetrics[axis] = v;
    show();
  });
  const tools = make("div", {class: "tools"}, along("Across", "x"), along("Up", "y"));
  show();
  return [make("h3", {}, "Pareto front"), tools, holder];
}

function compareSection() {
  if (!isComparison())
    return [
      absent(
          "This is a single run: easim compare shows several policies beside each other, easim report DIR DIR... several runs.")
    ];
  return [
    comparisonTable(), figure({
      label: "Means of every policy with their 95 % intervals, one panel for each metric",
      caption: [
        "Dots are means, lines 95 % intervals over replications. ", ...(DATA.baseline === null ? [] : [
        "The dashed line is the baseline ", bdi(DATA.baseline, 30), ". Triangles are significantly better, diamonds worse than it, circles neither."])
      ],
      draw: drawDots
    }),
    ...paretoFigure()
  ];
}
