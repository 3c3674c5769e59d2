/* The timeline of GPUs: what every GPU did. Drawn pixel by pixel: a pixel has the colour of the
   segment that covers most of it, as strong as what is held of it, so that any number of segments
   can be looked at as a whole. */

const KINDS = ["set-up", "computing", "checkpoint", "lost work", "reserved", "loading", "serving"];
const KIND_COLORS = [1, 0, 4, 5, 8, 6, 2]; /* places among the colours */
const STATES = ["free", "asleep", "failed", "reserved"];
const filters = {
  user: "",
  model: "",
  label: "",
  value: "",
  type: "",
  by: "user"
};

function laneTypes(lanes) {
  const types = new Uint16Array(lanes.count);
  for (const [first, count, type] of lanes.nodes) types.fill(type, first, first + count);
  return types;
}

/* The rows that are shown: all lanes, or those of a GPU type. */
function laneRows(lanes) {
  if (lanes.shownFor === filters.type) return lanes.rows;
  const types = laneTypes(lanes), wanted = filters.type === "" ? -1 : lanes.types.indexOf(filters.type), row = new Int32Array(lanes.count).fill(-1), lane = [];
  for (let i = 0; i < lanes.count; i++)
    if (wanted < 0 || types[i] === wanted) {
      row[i] = lane.length;
      lane.push(i);
    }
  lanes.shownFor = filters.type;
  lanes.rows = {row, lane};
  return lanes.rows;
}

/* The place among the colours of each segment, by what it is coloured by; -1: filtered out. */
function laneColors(lanes) {
  const key = [filters.user, filters.model, filters.label, filters.value, filters.by].join("\n");
  if (lanes.coloredFor === key) return lanes.colored;
  const {jobs} = lanes, count = lanes.job.length, places = new Int8Array(count);
  const by = filters.by === "model" ? lanes.byModel : filters.by === "kind" ? null : lanes.byUser;
  const indices = filters.by === "model" ? jobs.model : jobs.user;
  const place = (names, wanted) => wanted === "" ? -1 : names.indexOf(wanted);
  const user = place(lanes.users, filters.user), model = place(lanes.models, filters.model);
  const label = lanes.labels.find((l) => l.key === filters.label), value = label && filters.value !== "" ? label.values.indexOf(filters.value) : -1;
  const wanted = new Uint8Array(jobs.id.length);
  let matching = 0;
  for (let j = 0; j < wanted.length; j++) {
    wanted[j] = (user < 0 || jobs.user[j] === user) && (model < 0 || jobs.model[j] === model) && (value < 0 || label.job[j] === value) ? 1 : 0;
    matching += wanted[j];
  }
  for (let i = 0; i < count; i++) places[i] = !wanted[lanes.job[i]] ? -1 : by ? by.places[indices[lanes.job[i]]] : KIND_COLORS[lanes.kind[i]];
  lanes.coloredFor = key;
  lanes.colored = {places, matching};
  return lanes.colored;
}

/* Jobs and then replicas, with their users and models; segments in seconds, where src/output/html/lanes.c has differences. */
function prepareLanes({lanes, jobs}) {
  if (lanes.prepared) return;
  lanes.prepared = true;
  const {replicas, job} = lanes, joined = (key, more = replicas[key]) => more.length ? [...jobs[key], ...more] : jobs[key];
  const numbered = (names, texts) => texts.map((text) => names.includes(text) ? names.indexOf(text) : names.push(text) - 1);
  const all = lanes.jobs = {user: joined("user", numbered(jobs.users, replicas.user)), model: joined("model", numbered(jobs.models, replicas.model))};
  for (const key of ["id", "submit_ms", "wait_ms", "rest_ms"]) all[key] = joined(key);
  const start = lanes.start_ms, length = lanes.length_ms, end = Math.round(1000 * lanes.end_s), count = job.length;
  lanes.place = new Uint32Array(count + 1);
  for (let i = 0; i < count; i++) {
    start[i] += i > 0 && job[i - 1] === job[i] ? start[i - 1] + length[i - 1] : startOf(all, job[i]);
    if (job[i + 1] !== job[i]) length[i] += (all.rest_ms[job[i]] < 0 ? end : finishOf(all, job[i])) - start[i];
    lanes.place[i + 1] = lanes.place[i] + 2 * lanes.runs[i];
  }
  lanes.gpus = new Int32Array(lanes.place[count]).map((_, p) => (p % 2 ? lanes.widths : lanes.firsts)[p >> 1]);
  for (const of of [lanes, lanes.rest]) ["start", "length"].forEach((key) => of[`${key}_s`] = of[`${key}_ms`].map((ms) => ms / 1000));
  lanes.energy_j = reals(lanes.power_real).map((w, i) => w * lanes.length_s[i]);
  if (lanes.sync_real) lanes.sync_share = reals(lanes.sync_real);
  Object.assign(lanes, {users: jobs.users, models: jobs.models});
  const weigh = (indices, count) => {
    const weights = new Float64Array(count);
    for (let i = 0; i < lanes.job.length; i++) {
      let width = 0;
      for (let p = lanes.place[i]; p < lanes.place[i + 1]; p += 2) width += lanes.gpus[p + 1];
      weights[indices[lanes.job[i]]] += lanes.length_s[i] * width;
    }
    return weights;
  };
  lanes.byUser = palette(lanes.users, weigh(lanes.jobs.user, lanes.users.length));
  lanes.byModel = palette(lanes.models, weigh(lanes.jobs.model, lanes.models.length));
}

/* Adds the cover of [start, end) to the pixels of a row of them. */
function coverRow(raster, row, from, to, owner) {
  const {cover, most, owners, columns} = raster, base = row * columns;
  let a = Math.max(0, from), b = Math.min(columns, to);
  if (b <= a) return;
  for (let c = Math.floor(a); c < b; c++) {
    const part = Math.min(b, c + 1) - Math.max(a, c), at = base + c;
    cover[at] += part;
    if (part > most[at]) {
      most[at] = part;
      owners[at] = owner;
    }
  }
}

function rasterLanes(lanes, columns, rows, x0, perSecond) {
  const raster = lanes.raster && lanes.raster.cover.length === columns * rows ? lanes.raster : {
    cover: new Float32Array(columns * rows),
    most: new Float32Array(columns * rows),
    owners: new Int32Array(columns * rows),
    states: new Int8Array(columns * rows)
  };
  lanes.raster = Object.assign(raster, {columns, rows}); /* the same memory for the next picture */
  raster.cover.fill(0);
  raster.most.fill(0);
  raster.owners.fill(-1);
  raster.states.fill(-1);
  const shown = laneRows(lanes), share = rows / Math.max(1, shown.lane.length), whole = share >= 1;
  const to = x0 + columns / perSecond;
  const each = (first, count, start, length, visit) => {
    if (start >= to || start + length <= x0) return;
    const a = (start - x0) * perSecond, b = a + length * perSecond;
    let last = -1;
    for (let l = first; l < first + count; l++) {
      const r = shown.row[l];
      if (r < 0) continue;
      const row = whole ? r : Math.floor(r * share);
      if (row === last && !whole) continue; /* lanes of one pixel */
      last = row;
      visit(row, a, b);
    }
  };
  for (let i = 0; i < lanes.rest.start_s.length; i++)
    each(lanes.rest.first[i], lanes.rest.count[i], lanes.rest.start_s[i], lanes.rest.length_s[i], (row, a, b) => {
      for (let c = Math.max(0, Math.floor(a)); c < Math.min(columns, b); c++) raster.states[row * columns + c] = lanes.rest.state[i];
    });
  for (let i = 0; i < lanes.job.length; i++)
    for (let p = lanes.place[i]; p < lanes.place[i + 1]; p += 2)
      each(lanes.gpus[p], lanes.gpus[p + 1], lanes.start_s[i], lanes.length_s[i], (row, a, b) => coverRow(raster, row, a, b, i));
  return raster;
}

function paintLanes(context, lanes) {
  const {canvas, box, x} = context, ratio = Math.min(2, devicePixelRatio || 1), columns = Math.max(1, Math.round((box.right - box.left) * ratio));
  const count = laneRows(lanes).lane.length, high = Math.max(1, Math.round((box.bottom - box.top) * ratio)), rows = Math.min(count || 1, high);
  const [from, to] = x.domain(), raster = rasterLanes(lanes, columns, rows, from, columns / (to - from));
  const {places} = laneColors(lanes), colors = d3.range(COLORS + 1).map((i) => rgb(`--c${i}`)), blank = rgb("--blank"), dull = rgb("--rule"),
        paper = rgb("--paper");
  const rest = [blank, rgb("--asleep"), rgb("--failed"), rgb("--accent-soft")];
  canvas.width = columns;
  canvas.height = high;
  const pen = canvas.getContext("2d"), image = pen.createImageData(columns, high), pixels = new Uint32Array(image.data.buffer);
  const gap = high / rows >= 5 ? Math.max(1, Math.round(ratio)) : 0, pack = (c) => 0xff000000 | c[2] << 16 | c[1] << 8 | c[0];
  const line = new Uint32Array(columns), between = pack(paper);
  for (let row = 0; row < rows; row++) {
    for (let c = 0; c < columns; c++) {
      const at = row * columns + c, owner = raster.owners[at],
            under = from + c * (to - from) / columns > lanes.end_s ? paper : /* another run is longer */
          raster.states[at] >= 0 ? rest[raster.states[at]] :
                                   blank;
      if (owner < 0) {
        line[c] = pack(under);
        continue;
      }
      const over = places[owner] < 0 ? dull : colors[places[owner]], held = Math.min(1, Math.max(0.25, raster.cover[at]));
      line[c] = 0xff000000 | Math.round(under[2] + (over[2] - under[2]) * held) << 16 | Math.round(under[1] + (over[1] - under[1]) * held) << 8 |
          Math.round(under[0] + (over[0] - under[0]) * held);
    }
    const top = Math.floor(row * high / rows), bottom = Math.floor((row + 1) * high / rows);
    for (let py = top; py < bottom; py++)
      if (py >= bottom - gap)
        pixels.fill(between, py * columns, (py + 1) * columns);
      else
        pixels.set(line, py * columns);
  }
  pen.putImageData(image, 0, 0);
  context.raster = raster;
  const {row} = laneRows(lanes);
  labelNodes(context, lanes, count, (first, gpus) => [row[first], row[first] + gpus]);
}

/* Names of nodes, of as many as there is room for, and of GPU types where they begin. rows: of the first GPU of a node, and behind its last. */
function labelNodes({svg, box}, lanes, count, rows) {
  const each = (box.bottom - box.top) / Math.max(1, count), g = svg.append("g"), types = new Set(lanes.nodes.map((n) => n[2]));
  let at = -Infinity, before = null;
  for (const [lane, gpus, type, node] of lanes.nodes) {
    const [first, end] = rows(lane, gpus), high = (end - first) * each, top = box.top + first * each, middle = top + high / 2, opens = type !== before;
    if (first < 0) continue;
    before = type;
    if (first > 0 && (opens || high >= 13)) put(g, "line", {x1: 0, x2: box.left, y1: top, y2: top, stroke: "var(--rule)"});
    if (middle - at < (opens || high >= 13 ? 12 : 26)) continue;
    at = middle;
    put(g, "text", {x: box.left - 8, y: middle + 4, "text-anchor": "end"}).text(name(high < 13 && opens && types.size > 1 ? lanes.types[type] : `node ${node}`, 8));
  }
}

/* "GPU 3 of node 1", or the nodes of a row of several GPUs. */
function gpuPlace({nodes}, first, count = 1) {
  const on = nodes.filter(([lane, gpus]) => lane < first + count && lane + gpus > first), at = on[0];
  return count === 1 ? `GPU ${first - at[0]} of node ${at[3]}` :
      on.length === 1 ? `GPUs ${first - at[0]} to ${first - at[0] + count - 1} of node ${at[3]}` :
                        `${count} GPUs of nodes ${listed(on.map((n) => n[3]))}`;
}

function segmentTip(lanes, i, others) {
  const {jobs} = lanes, j = lanes.job[i], gpus = [];
  for (let p = lanes.place[i]; p < lanes.place[i + 1]; p += 2) gpus.push(lanes.gpus[p + 1]);
  const start = lanes.start_s[i], length = lanes.length_s[i], labels = lanes.labels.map((l) => [name(l.key, 20), bdi(l.values[l.job[j]], 30)]);
  return [
    strong("job ", bdi(jobs.id[j], 60)), definitions([
      ["user", bdi(lanes.users[jobs.user[j]], 40)], ["model", lanes.models[jobs.model[j]] ? bdi(lanes.models[jobs.model[j]], 40) : null], ...labels,
      ["what", KINDS[lanes.kind[i]]], ["from", timeText(start)], ["for", seconds(length)],
      ["GPUs", `${number(sum(gpus))} ${name(lanes.types[lanes.type[i]], 24)}`],
      ["in", lanes.tiers ? bdi(lanes.tiers[lanes.tier[i]].replace("_", " "), 30) : null],
      ["plan", lanes.plans && lanes.plan[i] >= 0 ? lanes.plans[lanes.plan[i]] : null],
      ["synchronization", lanes.sync_share && lanes.sync_share[i] >= 0 ? percent(lanes.sync_share[i]) : null], ["energy", quantity(lanes.energy_j[i], "J")],
      ["submitted", timeText(jobs.submit_ms[j] / 1000)], ["waited", jobs.wait_ms[j] < 0 ? null : seconds(jobs.wait_ms[j] / 1000)],
      ["completion time", jobs.rest_ms[j] < 0 ? "not finished" : seconds((finishOf(jobs, j) - jobs.submit_ms[j]) / 1000)]
    ]),
    others ? make("div", {class: "note"}, "Others share this pixel: zoom in.") : ""
  ];
}

function lanesTip(lanes, at, px, py, context) {
  const {raster, box} = context, column = Math.floor(px / (box.right - box.left) * raster.columns), row = Math.floor(py / (box.bottom - box.top) * raster.rows);
  if (column < 0 || column >= raster.columns || row < 0 || row >= raster.rows) return null;
  const place = row * raster.columns + column, owner = raster.owners[place];
  if (owner >= 0) return segmentTip(lanes, owner, raster.cover[place] > raster.most[place] + 0.05);
  const shown = laneRows(lanes), lane = shown.lane[Math.floor(row * shown.lane.length / raster.rows)];
  return [
    strong(raster.states[place] >= 0 ? STATES[raster.states[place]] : "free"),
    definitions([["at", timeText(at)], ["where", gpuPlace(lanes, lane)], ["type", bdi(lanes.types[laneTypes(lanes)[lane]], 24)]])
  ];
}

/* The keys n and p walk through the segments that are shown and not filtered out. */
function walkSegments(lanes, event, context) {
  if (event.key !== "n" && event.key !== "p") {
    if (event.key !== "Escape") return false;
    hideTip();
    return true;
  }
  const {places} = laneColors(lanes), shown = laneRows(lanes), [from, to] = context.x.domain(), step = event.key === "n" ? 1 : -1;
  let i = lanes.walked === undefined ? (step > 0 ? -1 : lanes.job.length) : lanes.walked;
  for (i += step; i >= 0 && i < lanes.job.length; i += step)
    if (places[i] >= 0 && shown.row[lanes.gpus[lanes.place[i]]] >= 0 && lanes.start_s[i] < to && lanes.start_s[i] + lanes.length_s[i] > from) break;
  if (i < 0 || i >= lanes.job.length) {
    lanes.walked = undefined;
    announce("No further segment in the shown time.");
    hideTip();
    return true;
  }
  lanes.walked = i;
  const content = segmentTip(lanes, i), place = context.surface.getBoundingClientRect(), row = shown.row[lanes.gpus[lanes.place[i]]];
  showTip(place.left + Math.max(context.box.left, context.x(lanes.start_s[i])), place.top + (row + 0.5) * place.height / shown.lane.length, ...content);
  announce($("tip").innerText.replace(/\s+/g, " "));
  return true;
}
