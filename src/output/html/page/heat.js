/* The heat map: GPUs, or groups of them, by time. */

const MEASURES = {
  occupancy: {title: "occupancy", words: "share of the GPU time that jobs hold", unit: "share"},
  power_w: {title: "power", words: "mean power of a GPU", unit: "W"},
  useful_w: {title: "useful energy", words: "mean power of a GPU that is useful (waste classes)", unit: "W"},
};
let measure = "occupancy";

const CELL = 4095; /* the largest value */

/* The same in fewer columns, down to 240; cells are made when they are asked for. */
function heatLevels(heat) {
  if (!heat.levels) heat.levels = [16, 4, 1].map((merged) => ({merged, columns: heat.columns / merged, step_s: heat.end_s / heat.columns * merged})).filter((l) => l.columns >= 240);
  return heat.levels;
}

function heatLevel(heat, pixels) {
  const [from, to] = viewSpan();
  for (const level of heatLevels(heat))
    if (level.columns * (to - from) / heat.end_s >= pixels / 2) return level;
  return heat.levels[heat.levels.length - 1];
}

function heatValues(heat, level) {
  if (!level[measure])
    level[measure] = new Float64Array(level.columns * heat.rows.length).map((_, i) => d3.mean(heat[measure].subarray(i * level.merged, (i + 1) * level.merged)));
  return level[measure];
}

const ramp = () => d3.interpolateRgbBasis([color("--blank"), color("--c4"), color("--c0")]);

function paintHeat(context, heat) {
  const {canvas, box, x} = context, plot = box.right - box.left, level = heatLevel(heat, plot), values = heatValues(heat, level);
  const [from, to] = x.domain(), first = Math.max(0, Math.floor(from / level.step_s)), last = Math.min(level.columns, Math.ceil(to / level.step_s)),
               columns = Math.max(1, last - first), rows = heat.rows.length;
  const source = document.createElement("canvas"), table256 = d3.range(256).map((i) => d3.rgb(ramp()(i / 255)));
  source.width = columns;
  source.height = rows;
  const image = source.getContext("2d").createImageData(columns, rows), pixels = new Uint32Array(image.data.buffer);
  const packed = Uint32Array.from(table256, (c) => (0xff000000 | c.b << 16 | c.g << 8 | c.r) >>> 0);
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) pixels[r * columns + c] = packed[values[r * level.columns + first + c] * 255 / CELL | 0];
  source.getContext("2d").putImageData(image, 0, 0);
  const ratio = Math.min(2, devicePixelRatio || 1), high = box.bottom - box.top;
  canvas.width = Math.round(plot * ratio);
  canvas.height = Math.round(high * ratio);
  const pen = canvas.getContext("2d"), perSecond = canvas.width / (to - from);
  pen.imageSmoothingEnabled = false;
  pen.drawImage(source, (first * level.step_s - from) * perSecond, 0, columns * level.step_s * perSecond, canvas.height);
  const rowOf = (gpu) => heat.rows.findIndex(([lane, count]) => gpu >= lane && gpu < lane + count);
  labelNodes(context, heat, rows, (lane, gpus) => [rowOf(lane), rowOf(lane + gpus - 1) + 1]);
}

function heatTip(heat, at, py, context) {
  const level = heatLevel(heat, context.box.right - context.box.left), row = Math.floor(py / (context.box.bottom - context.box.top) * heat.rows.length),
        column = Math.floor(at / level.step_s);
  if (row < 0 || row >= heat.rows.length || column < 0 || column >= level.columns) return null;
  const [first, count, type] = heat.rows[row], value = heatValues(heat, level)[row * level.columns + column] / CELL * heat.most[measure];
  return [
    strong(gpuPlace(heat, first, count)), definitions([
      ["type", bdi(heat.types[type], 24)], ["from", timeText(column * level.step_s)], ["for", seconds(level.step_s)],
      [MEASURES[measure].title, quantity(value, MEASURES[measure].unit)]
    ])
  ];
}

function heatLegend(heat) {
  const stops = d3.range(0, 1.01, 0.125).map((v) => ramp()(v)).join(", "), s = MEASURES[measure];
  return make("div", {class: "legend"}, make("span", {}, quantity(0, s.unit)),
      make("span", {style: `width:9rem;height:.7rem;border-radius:2px;background:linear-gradient(to right, ${stops})`, "aria-hidden": "true"}),
      make("span", {}, quantity(heat.most[measure], s.unit)), make("span", {}, s.words));
}

function heatTable(heat) {
  const level = heatLevels(heat)[0], values = heatValues(heat, level), parts = 12, each = level.columns / parts;
  const mean = (row, part) => {
    const from = Math.floor(part * each), to = Math.max(from + 1, Math.floor((part + 1) * each));
    let total = 0;
    for (let c = from; c < to; c++) total += values[row * level.columns + c];
    return total / (to - from) / CELL * heat.most[measure];
  };
  return table({
    caption: `${MEASURES[measure].words}, means over a twelfth of the run`,
    rows: d3.range(heat.rows.length),
    most: 128,
    columns: [
      text("GPUs", (r) => gpuPlace(heat, heat.rows[r][0], heat.rows[r][1])),
      ...d3.range(parts).map((p) => (num("from " + timeText(p / parts * heat.end_s), (r) => quantity(mean(r, p), MEASURES[measure].unit, 3))))
    ]
  });
}

function heatSection() {
  const policy = POLICY(), heat = policy.heat;
  if (!heat) return [absent(policy.absent.heat)];
  const usable = Object.keys(MEASURES).filter((m) => heat[m]);
  if (!usable.includes(measure)) measure = usable[0];
  const place = make("div"), grouped = heat.rows.some((r) => r[1] > 1);
  const chart = timeChart({
    label: `Heat map of GPUs over time. Keys: arrows move, plus and minus zoom, 0 shows the whole run; the table below has the figures.`,
    height: () => 4 + MARGIN.bottom + Math.min(380, Math.max(110, heat.rows.length * 12)),
    onCanvas: true,
    plot: (c) => paintHeat(c, heat),
    hover: (at, px, py, c) => heatTip(heat, at, py, c)
  });
  const redraw = () => {
    chart.context.redraw();
    place.replaceChildren(heatLegend(heat));
  };
  place.append(heatLegend(heat));
  const missing = usable.length < 3 ? [absent(policy.absent.useful)] : [];
  const holder = make("div", {class: "behind"}, tableBehind("Table of this figure", () => heatTable(heat)));
  return [
    make("div", {class: "tools"},
        select("Measure", usable.map((m) => [m, MEASURES[m].title]), measure,
            (v) => {
              measure = v;
              redraw();
              holder.replaceChildren(tableBehind("Table of this figure", () => heatTable(heat)));
            })),
    make("figure", {}, chart.holder, place,
        make("figcaption", {},
            `Replication ${policy.replication}${
                grouped ? `: a row for up to ${d3.max(heat.rows, (r) => r[1])} GPUs of one type` :
                          ": a row for each GPU, node by node"}. The stretch of time is that of the charts above.`)),
    holder, ...missing
  ];
}
