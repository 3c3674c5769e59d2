/* Who caused how much: an icicle over the levels of a path, into which one goes by a click or Enter. */

const ATTRIBUTED = {
  energy_j: ["energy", "J"],
  gpu_s: ["GPU time", "GPU s"],
  co2_kg: ["CO2", "kg"],
  cost: ["cost", "currency of the prices"]
};
const drill = {
  measure: "energy_j",
  at: 0,
  policy: null
};

/* The tree of a table of nodes: each has a name, its parent, and what is its own and below. */
function attributionTree(a) {
  if (a.tree) return a.tree;
  const nodes = a.nodes.name.map((text, i) => ({
    id: i,
    name: text,
    parent: a.nodes.parent[i],
    level: 0,
    children: [],
    values: Object.fromEntries(Object.keys(ATTRIBUTED).filter((m) => a.nodes[m]).map((m) => [m, a.nodes[m][i]]))
  }));
  for (const node of nodes.slice(1)) {
    node.level = nodes[node.parent].level + 1;
    nodes[node.parent].children.push(node);
  }
  a.tree = nodes;
  return nodes;
}

const nodeName = (node) => node.id === 0 ? "all" : node.name || "(no name)";
const nodeWords = (a, node) => node.id === 0 ? "all" : `${name(a.path[node.level - 1] || "", 30)} ${name(nodeName(node), 40)}`;

function drawIcicle(svg, width, a, redraw) {
  const nodes = attributionTree(a), root = nodes[drill.at], levels = Math.min(3, a.path.length - root.level + 1), high = 44, height = levels * high + 6,
        total = root.values[drill.measure];
  svg.attr("viewBox", `0 0 ${width} ${height}`).attr("height", height).attr("class", "icicle").attr("role", "group");
  const x = d3.scaleLinear().domain([0, total > 0 ? total : 1]).range([0, width]);
  const draw = (node, from, depth, place) => {
    const value = Math.max(0, node.values[drill.measure] || 0), w = x(value);
    if (w < 0.4) return;
    const left = x(from), fill = depth === 0 ? "var(--rule)" : `var(--c${Math.min(place, COLORS)})`,
          g = svg.append("g").datum(node).attr("transform", `translate(${left},${depth * high})`);
    put(g, "rect", {width: Math.max(0.4, w), height: high - 2, fill, opacity: depth === 0 ? 1 : 0.62 - 0.17 * (depth - 1)});
    if (w > 46) {
      put(g, "text", {x: 7, y: 18, class: "strong"}).text(name(nodeName(node), Math.floor((w - 12) / 8)));
      if (w > 72) put(g, "text", {x: 7, y: 33}).text(`${number(100 * value / total, 3)} %`);
    }
    const goes = node.id === drill.at ? node.id !== 0 : node.children.length > 0, act = () => {
      if (goes) redraw(node.id === drill.at ? nodes[node.parent].id : node.id);
    };
    if (depth < 2 || w > 12) {
      withTip(g,
          `${nodeWords(a, node)}: ${quantity(value, ATTRIBUTED[drill.measure][1])}, ${percent(total ? value / total : 0)}${goes ? "; Enter goes there" : ""}`,
          () => [strong(bdi(nodeWords(a, node), 80)), definitions([
            ...Object.keys(node.values).map((m) => [ATTRIBUTED[m][0], quantity(node.values[m], ATTRIBUTED[m][1])]),
            ["share of what is shown", percent(total ? value / total : 0)]
          ])]);
      g.attr("role", goes ? "button" : "img").on("click", act).on("keydown", () => {
        if (d3.event.key !== "Enter" && d3.event.key !== " ") return;
        d3.event.preventDefault();
        act();
      });
    }
    if (depth + 1 >= levels) return;
    let at = from, colored = 0; /* what nobody holds has the colour of the many small ones */
    [...node.children].sort((p, q) => q.values[drill.measure] - p.values[drill.measure]).forEach((child) => {
      draw(child, at, depth + 1, depth > 0 ? place : child.name === a.nobody ? COLORS : colored++);
      at += Math.max(0, child.values[drill.measure] || 0);
    });
  };
  draw(root, 0, 0, 0);
}

function attributionSection() {
  const policy = POLICY(), a = policy.attribution;
  if (!a) return [absent(policy.absent.attribution)];
  if (drill.policy !== policy.name) drill.at = 0;
  drill.policy = policy.name;
  const nodes = attributionTree(a), place = make("div"), usable = Object.keys(ATTRIBUTED).filter((m) => a.nodes[m]);
  const show = (to, focus) => {
    drill.at = to;
    const path = [];
    for (let n = nodes[to];; n = nodes[n.parent]) {
      path.unshift(n);
      if (n.id === 0) break;
    }
    const crumbs = make("div", {class: "crumbs", role: "group", "aria-label": "Where in the attribution"},
        ...path.flatMap(
            (n, i) => [i ? " \u203a " : "",
                make("button", {type: "button", "aria-current": n.id === to ? "true" : null, onclick: () => show(n.id, true)}, bdi(nodeWords(a, n), 40))]));
    hideTip();
    place.replaceChildren(crumbs, figure({
      label: `Attribution of ${ATTRIBUTED[drill.measure][0]} along ${a.path.map((p) => name(p, 30)).join(", ")}: ${nodeWords(a, nodes[to])}`,
      caption: [a.note, " A click or Enter on a bar goes into it, on the uppermost bar back."],
      draw: (svg, width) => drawIcicle(svg, width, a, (id) => show(id, true))
    }),
        table({
          caption: `Below ${nodeWords(a, nodes[to])}`,
          rows: [...nodes[to].children].sort((p, q) => q.values[drill.measure] - p.values[drill.measure]),
          most: 100,
          columns: [
            text(a.path[nodes[to].level] || "",
                (n) => n.children.length ? make("button", {type: "button", onclick: () => show(n.id, true)}, bdi(nodeName(n), 40)) : bdi(nodeName(n), 40)),
            ...usable.map((m) => {
              const most = d3.max(nodes[to].children, (n) => n.values[m] || 0) || 0, s = scale(ATTRIBUTED[m][1], most);
              return num(ATTRIBUTED[m][0], (n) => plainNumber(n.values[m] * s.factor, most * s.factor), s.unit);
            }),
            num("share", (n) => percent(nodes[to].values[drill.measure] ? n.values[drill.measure] / nodes[to].values[drill.measure] : 0))
          ]
        }));
    drawCharts();
    if (focus) {
      announce(`Attribution of ${nodeWords(a, nodes[to])}`);
      const bar = place.querySelector(".icicle g");
      if (bar) bar.focus({preventScroll: true});
    }
  };
  show(drill.at);
  const measure = (m) => {
    drill.measure = m;
    show(drill.at);
  };
  return [chooser("Measure", usable.map((m) => [m, ATTRIBUTED[m][0]]), drill.measure, measure), place];
}
