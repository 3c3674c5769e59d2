/* Who got what: GPU time against entitlement, slowdown and energy of every user. */

const MOST_USERS = 30;

function userRows(policy) {
  const rows = records(policy.users), gpu = sum(rows.map((r) => r.gpu_s)), weights = sum(rows.filter((r) => r.demand_gpu_s > 0).map((r) => r.weight));
  const energy = sum(rows.map((r) => r.energy_kwh));
  for (const r of rows) {
    r.held = gpu > 0 ? r.gpu_s / gpu : 0;
    r.entitled = weights > 0 && r.demand_gpu_s > 0 ? r.weight / weights : 0;
    r.share = energy > 0 ? r.energy_kwh / energy : 0;
  }
  return rows.sort((a, b) => b.gpu_s - a.gpu_s);
}

function drawUsers(svg, width, rows) {
  const room = nameRoom(rows.map((r) => r.user), width), two = width > 620, each = 20, gap = 30;
  const panel = two ? (width - room - gap) / 2 : width - room, height = (rows.length * each + 64) * (two ? 1 : 2);
  svg.attr("viewBox", `0 0 ${width} ${height}`).attr("height", height);
  const draw = (left, top, title, values, mark, labels) => {
    const bottom = top + rows.length * each, high = d3.max(rows, (r) => Math.max(values(r) || 0, mark ? mark(r) : 0)) || 1;
    const x = d3.scaleLinear().domain([0, high * 1.05]).range([left, left + panel - 8]);
    put(svg, "g", {class: "grid", transform: `translate(0,${bottom})`})
        .call(d3.axisBottom(x).ticks(4).tickSize(top - bottom).tickPadding(6).tickFormat(labels));
    put(svg, "text", {class: "title", x: left, y: top - 10}).text(title);
    rows.forEach((r, i) => {
      const at = top + (i + 0.5) * each, v = values(r), g = svg.append("g").datum(r);
      if (left === room) put(svg, "text", {x: left - 10, y: at + 4, "text-anchor": "end"}).call(fitName, r.user === "" ? "(no name)" : r.user, room);
      if (v === null) return;
      put(g, "rect", {x: left, y: at - 6, height: 12, width: Math.max(1, x(v) - left), fill: "var(--accent)", opacity: 0.85});
      if (mark) put(g, "line", {x1: x(mark(r)), x2: x(mark(r)), y1: at - 9, y2: at + 9, stroke: "var(--warm)", "stroke-width": 2.5});
      withTip(g, `${name(r.user, 40)}: ${title} ${labels(v)}`, () => [strong(bdi(r.user)), definitions([
        ["share of GPU time held", percent(r.held)], ["entitled share", percent(r.entitled)], ["share of the energy of jobs", percent(r.share)],
        ["mean slowdown", r.slowdown_mean === null ? "\u2013" : number(r.slowdown_mean)],
        ["mean completion time", r.jct_mean_s === null ? "\u2013" : seconds(r.jct_mean_s)], ["jobs", number(r.jobs, 9)]
      ])]);
    });
  };
  draw(room, 26, "share of GPU time held (%)", (r) => r.held, (r) => r.entitled, (v) => number(100 * v));
  draw(two ? room + panel + gap : room, two ? 26 : height / 2 + 26, "mean bounded slowdown", (r) => r.slowdown_mean, null, (v) => number(v));
}

function fairnessSection() {
  const policy = POLICY();
  if (!policy.users || policy.users.rows.length === 0) return [absent(policy.absent.users)];
  const rows = userRows(policy), shown = rows.slice(0, MOST_USERS), own = sum(rows.map((r) => r.held)) ** 2 / rows.length / sum(rows.map((r) => r.held ** 2)),
        facts = ["jain_gpu_s", "jain_slowdown", "ftf_mean", "ftf_max"].filter((m) => estimate(policy, m).mean !== null);
  const out = [];
  if (facts.length)
    out.push(make("p", {}, ...facts.flatMap((m, i) => [i ? "; " : "", `${metricLabel(m)} `, strong(estimateText(m, estimate(policy, m)))]),
        ". A Jain index of 1 means that all users fare alike, 1/n that one of n has all. That of GPU time does not compare the shares drawn below",
        own < 1 ? ` (their own index is ${number(own)})` : "",
        ": it divides the GPU time of each user by what the user could have had, the lesser of its demand and its entitled share. That of slowdown compares the users' mean bounded slowdowns. Finish-time fairness is the completion time of a job over the one it would have with its share of the GPUs to itself."));
  out.push(figure({
    label: `Share of GPU time and mean slowdown of ${plural(shown.length, "user", "users")}`,
    caption: `Replication ${policy.replication}, ${
        shown.length < rows.length ? `the ${shown.length} of ${rows.length} users that held most GPU time` :
                                     "all users"}. The upright mark is the share that the weights of those with demand entitle to.`,
    draw: (svg, width) => drawUsers(svg, width, shown),
    behind: () => table({
      caption: "Users",
      rows,
      most: 500,
      columns: [
        text("user", (r) => bdi(r.user, 40)), num("weight", (r) => r.weight), num("jobs", (r) => r.jobs), num("GPU time", (r) => quantity(r.gpu_s, "GPU s")),
        num("held", (r) => percent(r.held)), num("entitled", (r) => percent(r.entitled)), num("energy", (r) => quantity(r.energy_kwh, "kWh")),
        num("completion time, mean", (r) => seconds(r.jct_mean_s)), num("slowdown, mean", (r) => number(r.slowdown_mean))
      ]
    })
  }));
  return out;
}
