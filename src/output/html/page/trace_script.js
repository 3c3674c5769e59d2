/* The page of easim trace. Text comes in as text nodes only, never as markup. */

const data = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
const COLORS = {1: "var(--c0)", 2: "var(--c1)", 4: "var(--c2)"};
const CLASS_NAMES = {1: "compute", 2: "communication", 4: "copies"};

function make(tag, attributes = {}, ...children) {
  const element = tag.startsWith("svg:") ? document.createElementNS(SVG, tag.slice(4)) : document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(key, value);
  element.append(...children.filter((c) => c !== null));
  return element;
}

const digits = (value, most = 1) => value === null || value === undefined ? "–" :
  value.toLocaleString("en-US", {maximumFractionDigits: most, minimumFractionDigits: most});
const percent = (value) => value === null ? "–" : `${digits(value)} %`;
const ms = (us) => us === null ? "–" : digits(us / 1000, 3);

function section(id, title, ...children) {
  document.getElementById("main").append(make("section", {id}, make("h2", {}, title), ...children));
  document.getElementById("contents").append(make("li", {}, make("a", {href: `#${id}`}, title)));
}

function bars(rows, most) {
  const widest = most || Math.max(...rows.map((r) => r.value), 1e-9);
  return make("div", {}, ...rows.map((r) => make("div", {class: "bar"}, make("span", {}, r.name),
      make("span", {class: "track"}, make("i", {style: `width: ${Math.max(0, 100 * r.value / widest)}%`})),
      make("span", {class: "value"}, r.text || percent(r.value)))));
}

/* columns: [title, cell(row), is a number] */
function table(caption, columns, rows, most = 50) {
  const left = rows.length - most;
  const body = rows.slice(0, most).map((row) => make("tr", {}, ...columns.map(([, cell, isNumber]) =>
      make("td", {class: isNumber ? "number" : cell(row) instanceof Element ? "wide" : null}, cell(row) ?? "–"))));
  const whole = make("table", {}, make("caption", {}, make("span", {}, caption + (left > 0 ? ` (the first ${most} of ${rows.length})` : "") + (rows.length > 16 ? "; scroll down for more" : ""))),
      make("thead", {}, make("tr", {}, ...columns.map(([title, , isNumber]) => make("th", {scope: "col", class: isNumber ? "number" : null}, title)))),
      make("tbody", {}, ...body));
  return make("div", {class: rows.length > 16 ? "scroll tall" : "scroll", tabindex: 0, role: "region", "aria-label": caption}, whole);
}

/* A name of a kernel is cut; the whole one shows above it. */
const short = (name) => make("span", {title: name}, name.replace(/^void /, "").replace(/^(.{70})...+/, "$1\u2026"));
const keys = (list) => make("p", {class: "keys"}, ...list.map(([name, color]) => make("span", {}, make("i", {style: `background: ${color}`}), name)));
const WIDE = Math.min(1000, Math.max(340, document.getElementById("main").clientWidth));

function chart(width, height, label, ...children) {
  return make("svg:svg", {class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label}, ...children);
}

/* ---- Verdict ---- */

const w = data.window, v = data.verdict;
document.getElementById("title").textContent = v.bound ? `Bound by: ${v.bound === "mixed" ? `${v.largest} and ${v.next}` : v.bound}` : "An empty window";
document.title = `easim trace: ${v.bound || "empty window"}`;
document.getElementById("subtitle").textContent = `${w.ranks} rank${w.ranks > 1 ? "s" : ""}${w.gpu ? ` of ${w.gpu}` : ""}` +
  `${w.first_step !== undefined ? `, step${w.first_step === w.last_step ? "" : `s ${w.first_step} to`} ${w.last_step}` : ""}, window ${ms(w.length_us)} ms`;

if (v.bound) {
  const evidence = [`Largest share of the critical path: ${v.largest}, ${percent(v.largest_percent)}; next: ${v.next}, ${percent(v.next_percent)}.`,
    `Without ${v.largest} the window would be ${percent(v.saved_if_removed_percent)} shorter.`];
  for (const text of v.evidence) evidence.push(`${text[0].toUpperCase()}${text.slice(1)}.`);
  if (v.kernels_bound) evidence.push(`Most kernel time on the path is bound by: ${v.kernels_bound}.`);
  if (data.what_if) evidence.push(`With ${data.what_if.change} the window would take ${ms(data.what_if.length_us)} ms, ${percent(data.what_if.saved_percent)} less.`);
  const named = (list) => list.filter((r) => r.us > 0).map((r) => ({name: r.name, value: r.percent}));
  section("verdict", "Verdict", make("p", {class: "lead"}, evidence.join(" ")),
      make("div", {class: "two"}, make("div", {}, make("h3", {}, "Critical path"), bars(named(data.path), 100)),
          make("div", {}, make("h3", {}, "Time by state of the GPU"), bars(named(data.states), 100))),
      make("h3", {}, "Saved if removed"),
      bars(data.classes.filter((c) => c.path_percent > 0).map((c) => ({name: c.name, value: c.saved_if_removed_percent})), 100));
}

/* ---- Anti-patterns ---- */

const found = data.patterns.filter((p) => p.found), unjudged = data.patterns.filter((p) => p.found === null);
const exceeds = (p) => [[p.what, p.value, p.above], [p.second_what, p.second_value, p.second_above]]
  .filter(([, value, above]) => value !== null && value > above).map(([what, value, above]) => `${what}: ${digits(value)} > ${above}`).join("; ");
section("patterns", "Anti-patterns", found.length === 0 ? make("p", {}, "None of the rules that the trace allows to judge finds anything.") :
    table("Rules above their threshold, on the worst rank", [["rule", (p) => p.name], ["rank", (p) => p.rank, true], ["found", (p) => make("span", {}, exceeds(p))],
      ["try", (p) => make("span", {}, p.remedy)]], found),
    unjudged.length > 0 ? make("p", {class: "note"}, `Not judged: ${unjudged.map((p) => `${p.name} (no ${p.missing})`).join(", ")}.`) : null);

/* ---- Ranks ---- */

if (data.ranks.length > 1) {
  const share = (rank, name) => (rank.path.find((p) => p.name === name) || {}).percent;
  const columns = [["rank", (r) => r.rank, true], ["bound by", (r) => r.bound], ["window ms", (r) => ms(r.window_us), true],
    ...["kernels", "communication", "imbalance", "host", "input", "blocked"].map((name) => [`${name} %`, (r) => digits(share(r, name)), true]),
    ["path of the job ms", (r) => ms(r.path_across_us), true]];
  section("ranks", "Ranks", make("p", {}, "The last column is the time that the critical path across ranks spends on each rank."),
      table("Critical path of each rank", columns, data.ranks));
}

/* ---- Timeline of one step ---- */

const events = data.timeline.events;
if (events.length > 0) {
  const streams = [...new Set(events.map((e) => e.stream))].sort((a, b) => a - b);
  const width = WIDE, high = 26, left = 70, scale = (width - left) / data.timeline.length_us;
  const rows = events.map((e) => make("svg:rect", {x: left + Math.max(0, e.at_us) * scale, y: streams.indexOf(e.stream) * high + 2,
    width: Math.max(.6, Math.min(e.us, data.timeline.length_us - e.at_us) * scale), height: high - 6, fill: COLORS[e.class]},
    make("svg:title", {}, `${e.name.slice(0, 160)}: ${digits(e.us)} µs`)));
  const labels = streams.map((s, i) => make("svg:text", {x: 0, y: i * high + high / 2 + 4}, s < 0 ? "other" : `stream ${s}`));
  const ends = [make("svg:text", {x: left, y: streams.length * high + 14}, "0 ms"),
    make("svg:text", {x: width, y: streams.length * high + 14, "text-anchor": "end"}, `${ms(data.timeline.length_us)} ms`)];
  const {rank, step} = data.timeline;
  section("timeline", step === null ? "GPU work" : "GPU work of one step",
      make("p", {}, [w.ranks > 1 ? `Rank ${rank}.` : null, step === null ? "The whole window." : `Step ${step}${w.first_step === w.last_step ? "" : ", of the length nearest to the median"}.`].join(" ")),
      keys(Object.keys(CLASS_NAMES).filter((c) => events.some((e) => e.class === Number(c))).map((c) => [CLASS_NAMES[c], COLORS[c]])),
      chart(width, streams.length * high + 20, "GPU work by stream over one step", ...rows, ...labels, ...ends),
      data.timeline.not_listed > 0 ? make("p", {class: "note"}, `${digits(data.timeline.not_listed, 0)} later events are left out.`) : null);
}

/* ---- Kernels ---- */

if (data.kernels.length > 0) {
  const tera = (value) => value === null ? "–" : digits(value / 1e12, 2);
  const columns = [["kernel", (k) => short(k.name)], ["family", (k) => k.family], ["count", (k) => digits(k.count, 0), true],
    ["total ms", (k) => ms(k.total_us), true], ["share %", (k) => digits(k.share_percent), true], ["on path ms", (k) => ms(k.path_us), true],
    ["mean µs", (k) => digits(k.mean_us, 2), true], ["p99 µs", (k) => digits(k.p99_us), true], ["TFLOP/s", (k) => tera(k.flop_s), true],
    ["TB/s", (k) => tera(k.bytes_s), true], ["of peak %", (k) => digits(k.roofline_percent), true], ["bound", (k) => k.bound]];
  if (data.kernels[0].changed !== undefined)
    columns.push(["before µs a step", (k) => digits(k.before_per_step_us), true], ["now µs a step", (k) => digits(k.per_step_us), true],
      ["changed", (k) => k.changed ? "yes" : ""]);
  section("kernels", "Kernels", bars(data.families.map((f) => ({name: f.family, value: f.share_percent})), 100),
      make("p", {class: "note"}, data.peaks.gpu ? `Peaks of the GPU: ${data.peaks.gpu === "given" ? "as given" : `data sheet of ${data.peaks.gpu}`}.` : "The peaks of this GPU are not known, so shares of them are absent."),
      table("Kernels, the longest first", columns, data.kernels),
      data.kernels_removed.length > 0 ? make("h3", {}, "Saved if a kernel took no time") : null,
      data.kernels_removed.length > 0 ? table("Longest kernels of the critical path", [["kernel", (k) => short(k.kernel)],
        ["saved ms", (k) => ms(k.saved_if_removed_us), true], ["saved %", (k) => digits(k.saved_if_removed_percent), true]], data.kernels_removed) : null);
}

/* ---- Communication ---- */

if (data.communication.length > 0)
  section("communication", "Communication by group", table("Collectives by group", [["group", (r) => r.group], ["collective", (r) => r.collective],
    ["ranks", (r) => r.size, true], ["count", (r) => digits(r.count, 0), true], ["total ms", (r) => ms(r.total_us), true],
    ["MB", (r) => r.bytes === null ? "–" : digits(r.bytes / 1e6, 2), true], ["bus GB/s", (r) => r.bus_bytes_s === null ? "–" : digits(r.bus_bytes_s / 1e9, 2), true],
    ["exposed %", (r) => digits(r.exposed_percent), true], ["imbalance %", (r) => digits(r.imbalance_percent), true]], data.communication));

/* ---- Memory ---- */

const mb = (bytes) => bytes === null || bytes === undefined ? "–" : digits(bytes / 1e6, 2);
const remembered = data.ranks.filter((r) => r.memory.events > 0);
if (remembered.length > 0) {
  const worst = remembered.reduce((a, b) => b.memory.peak_allocated_bytes > a.memory.peak_allocated_bytes ? b : a);
  const points = data.memory_timeline.filter((p) => p.rank === worst.rank), m = worst.memory;
  const most = Math.max(...points.map((p) => Math.max(p.most_bytes, p.reserved_bytes || 0)), 1), least = Math.min(0, ...points.map((p) => p.least_bytes));
  const width = WIDE, height = 220, x = (us) => 10 + (width - 20) * us / worst.window_us, y = (b) => height - 20 - (height - 40) * (b - least) / (most - least);
  /* A level lasts until the next event. */
  const line = (most, last, color) => make("svg:path", {fill: "none", stroke: color, "stroke-width": 1.5,
    d: points.filter((p) => p[most] !== null).map((p, i) => `${i > 0 ? "H" : "M"} ${x(p.at_us)}${i > 0 ? " V" : ""} ${y(p[most])} V ${y(p[last])}`).join(" ") + ` H ${x(worst.window_us)}`});
  const start = m.level_at_start_known ? "" : "start + ", reserves = points.some((p) => p.reserved_bytes !== null);
  const facts = [`Peak ${start}${mb(m.peak_allocated_bytes)} MB allocated`,
    m.peak_reserved_bytes !== null ? `${mb(m.peak_reserved_bytes)} MB reserved` : null,
    m.fragmentation !== null ? `fragmentation ${percent(100 * m.fragmentation)}` : null,
    m.leaks ? `it leaks ${mb(m.growth_per_step_bytes)} MB a step` : m.leak_judged ? "no leak" : "leaks not judged: under 6 steps",
    m.before_window_bytes !== undefined ? `${mb(m.before_window_bytes)} MB from before the window` : "what holds it is not known: no addresses"];
  const holders = data.memory_holders.filter((h) => h.rank === worst.rank);
  section("memory", "GPU memory", make("p", {class: "lead"}, `${facts.filter((f) => f).join("; ")}.`),
      keys([["allocated", "var(--c0)"], ...reserves ? [["reserved", "var(--c1)"]] : []]),
      chart(width, height, "GPU memory over the window", reserves ? line("reserved_bytes", "reserved_bytes", "var(--c1)") : null, line("most_bytes", "last_bytes", "var(--c0)"),
          make("svg:text", {x: 10, y: 14}, `${start}${mb(most)} MB`), make("svg:text", {x: 10, y: height - 4}, `${start}${mb(least)} MB`), make("svg:text", {x: width - 10, y: height - 4, "text-anchor": "end"}, `${ms(worst.window_us)} ms`)),
      holders.length > 0 ? table("What holds memory", [["by", (h) => h.by], ["name", (h) => short(h.name ?? "outside of any")], ["alive", (h) => h.alive],
        ["MB", (h) => mb(h.bytes), true], ["allocations", (h) => digits(h.count, 0), true]], holders) : null);
}

document.documentElement.dataset.ready = "1";
