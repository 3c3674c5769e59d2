/* A sweep: a metric over two axes as a map, along one axis as lines, and each point's table. */

const swept = {metric: null, x: null, by: null, held: {}, point: 0};

/* Points with the values of their axes, and of each metric its mean and range over replications. */
function sweepData() {
  if (sweepData.made) return sweepData.made;
  const {columns} = DATA.sweep, axes = DATA.manifest.axes.map((a) => columns.includes(`axis.${a}`) ? `axis.${a}` : a), points = new Map();
  for (const row of records(DATA.sweep)) points.set(row.run_id, [...(points.get(row.run_id) || []), row]);
  const metrics = Object.keys(DATA.metrics).filter((m) => columns.includes(m) && records(DATA.sweep).some((r) => r[m] !== null));
  const all = [...points.values()].map((rows) => ({
    rows, at: Object.fromEntries(axes.map((a) => [a, rows[0][a]])), warning: rows.map((r) => r.warning).find(Boolean),
    of: (m) => rows.map((r) => r[m]).filter((v) => v !== null)
  }));
  const values = (a) => [...new Set(all.map((p) => p.at[a]))], wide = axes.filter((a) => values(a).length > 1).sort((a, b) => values(b).length - values(a).length);
  const numeric = wide.filter((a) => values(a).every((v) => typeof v === "number"));
  swept.metric = ["energy_per_work_kwh", ...metrics].find((m) => metrics.includes(m));
  swept.x = numeric[0] || wide[0] || axes[0];
  swept.by = wide.filter((a) => a !== swept.x).sort((a, b) => numeric.includes(a) - numeric.includes(b))[0] || null;
  return sweepData.made = {axes, metrics, values, points: all};
}

const axisName = (a) => name(a.replace(/^axis\./, ""), 60);
const valueText = (v) => typeof v === "number" ? number(v, 6) : v === null ? "none" : name(v, 30);

/* The mean over the points at one place of the two axes, of those that are not held elsewhere. */
function sweptAt(x, by) {
  const at = sweepData().points.filter((p) => p.at[swept.x] === x && (swept.by === null || p.at[swept.by] === by) &&
      Object.entries(swept.held).every(([a, v]) => a === swept.x || a === swept.by || p.at[a] === v));
  const values = at.flatMap((p) => p.of(swept.metric));
  return {x, by, mean: values.length ? d3.mean(values) : null, low: d3.min(values), high: d3.max(values), warning: at.map((p) => p.warning).find(Boolean)};
}

const sweptGrid = () => (swept.by === null ? [null] : sweepData().values(swept.by)).map((by) => sweepData().values(swept.x).map((x) => sweptAt(x, by)));

const sweptTip = (c) => [strong(metricLabel(swept.metric), " ", quantity(c.mean, metricUnit(swept.metric))), definitions([
  [axisName(swept.x), valueText(c.x)], [swept.by && axisName(swept.by), swept.by && valueText(c.by)],
  ["least, most", `${quantity(c.low, metricUnit(swept.metric))}, ${quantity(c.high, metricUnit(swept.metric))}`], ["warning", c.warning]
])];

function sweptMark(g, c) { withTip(g.datum(c), `${valueText(c.x)}, ${valueText(c.by)}: ${quantity(c.mean, metricUnit(swept.metric))}`, sweptTip); }

function drawMap(svg, width) {
  const grid = sweptGrid(), room = nameRoom(grid.map(([c]) => valueText(c.by)), width), high = 30;
  const box = frame(svg, width, grid.length * high + 74, {left: room, right: 8, top: 24, bottom: 50}), each = (box.right - box.left) / grid[0].length;
  const [low, most] = d3.extent(grid.flat().map((c) => c.mean)), s = scale(metricUnit(swept.metric), most), color = (c) => c.mean === null ? "none" : ramp()(most > low ? (c.mean - low) / (most - low) : 0.5);
  put(svg, "text", {x: 0, y: 14}).text(swept.by ? axisName(swept.by) : "");
  put(svg, "text", {x: box.right, y: box.bottom + 40, "text-anchor": "end"}).text(axisName(swept.x));
  grid.forEach((row, r) => {
    put(svg, "text", {x: box.left - 8, y: box.top + r * high + 19, "text-anchor": "end"}).call(fitName, valueText(row[0].by), room);
    row.forEach((c, i) => {
      const g = put(svg, "g", {transform: `translate(${box.left + i * each},${box.top + r * high})`}), fill = color(c);
      put(g, "rect", {width: Math.max(1, each - 2), height: high - 2, fill, stroke: c.warning || c.mean === null ? "var(--ink)" : null, "stroke-dasharray": "3 3"});
      if (each > 44) put(g, "text", {x: each / 2, y: 19, "text-anchor": "middle", style: c.mean === null ? null : `fill: ${d3.lab(fill).l > 55 ? "#10161d" : "#ffffff"}`})
          .text(c.mean === null ? "none" : number(c.mean * s.factor) + (c.warning ? " !" : ""));
      sweptMark(g, c);
    });
  });
  grid[0].forEach((c, i) => {
    if (i % Math.ceil(60 / each) === 0) put(svg, "text", {x: box.left + (i + 0.5) * each, y: box.bottom + 18, "text-anchor": "middle"}).text(valueText(c.x));
  });
}

/* As a policy has it everywhere; of other values one by one. */
const sweptStyle = (value, place) => ({words: valueText(value), nth: 0, ...(DATA.styles[value] || {color: `var(--c${Math.min(place, COLORS)})`, marker: 7})});

const sweptGroups = (grid) => groupsOf(grid, (a, b) => a.every((c, i) => c.mean === b[i].mean));

function drawLines(svg, width) {
  const grid = sweptGrid(), box = frame(svg, width, 330, {left: 62, right: 16, top: 30, bottom: 46}), values = sweepData().values(swept.x);
  const numeric = values.every((v) => typeof v === "number"), cells = grid.flat().filter((c) => c.mean !== null), s = scale(metricUnit(swept.metric), d3.max(cells, (c) => c.mean));
  const x = numeric ? d3.scaleLinear().domain(d3.extent(values)).range([box.left + 8, box.right - 8]) : d3.scalePoint().domain(values).range([box.left, box.right]).padding(0.5);
  const y = d3.scaleLinear().domain(d3.extent(cells.flatMap((c) => [c.low, c.high]).map((v) => v * s.factor))).nice().range([box.bottom, box.top]);
  leftAxis(svg, y, box, `${metricLabel(swept.metric)} (${s.unit || "1"})`);
  bottomAxis(svg, x, box, axisName(swept.x), {text: valueText, ...(values.length < 9 ? {values} : {})});
  const groups = sweptGroups(grid);
  grid.forEach((row, r) => {
    const style = sweptStyle(row[0].by, r), stroke = style.color, there = row.filter((c) => c.mean !== null).sort((a, b) => x(a.x) - x(b.x));
    put(svg, "path", {d: d3.line().x((c) => x(c.x)).y((c) => y(c.mean * s.factor))(there), fill: "none", stroke, "stroke-width": 1.8, "stroke-dasharray": layerDash(groups, row, null), class: "series"});
    for (const c of there) {
      const g = svg.append("g");
      put(g, "line", {x1: x(c.x), x2: x(c.x), y1: y(c.low * s.factor), y2: y(c.high * s.factor), stroke, opacity: 0.5});
      drawMark(g, {...style, nth: c.warning ? 1 : 0}, x(c.x), y(c.mean * s.factor), 56);
      sweptMark(g, c);
    }
  });
}

function sweptTools() {
  const {axes, metrics, values} = sweepData(), again = (key) => (v) => {
    swept[key] = v === "" ? null : v;
    if (swept.x === swept.by) swept.by = axes.find((a) => a !== swept.x && values(a).length > 1) || null;
    build();
  };
  const named = axes.map((a) => [a, axisName(a)]), others = axes.filter((a) => a !== swept.x && a !== swept.by && values(a).length > 1);
  return make("div", {class: "tools"}, select("Metric", metrics.map((m) => [m, metricLabel(m)]), swept.metric, again("metric")), select("Across", named, swept.x, again("x")),
      select("Lines or rows", [["", "none"], ...named], swept.by || "", again("by")), ...others.map((a) => select(
          axisName(a), [["", "mean over all"], ...values(a).map((v, i) => [String(i), valueText(v)])], a in swept.held ? String(values(a).indexOf(swept.held[a])) : "", (i) => {
            delete swept.held[a];
            if (i !== "") swept.held[a] = values(a)[Number(i)];
            build();
          })));
}

const sweptRange = "Means over replications and over the axes that are not held; ! and a dashed frame, or an open mark, is a point with a warning.";
const mapSection = () => [sweptTools(), figure({label: `${metricLabel(swept.metric)} over two axes`, caption: sweptRange, draw: drawMap, behind: pointsTable})];
const linesSection = () => [sweptTools(), figure({label: `${metricLabel(swept.metric)} along ${axisName(swept.x)}`, caption: sweptRange + " Upright lines: least to most." +
  coincideText(sweptGroups(sweptGrid()), "coincide", "one line in the colors of all", (g) => listed(g.map(([c]) => valueText(c.by)))), draw: drawLines, behind: pointsTable}),
  markLegend(swept.by ? sweepData().values(swept.by).map(sweptStyle) : [], (s) => s.words)];

const pointWords = (p) => sweepData().axes.map((a) => `${axisName(a)} ${valueText(p.at[a])}`).join(", ");

function pointsTable() {
  const {axes, points} = sweepData();
  return table({
    caption: "Every point: means over its replications", rows: points, most: 1000,
    columns: [...axes.map((a) => text(axisName(a), (p) => valueText(p.at[a]))), ...[...new Set([swept.metric, "jct_restricted_mean_s", "energy_kwh"])].map((m) => num(metricLabel(m), (p) => quantity(d3.mean(p.of(m)), metricUnit(m)))),
              num("replications", (p) => p.rows.length), {title: "warning", wide: true, cell: (p) => p.warning || ""}]
  });
}

function pointsSection() {
  const {points, metrics} = sweepData(), place = make("div"), show = (i) => place.replaceChildren(table({
    caption: `All metrics at ${pointWords(points[i])}`, rows: metrics.filter((m) => points[i].of(m).length), most: 200,
    columns: [text("metric", metricLabel), num("mean", (m) => quantity(d3.mean(points[i].of(m)), metricUnit(m))), num("least", (m) => quantity(d3.min(points[i].of(m)), metricUnit(m))),
              num("most", (m) => quantity(d3.max(points[i].of(m)), metricUnit(m))), text("name in the files", (m) => make("code", {}, m))]
  }));
  show(0);
  return [pointsTable(), chooser("Point", points.map((p, i) => [String(i), name(pointWords(p), 100)]), "0", show), place];
}

function sweepSummary() {
  const {axes, points, values} = sweepData(), m = DATA.manifest, means = points.filter((p) => p.of(swept.metric).length).sort((a, b) => d3.mean(a.of(swept.metric)) - d3.mean(b.of(swept.metric)));
  const best = DATA.metrics[swept.metric].better === "more" ? means[means.length - 1] : means[0];
  return [
    ...(DATA.partial || m.failed || m.missing ? [absent(`${m.failed} points failed and ${m.missing} are missing.`)] : []),
    make("p", {class: "lead"}, `${plural(m.points, "point", "points")} over ${axes.map((a) => `${axisName(a)} (${plural(values(a).length, "value", "values")})`).join(", ")}. `,
         best ? `The ${metricLabel(swept.metric)} is ${DATA.metrics[swept.metric].better === "more" ? "highest" : "lowest"}, ${quantity(d3.mean(best.of(swept.metric)), metricUnit(swept.metric))}, at ${pointWords(best)}.` : ""),
    make("ul", {class: "note"}, ...(DATA.manifest.warnings || []).map((w) => make("li", {}, bdi(w, 400))))
  ];
}
