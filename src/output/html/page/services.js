/* Services: what they were asked for and gave, and how much of what their replicas could give that
   was. Only where the scenario has services. */

function drawService(svg, width, curves, service) {
  const box = frame(svg, width, 210, {left: 70, right: 12, top: 30, bottom: 46}), axis = timeAxis(curves.end_s),
        x = d3.scaleLinear().domain([0, curves.end_s]).range([box.left, box.right]), high = d3.max(service.capacity) || 1,
        y = d3.scaleLinear().domain([0, high * 1.06]).range([box.bottom, box.top]);
  leftAxis(svg, y, box, `${service.unit} a second`);
  bottomAxis(svg, x, box, axis.label, {values: axis.ticks(0, curves.end_s, Math.max(3, Math.floor((box.right - box.left) / 95))), text: axis.text});
  const bins = d3.range(service.served.length), steps = {level: {time_s: bins.map((i) => i * curves.step_s)}, range: [0, bins.length], x, end: curves.end_s};
  drawBand(svg, steps, bins.map(() => 0), service.served, y);
  drawSteps(svg, steps, service.served, y, "var(--accent)", 1.4);
  drawSteps(svg, steps, service.capacity, y, "var(--warm)", 1.8);
}

function serviceCurveTable(curves, service) {
  const step = Math.max(1, Math.ceil(service.served.length / 60));
  return table({
    caption: `Service ${name(service.name, 60)} over time, every ${step}th bin`,
    rows: d3.range(0, service.served.length, step),
    columns: [
      text("from", (i) => timeText(i * curves.step_s)), num("served", (i) => service.served[i], `${service.unit}/s`),
      num("could be served", (i) => service.capacity[i], `${service.unit}/s`), num("ready replicas", (i) => service.replicas[i])
    ]
  });
}

function serviceFigure(policy, curves, service) {
  return make("div", {}, make("h3", {}, bdi(service.name, 60)), figure({
    label: `What the ready replicas of service ${name(service.name, 60)} served, and could have served, over time`,
    caption: [
      legend([["var(--accent)", "served", "solid"], ["var(--warm)", "what the ready replicas could serve", "solid"]]),
      `Replication ${policy.replication}, means of ${seconds(curves.step_s)}. Where both lines meet, requests may wait.`
    ],
    draw: (svg, width) => drawService(svg, width, curves, service),
    behind: () => serviceCurveTable(curves, service)
  }));
}

function servicesSection() {
  const policy = POLICY(), curves = policy.service_curves;
  const out = policy.services === null ? [] : [table({
    caption: `Services, replication ${policy.replication}`,
    rows: records(policy.services),
    columns: [
      text("service", (r) => bdi(r.service, 40)), text("user", (r) => bdi(r.user, 40)), text("model", (r) => bdi(r.model, 40)),
      num("demanded", (r) => r.tokens_demanded, "tokens"), num("served", (r) => r.tokens_served, "tokens"), num("dropped", (r) => r.tokens_dropped, "tokens"),
      num("within the SLO", (r) => r.slo_share === null ? null : percent(r.slo_share)),
      num("energy a token", (r) => r.j_per_token === null ? null : quantity(r.j_per_token, "J")),
      num("wait, 99 %", (r) => r.wait_p99_s === null ? null : seconds(r.wait_p99_s)), num("latency, 99 %", (r) => r.latency_p99_ms, "ms"),
      num("replicas", (r) => r.replica_gpu_h, "GPU h"), num("started later", (r) => r.scale_ups), num("jobs displaced", (r) => r.preemptions)
    ]
  })];
  if (curves) out.push(...curves.services.map((service) => serviceFigure(policy, curves, service)));
  return out.length > 0 ? out : [absent("There is no services.csv with this replication: the results are a summary only.")];
}
