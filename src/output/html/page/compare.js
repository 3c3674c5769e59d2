/* Policies beside each other: means with intervals, and the front of two metrics. */

const COMPARED = [
  "jct_mean_s", "jct_restricted_mean_s", "wait_mean_s", "energy_kwh", "energy_per_work_kwh", "edp_mean_js", "deadline_miss_rate", "jain_slowdown",
  "util_compute"
];

const comparedMetrics = () => COMPARED.filter((m) => DATA.policies.some((p) => estimate(p, m).mean !== null));
const SIGNS = {
  "1": "better",
  "-1": "worse",
  "0": ""
},
      CHECKS = {
        "1": "\u2713",
        "-1": "\u2717"
      };
const hasIntervals = () => DATA.policies.some((p) => Object.values(p.estimates).some(([, , ci95]) => ci95));

function comparisonTable() {
  const metrics = comparedMetrics();
  const scales = Object.fromEntries(metrics.map((m) => [m, scale(metricUnit(m), d3.max(DATA.policies, (p) => estimate(p, m).mean || 0))]));
  return table({
    caption: (hasIntervals() ? `Means over ${plural(HEAD().replications, "replication", "replications")} \u00b1 half the 95 % interval` :
                               "One replication: no intervals") +
        (DATA.baseline === null || !hasIntervals() ? "" : `; \u2713 better, \u2717 worse than ${name(DATA.baseline, 30)} (paired t-test, p < 0.05 after Holm)`),
    columns: [
      text(DATA.several ? "run" : "policy", (p) => p.name === DATA.baseline ? make("span", {}, bdi(p.name, 30), " (baseline)") : bdi(p.name, 30)),
      ...(DATA.policies.some((p) => p.label === p.folder) ? [text("policy", (p) => bdi(policyOf(p), 30))] : []), ...metrics.map((m) => ({
        title: metricLabel(m),
        unit: scales[m].unit,
        number: true,
        cell: (p) => {
          const e = estimate(p, m), v = verdict(p, m);
          if (e.mean === null) return "\u2013";
          const text = estimateText(m, e, scales[m]);
          return v === 0 ? text : make("span", {class: SIGNS[v]}, `${text} ${CHECKS[v]}`, make("span", {class: "unseen"}, SIGNS[v] + " than the baseline"));
        }
      }))
    ],
    rows: DATA.policies,
    chosen: (p) => p === POLICY()
  });
}

/* The mark of a policy, of its own color and form as in the figures of easim plot (gnuplot's numbers). Of further runs of one
   policy it is open, then open with a dot, and their lines are dashed. */
const MARKS = {
  5: d3.symbolSquare,
  7: d3.symbolCircle,
  9: d3.symbolTriangle,
  11: d3.symbolTriangle,
  13: d3.symbolDiamond
};
const DASHES = [null, "9 4", "2 3", "9 3 2 3"];
const dashOf = (p) => DASHES[p.nth % DASHES.length];

function drawMark(svg, p, x, y, size) {
  const g = put(svg, "g", {class: "series mark", transform: `translate(${x},${y})`}), open = p.nth % 3;
  put(g, "path", {
    d: d3.symbol().type(MARKS[p.marker]).size(size)(),
    transform: p.marker === 11 ? "rotate(180)" : null,
    fill: open ? "var(--paper)" : p.color,
    stroke: p.color,
    "stroke-width": open ? 2 : 0
  });
  if (open === 2) put(g, "circle", {r: 1.4, fill: p.color});
}

/* Policies, runs or values of an axis, each with its line and mark. */
function markLegend(of, words) {
  return make("ul", {class: "legend"}, ...of.map((p) => {
    const svg = d3.create("svg").attr("viewBox", "0 0 34 12").attr("aria-hidden", "true");
    put(svg, "line", {x1: 0, x2: 34, y1: 6, y2: 6, stroke: p.color, "stroke-width": 2, "stroke-dasharray": dashOf(p), class: "series"});
    drawMark(svg, p, 17, 6, 36);
    return make("li", {}, svg.node(), bdi(words(p), 40));
  }));
}

/* Those that are the same, in groups of two or more. */
function groupsOf(items, same) {
  const groups = [];
  for (const item of items) {
    const group = groups.find((g) => same(g[0], item));
    if (group)
      group.push(item);
    else
      groups.push([item]);
  }
  return groups.filter((g) => g.length > 1);
}

const listed = (words, last = "and") => words.length > 1 ? `${words.slice(0, -1).join(", ")} ${last} ${words[words.length - 1]}` : words.join();
const namesOf = (policies, last) => listed(policies.map((p) => name(p.name, 40)), last);
const coincideText = (groups, verb, how, names = namesOf) => groups.length === 0 ? "" : ` ${groups.map((g) => `${names(g)} ${verb}`).join("; ")}: ${how}.`;
const layerOf = (groups, item) => Math.max(0, ...groups.map((g) => g.indexOf(item)));
/* Of lines that are the same, those above the first are dashed so that all can be seen. */
const layerDash = (groups, item, own) => layerOf(groups, item) === 0 ? own : `7 ${7 * (groups.find((g) => g.includes(item)).length - 1)}`;

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
  const x = d3.scaleLinear().domain([Math.max(low - pad, low >= 0 ? 0 : -Infinity), high + pad]).nice(4).range([left + 6, box.right - 8]);
  x.domain([x.domain()[0], Math.max(high, Math.min(most, x.domain()[1]))]);
  const y = d3.scalePoint().domain(d3.range(DATA.policies.length)).range([box.top, box.bottom]).padding(0.6);
  const axis =
      d3.axisBottom(x).ticks(Math.max(2, Math.floor((box.right - left) / 65))).tickSize(-(box.bottom - box.top)).tickPadding(6).tickFormat((v) => number(v, 4));
  put(svg, "g", {class: "grid", transform: `translate(0,${box.bottom})`}).call(axis);
  put(svg, "text", {class: "title", x: box.title ?? left, y: box.top - 9}).text(axisTitle(metric, s));
  const base = DATA.policies.find((p) => p.name === DATA.baseline), baseMean = base ? estimate(base, metric).mean : null;
  if (baseMean !== null)
    put(svg, "line", {x1: x(baseMean * s.factor), x2: x(baseMean * s.factor), y1: box.top, y2: box.bottom, stroke: "var(--faint)", "stroke-dasharray": "3 3"});
  DATA.policies.forEach((p, i) => {
    const e = estimate(p, metric), v = verdict(p, metric), at = y(i), chosen = p === POLICY();
    if (firstColumn) {
      drawMark(svg, p, box.left + 6, at, 50);
      put(svg, "text", {x: left - 8, y: at + 4, "text-anchor": "end", class: chosen ? "strong" : null}).call(fitName, p.name, room - 8);
    }
    if (e.mean === null) return;
    const g = svg.append("g"), [from, to] = [e.mean - (e.ci95 || 0), e.mean + (e.ci95 || 0)].map((value) => x(value * s.factor));
    if (e.ci95) put(g, "line", {class: "series", x1: from, x2: to, y1: at, y2: at, stroke: p.color, "stroke-width": 2});
    drawMark(g, p, x(e.mean * s.factor), at, chosen ? 90 : 52);
    if (v) put(g, "text", {class: `strong ${SIGNS[v]}`, x: to + 28 < box.right ? to + 8 : from - 20, y: at + 4}).text(CHECKS[v]);
    withTip(g.datum(p), `${name(p.name, 40)}: ${metricLabel(metric)} ${estimateText(metric, e)}`, () => [strong(bdi(p.name)), definitions([
      [metricLabel(metric), estimateText(metric, e)],
      ["against the baseline", SIGNS[v] || (p.name === DATA.baseline ? "is the baseline" : "no significant difference")]
    ])]);
  });
}

function drawDots(svg, width) {
  const metrics = comparedMetrics();
  const across = width < 560 ? 1 : width < 860 ? 2 : 3, room = nameRoom(DATA.policies.map((p) => p.name), width / across + 60) + 8, gap = 44;
  const rowHeight = Math.max(70, DATA.policies.length * 19 + 14), rows = Math.ceil(metrics.length / across);
  const panel = across === 1 ? width - room : (width - room - gap * (across - 1)) / across;
  const height = rows * (rowHeight + 62);
  svg.attr("viewBox", `0 0 ${width} ${height}`).attr("height", height);
  metrics.forEach((metric, i) => {
    const column = i % across, row = Math.floor(i / across), left = column === 0 ? 0 : room + column * (panel + gap);
    dotPanel(svg, {
      left,
      right: left + panel + (column === 0 ? room : 0) - 4,
      title: across === 1 ? 0 : null,
      top: row * (rowHeight + 62) + 24,
      bottom: row * (rowHeight + 62) + 24 + rowHeight
    },
        metric, room, column === 0);
  });
}

/* Labels beside points: each where it hides least of the marks and labels that are there. */
function placeLabels(points, box) {
  const taken = points.map((p) => ({x: p.x - 7, y: p.y - 7, w: 14, h: 14})), height = 15;
  const overlap = (a, b) => Math.max(0, Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x)) * Math.max(0, Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y));
  for (const p of points) {
    const width = 8 + 7.2 * p.text.length, places = [];
    for (const [dx, dy] of [[10, -17], [10, 3], [-10 - width, -17], [-10 - width, 3], [-width / 2, -25], [-width / 2, 11], [10, -34], [10, 20],
             [-10 - width, -34], [-10 - width, 20]])
      places.push({x: p.x + dx, y: p.y + dy, w: width, h: height});
    const cost = (r) =>
        sum(taken.map((t) => overlap(r, t))) + (r.x < box.left || r.x + r.w > box.right + 16 || r.y < box.top - 8 || r.y + r.h > box.bottom ? 1e4 : 0);
    p.label = places.reduce((best, r) => cost(r) < cost(best) - 1 ? r : best);
    taken.push(p.label);
  }
}

/* What no schedule of these jobs is below (easim compare --bound), of each metric that has a bound. */
const boundOf = (metric) => DATA.comparison ? DATA.comparison.bounds[metric] ?? null : null;
const isShaded = ([mx, my]) => boundOf(mx) !== null || boundOf(my) !== null;

/* Left of right and below top, all of the other axis; null: there is no such bound. */
function shade(svg, box, right, top) {
  const strips = [right === null ? null : [right - box.left, box.top], top === null ? null : [box.right - box.left, top]];
  for (const [width, y] of strips.filter((s) => s !== null))
    put(svg, "rect", {class: "unreached", x: box.left, y, width, height: box.bottom - y, fill: "var(--faint)", opacity: 0.25});
}

/* Which policies no other beats in two metrics, and which are in one place: the chosen one first. */
function paretoRows(metrics) {
  const rows = [POLICY(), ...DATA.policies.filter((p) => p !== POLICY())].filter((p) => metrics.every((m) => estimate(p, m).mean !== null));
  const value = (p, m) => estimate(p, m).mean * (DATA.metrics[m].better === "more" ? -1 : 1), least = (m) => d3.min(rows, (p) => value(p, m));
  const beats = (a, b) => metrics.every((m) => value(a, m) <= value(b, m)) && metrics.some((m) => value(a, m) < value(b, m));
  return {
    front: rows.filter((p) => !rows.some((o) => beats(o, p))),
    same: groupsOf(rows, (a, b) => metrics.every((m) => Math.abs(value(a, m) - value(b, m)) <= 0.01 * (d3.max(rows, (p) => value(p, m)) - least(m))))
  };
}

function paretoCaption(metrics) {
  const {front, same} = paretoRows(metrics), places = front.filter((p) => layerOf(same, p) === 0).length;
  return (places > 1          ? "The line joins those that no other beats in both (the Pareto front). " :
                 places === 1 ? `Best in both: ${namesOf(front)}. ` :
                                "") +
      (DATA.policies.some((p) => metrics.some((m) => estimate(p, m).ci95)) ? "Crosses are 95 % intervals of the means, cut at the frame. " : "") +
      "The chosen one has the larger mark." + coincideText(same, "are in one place", "a mark inside another") +
      (isShaded(metrics) ? " Shaded: no schedule of these jobs is there." : "");
}

function drawPareto(svg, width, [mx, my]) {
  const height = Math.min(430, Math.max(320, width * 0.5)), box = frame(svg, width, height, {left: 62, right: 24, top: 34, bottom: 48});
  const rows = DATA.policies.map((p) => ({p, ex: estimate(p, mx), ey: estimate(p, my)})).filter((r) => r.ex.mean !== null && r.ey.mean !== null);
  const sx = scale(metricUnit(mx), d3.max(rows, (r) => r.ex.mean)), sy = scale(metricUnit(my), d3.max(rows, (r) => r.ey.mean));
  const axisOf = (values, range) => {
    const [low, high] = d3.extent(values), wide = low > 0 && high / low > 20;
    const pad = wide ? 1 : (high - low) * 0.09 || Math.abs(high) * 0.1 || 1;
    return wide ? d3.scaleLog().domain([low / 1.3, high * 1.3]).range(range) : d3.scaleLinear().domain([low - pad, high + pad]).range(range).nice(5);
  };
  const lx = boundOf(mx), ly = boundOf(my);
  const x = axisOf([...rows.map((r) => r.ex.mean), lx].filter((v) => v !== null).map((v) => v * sx.factor), [box.left, box.right]),
        y = axisOf([...rows.map((r) => r.ey.mean), ly].filter((v) => v !== null).map((v) => v * sy.factor), [box.bottom, box.top]);
  shade(svg, box, lx === null ? null : x(lx * sx.factor), ly === null ? null : y(ly * sy.factor));
  leftAxis(svg, y, box, axisTitle(my, sy), y.base ? {values: logTicks(y)} : {});
  bottomAxis(svg, x, box, axisTitle(mx, sx), {text: (v) => number(v, 4), ...(x.base ? {values: logTicks(x)} : {})});
  const {front: best, same} = paretoRows([mx, my]);
  const points = rows.map((r) => ({...r, x: x(r.ex.mean * sx.factor), y: y(r.ey.mean * sy.factor), front: best.includes(r.p), layer: layerOf(same, r.p)}));
  const front = points.filter((p) => p.front).sort((a, b) => a.x - b.x);
  put(svg, "path", {d: d3.line().x((p) => p.x).y((p) => p.y)(front), fill: "none", stroke: "var(--accent)", "stroke-width": 1.5});
  for (const p of points) p.text = name(p.p.name, 18);
  placeLabels(points, box);
  /* The ends of an interval on an axis, cut at the frame. */
  const ends = (scaleOf, e, s, low, high) => [e.mean - e.ci95,
      e.mean + e.ci95].map((v) => v * s.factor).map((v) => Math.min(Math.max(scaleOf(scaleOf.base ? Math.max(v, scaleOf.domain()[0]) : v), low), high));
  for (const p of points.sort((a, b) => a.layer - b.layer)) { /* of those in one place the first has the largest mark */
    const stroke = p.p.color, g = put(svg, "g", {class: "series"});
    const [x1, x2] = ends(x, p.ex, sx, box.left, box.right), [y1, y2] = ends(y, p.ey, sy, box.top, box.bottom);
    if (p.ex.ci95) put(g, "line", {x1, x2, y1: p.y, y2: p.y, stroke});
    if (p.ey.ci95) put(g, "line", {x1: p.x, x2: p.x, y1, y2, stroke});
    drawMark(g, p.p, p.x, p.y, p.layer ? 130 * 0.35 ** p.layer : p.p === POLICY() || same.flat().includes(p.p) ? 150 : 70);
    withTip(g.datum(p),
        `${name(p.p.name, 40)}: ${metricLabel(mx)} ${estimateText(mx, p.ex)}, ${metricLabel(my)} ${estimateText(my, p.ey)}${p.front ? ", on the front" : ""}`,
        () => [strong(bdi(p.p.name)),
            definitions([[metricLabel(mx), estimateText(mx, p.ex)], [metricLabel(my), estimateText(my, p.ey)], ["on the front", p.front ? "yes" : "no"]])]);
  }
  for (const p of points) put(svg, "text", {class: "halo" + (p.p === POLICY() ? " strong" : ""), x: p.label.x + 4, y: p.label.y + 12}).text(p.text);
}

const chosenMetrics = {x: null, y: null}, USUAL = ["energy_per_work_kwh", "jct_restricted_mean_s"];
const usualPareto = () => DATA.pareto.length === 2 ? DATA.pareto : USUAL;

function paretoFigure() {
  const usable = Object.keys(DATA.metrics).filter((m) => DATA.metrics[m].better && DATA.policies.filter((p) => estimate(p, m).mean !== null).length > 1);
  const wanted = usualPareto(), bounded = ["energy_kwh", "jct_mean_s"];
  if (chosenMetrics.x === null) [chosenMetrics.x, chosenMetrics.y] = wanted.every((m, i) => m === USUAL[i]) && isShaded(bounded) ? bounded : wanted;
  const holder = make("div"), choices = usable.map((m) => [m, metricLabel(m)]);
  const show = () => {
    holder.replaceChildren(figure({
      label: `Every policy by ${metricLabel(chosenMetrics.x)} and ${metricLabel(chosenMetrics.y)}`,
      caption: paretoCaption([chosenMetrics.x, chosenMetrics.y]),
      draw: (svg, width) => drawPareto(svg, width, [chosenMetrics.x, chosenMetrics.y]),
      behind: () => table({
        caption: "Points of the figure",
        columns: [
          text("policy", (p) => bdi(p.name, 30)),
          ...[chosenMetrics.x, chosenMetrics.y].map((m) => (num(metricLabel(m), (p) => estimateText(m, estimate(p, m)))))
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
  if (!isComparison()) return [absent("This is a single run: easim compare shows several policies beside each other, easim report DIR DIR... several runs.")];
  const judged = DATA.policies.some((p) => comparedMetrics().some((m) => verdict(p, m)));
  return [
    comparisonTable(), figure({
      label: "Means of every policy, one panel for each metric",
      caption: [
        hasIntervals() ? "Marks are means, lines 95 % intervals over replications. " : "Marks are the values of one replication. ",
        ...(DATA.baseline === null ? [] :
                                     [
                                       "The dashed line is the baseline ", bdi(DATA.baseline, 30),
                                       judged ? ". \u2713 is significantly better than it, \u2717 worse." : ". No difference from it is significant."
                                     ])
      ],
      draw: drawDots
    }),
    ...paretoFigure()
  ];
}
