/* The section of the timeline: filters, colours, the chart, the table behind it. */

function laneFilters(lanes, redraw) {
  const sorted = (names, order) => order.filter((i) => names[i] !== "").map((i) => [names[i], names[i]]);
  const values = make("span", {}), change = (key) => (v) => {
    filters[key] = v;
    redraw();
  };
  const offerValues = () => {
    const label = lanes.labels.find((l) => l.key === filters.label);
    values.replaceChildren(...(label ? [select("is", [["", "anything"], ...label.values.map((v) => [v, v])], filters.value, change("value"))] : []));
  };
  offerValues();
  const all = [
    select("Colored by", [["user", "user"], ["model", "model"], ["kind", "what it does"]], filters.by, change("by")),
    select("User", [["", "all"], ...sorted(lanes.users, lanes.byUser.order)], filters.user, change("user")),
    select("Model", [["", "all"], ...sorted(lanes.models, lanes.byModel.order)], filters.model, change("model"))
  ];
  if (lanes.types.length > 1) all.push(select("GPU type", [["", "all"], ...lanes.types.map((t) => [t, t])], filters.type, change("type")));
  if (lanes.labels.length)
    all.push(select("Label", [["", "none"], ...lanes.labels.map((l) => [l.key, l.key])], filters.label, (v) => {
      filters.label = v;
      filters.value = "";
      offerValues();
      redraw();
    }), values);
  return make("div", {class: "tools", role: "group", "aria-label": "What the timeline shows"}, ...all);
}

function laneLegend(lanes) {
  const of = (by, names) =>
      [...by.order.slice(0, COLORS).filter((i) => names[i] !== undefined).map((i, place) => [`var(--c${place})`, names[i] === "" ? "(no name)" : names[i]]),
          ...(names.length > COLORS ? [[`var(--c${COLORS})`, `${plural(names.length - COLORS, "other", "others")}`]] : [])];
  const serves = lanes.kind.some((kind) => kind > 3),
        kinds = [0, 1, 2, 3, ...(serves ? [5, 6] : [])].map((kind) => [`var(--c${KIND_COLORS[kind]})`, KINDS[kind]]);
  const seen = new Set(lanes.rest.state);
  return legend([
    ...(filters.by === "model"    ? of(lanes.byModel, lanes.models) :
            filters.by === "kind" ? kinds :
                                    of(lanes.byUser, lanes.users)),
    ["var(--blank)", "free"], ...(seen.has(1) ? [["var(--asleep)", "asleep"]] : []), ...(seen.has(2) ? [["var(--failed)", "failed"]] : []),
    ...(seen.has(3) ? [["var(--accent-soft)", "reserved"]] : [])
  ]);
}

function laneTable(lanes) {
  const {places} = laneColors(lanes), [from, to] = viewSpan(), shown = laneRows(lanes);
  const inside =
      d3.range(lanes.job.length)
          .filter((i) => places[i] >= 0 && lanes.start_s[i] < to && lanes.start_s[i] + lanes.length_s[i] > from && shown.row[lanes.gpus[lanes.place[i]]] >= 0);
  inside.sort((a, b) => lanes.energy_j[b] - lanes.energy_j[a]);
  const {jobs} = lanes;
  return table({
    caption: `Segments in the shown time that the filters let through, largest energy first: ${plural(inside.length, "segment", "segments")}`,
    rows: inside,
    most: 100,
    columns: [
      text("job", (i) => bdi(jobs.id[lanes.job[i]], 40)), text("user", (i) => bdi(lanes.users[jobs.user[lanes.job[i]]], 30)),
      text("model", (i) => bdi(lanes.models[jobs.model[lanes.job[i]]], 30)), text("what", (i) => KINDS[lanes.kind[i]]),
      num("from", (i) => timeText(lanes.start_s[i])), num("for", (i) => seconds(lanes.length_s[i])),
      text("GPU type", (i) => bdi(lanes.types[lanes.type[i]], 20)), num("energy", (i) => quantity(lanes.energy_j[i], "J"))
    ]
  });
}

function timelineSection() {
  const policy = POLICY(), lanes = policy.lanes;
  if (!lanes) return [absent(policy.absent.lanes)];
  prepareLanes(policy);
  for (const [key, list] of [["user", lanes.users], ["model", lanes.models], ["type", lanes.types]])
    if (!list.includes(filters[key])) filters[key] = "";
  if (!lanes.labels.some((l) => l.key === filters.label)) filters.label = filters.value = "";
  const legendPlace = make("div"), matching = make("span", {class: "hint"});
  const height = (width) => {
    const count = laneRows(lanes).lane.length;
    return 4 + MARGIN.bottom + Math.min(width < 600 ? 360 : 460, Math.max(120, count * 14));
  };
  const chart = timeChart({
    label: `What every one of ${
        plural(lanes.count, "GPU",
            "GPUs")} did over time. Keys: arrows move, plus and minus zoom, 0 shows the whole run, n and p step through the segments; the table below has them.`,
    height,
    onCanvas: true,
    plot: (c) => paintLanes(c, lanes),
    hover: (at, px, py, c) => lanesTip(lanes, at, px, py, c),
    keys: (event, c) => walkSegments(lanes, event, c)
  });
  const redraw = () => {
    lanes.walked = undefined;
    chart.context.redraw();
    tell();
    announce(matching.textContent);
  };
  const tell = () => {
    legendPlace.replaceChildren(laneLegend(lanes));
    const found = laneColors(lanes).matching, filtered = filters.user || filters.model || filters.value;
    matching.textContent = filtered ? `${plural(found, "job matches", "jobs match")} the filters; all others are pale.` : "";
  };
  tell();
  const left = lanes.segments_all - lanes.job.length;
  return [
    timeTools("Time shown in the charts of power, GPUs and heat"), laneFilters(lanes, redraw),
    make("figure", {id: "timeline-figure"}, chart.holder, legendPlace,
        make("figcaption", {},
            `Replication ${policy.replication}: a row for each GPU, in the order of the nodes${
                lanes.count > 460 ? "; several GPUs share a row of pixels" : ""}. `,
            left > 0 ? `Of ${number(lanes.segments_all, 9)} segments the ${
                           number(lanes.job.length, 9)} that hold most GPU time are drawn${jobsLeft(policy)}; the heat map below has them all. ` :
                       "",
            matching)),
    tableBehind("Table of the shown segments", () => laneTable(lanes))
  ];
}
