/* Where the energy went: the classes of waste, which add up to the energy of the cluster. */

const GROUPS = {
  "useful": 2,
  "idle": 8,
  "overhead": 1,
  "lost by choice": 5,
  "crowded out": 3,
  "base": 4,
  "throttled": 6
};
const CLASS_WORDS = {
  "base": "nodes without their GPUs",
  "asleep": "GPUs asleep",
  "failed node": "GPUs of failed nodes: no energy",
  "reserved": "free GPUs kept for a replica",
  "held back": "free, and a job that waits would have fitted",
  "fragmented": "free, and none of those who wait for the type fits",
  "idle": "free, and nobody waits for the type",
  "set-up": "first set-ups of jobs",
  "reconfigured": "set-ups, checkpoints and lost work of preemptions and resizes",
  "failed": "the same of node failures",
  "throttled": "held below the power of their wish by the cap; below 0: energy saved",
  "slowed": "jobs slower than their model: noise, interference, storage",
  "spread": "placed on several nodes where the empty cluster has one",
  "batch": "another batch or power limit would have been cheaper",
  "over-scaled": "fewer GPUs of the type would have been cheaper",
  "misplaced": "something free at the start would have been cheaper",
  "crowded out": "the cheaper GPUs were taken by others",
  "underused": "replicas below the load that they could serve",
  "useful": "what the cheapest allowed configuration would have taken",
};

function wasteClasses(policy) { return policy.waste || []; }

function wasteGroups(classes) {
  const groups = [];
  for (const c of classes) {
    let g = groups.find((o) => o.name === c.group);
    if (!g) groups.push(g = {name: c.group, j: 0, gpu_s: 0, classes: []});
    g.j += c.j;
    g.gpu_s += c.gpu_s;
    g.classes.push(c);
  }
  const order = Object.keys(GROUPS);
  return groups.filter((g) => order.includes(g.name)).sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
}

function drawWaste(svg, width, all) {
  const rows = all.map((p) => ({p, groups: wasteGroups(wasteClasses(p)), total: sum(wasteClasses(p).map((c) => c.j))})),
        room = rows.length > 1 ? nameRoom(rows.map((r) => r.p.name), width) : 0, left = room || 14;
  const each = rows.length > 1 ? 26 : 46, height = rows.length * each + 40, most = d3.max(rows, (r) => sum(r.groups.map((g) => Math.max(0, g.j)))) || 1,
        least = d3.min(rows, (r) => sum(r.groups.map((g) => Math.min(0, g.j)))) || 0;
  svg.attr("viewBox", `0 0 ${width} ${height}`).attr("height", height);
  const s = scale("J", most), x = d3.scaleLinear().domain([least * s.factor, most * s.factor]).range([left, width - 20]);
  put(svg, "g", {class: "axis", transform: `translate(0,${rows.length * each + 2})`})
      .call(d3.axisBottom(x).ticks(Math.max(3, Math.floor(width / 110))).tickFormat((v) => `${number(v, 4)} ${s.unit}`));
  rows.forEach((row, i) => {
    let up = 0, down = 0;
    if (room)
      put(svg, "text", {x: room - 10, y: (i + 0.5) * each + 4, "text-anchor": "end", class: row.p === POLICY() ? "strong" : null})
          .call(fitName, row.p.name, room);
    for (const g of row.groups) {
      const from = g.j >= 0 ? up : down + g.j, to = from + Math.abs(g.j);
      if (g.j >= 0)
        up = to;
      else
        down = from;
      if (g.j === 0) continue;
      const a = x(from * s.factor), b = x(to * s.factor), mark = svg.append("g").datum(g);
      put(mark, "rect", {x: a, y: i * each + 3, width: Math.max(0.5, b - a - 1), height: each - 6, fill: `var(--c${GROUPS[g.name]})`});
      if (rows.length === 1 && b - a > 62)
        put(mark, "text", {x: a + 8, y: each / 2 + 4, style: "fill: #10161d"})
            .text(`${name(g.name, Math.floor((b - a - 50) / 7))} ${number(100 * g.j / row.total, 2)} %`);
      withTip(mark, `${name(g.name)}: ${quantity(g.j, "J")}, ${percent(g.j / row.total)}`,
          () => [strong(g.name),
              definitions([["energy", quantity(g.j, "J")], ["share", percent(g.j / row.total)], ...g.classes.map((c) => [c.name, quantity(c.j, "J")])])]);
    }
  });
}

function wasteSection() {
  const policy = POLICY(), classes = wasteClasses(policy), total = sum(classes.map((c) => c.j));
  const s = scale("J", total);
  if (!policy.waste) return [absent(policy.absent.waste)];
  const withWaste = DATA.policies.filter((p) => p.waste);
  return [
    make("p", {},
        "Every joule of the measured time belongs to one class; \u201clost by choice\u201d and \u201ccrowded out\u201d are what jobs took above the cheapest configuration that was allowed to them."),
    figure({
      label: `Energy by class of waste: ${wasteGroups(classes).map((g) => `${g.name} ${percent(g.j / total)}`).join(", ")}`,
      caption: `Replication ${policy.replication}${withWaste.length > 1 ? `, every ${DATA.several ? "run" : "policy"}; shares below are those of ${name(policy.name, 40)}` : ""}.`,
      draw: (svg, width) => drawWaste(svg, width, withWaste)
    }),
    legend(wasteGroups(classes).map((g) => [`var(--c${GROUPS[g.name]})`, `${g.name}, ${percent(g.j / total, 2)}`])), table({
      caption: "Classes of waste; they add up to the energy of the cluster",
      rows: [...classes, {name: "all", group: "", j: total, gpu_s: sum(classes.map((c) => c.gpu_s))}],
      chosen: (c) => c.name === "all",
      columns: [
        text("class", (c) => c.name), text("called", (c) => c.group), num("energy", (c) => plainNumber(c.j * s.factor, total * s.factor), s.unit),
        num("share", (c) => percent(total ? c.j / total : 0)), num("GPU time", (c) => plainNumber(c.gpu_s / 3600, 1), "GPU h"),
        {title: "what", wide: true, cell: (c) => CLASS_WORDS[c.name] || ""}
      ],
      most: 40
    })
  ];
}
