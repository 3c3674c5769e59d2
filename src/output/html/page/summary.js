/* The head of the page: title, a paragraph in words made from the figures, headline figures. */

const HEADLINE = [
  "jct_mean_s", "jct_p95_s", "wait_mean_s", "throughput_jobs_per_h", "energy_kwh", "energy_per_work_kwh", "edp_mean_js", "power_max_w", "util_compute",
  "deadline_miss_rate", "jain_slowdown", "co2_kg", "cost"
];

function gpuWords(policy) {
  const types = records(policy.types);
  if (types.length === 0) return "";
  const all = sum(types.map((t) => t.gpus));
  const parts = types.length <= 4 ? ` (${types.map((t) => `${number(t.gpus, 12)} ${name(t.gpu_type, 30)}`).join(", ")})` : ` of ${types.length} types`;
  return `${plural(all, "GPU", "GPUs")}${types.length > 1 ? parts : " " + name(types[0].gpu_type, 30)}`;
}

function subtitle() {
  const policy = POLICY(), e = estimate(policy, "sim_s");
  const parts = [
    gpuWords(policy), e.mean ? `${seconds(e.mean)} measured` : "", plural(HEAD().replications, "replication", "replications"),
    isComparison() ? `${DATA.policies.length} ${DATA.several ? "runs" : "policies"}` : `policy ${name(policy.name, 40)}`, `easim ${HEAD().easim_version}`
  ];
  return parts.filter(Boolean).join(" \u00b7 ");
}

const strong = (...content) => make("strong", {}, ...content);

function sentenceOfJobs(policy) {
  const finished = estimate(policy, "jobs_finished"), submitted = estimate(policy, "jobs_submitted"), sim = estimate(policy, "sim_s");
  const per = HEAD().replications > 1 ? ` on average over ${HEAD().replications} replications` : "";
  const out =
      ["Under ", strong(bdi(policy.name, 40)), `, ${number(finished.mean, 4)} of ${number(submitted.mean, 4)} jobs finished in ${seconds(sim.mean)}${per}`];
  const jct = estimate(policy, "jct_mean_s"), p95 = estimate(policy, "jct_p95_s");
  if (jct.mean !== null)
    out.push("; a job took ", strong(estimateText("jct_mean_s", jct)),
        ` from submission to finish in the mean, and 95 % of those that finished took at most ${seconds(p95.mean)}`);
  out.push(". ");
  return out;
}

/* Of a run that its end cuts short; more than so much of the work is no detail. */
const MUCH_UNFINISHED = 0.05;

function sentenceOfTheRest(policy) {
  const rest = estimate(policy, "work_unfinished_gpu_h").mean, all = estimate(policy, "work_submitted_gpu_h").mean;
  return all > 0 && rest / all > MUCH_UNFINISHED ?
      [`The end left ${percent(rest / all, 2)} of the submitted work unfinished: means over finished jobs miss the large ones. `] :
      [];
}

function sentenceOfEnergy(policy) {
  const energy = estimate(policy, "energy_kwh"), idle = estimate(policy, "energy_idle_kwh"), base = estimate(policy, "energy_base_kwh");
  if (energy.mean === null) return [];
  const out = ["The cluster drew ", strong(estimateText("energy_kwh", energy))];
  if (energy.mean > 0)
    out.push(`, ${percent(idle.mean / energy.mean, 2)} of it in GPUs without a job and ${percent(base.mean / energy.mean, 2)} in nodes outside their GPUs`);
  const mean = estimate(policy, "power_mean_w"), most = estimate(policy, "power_max_w"), over = estimate(policy, "cap_violation_s");
  out.push(`; its power was ${quantity(mean.mean, "W")} in the mean and ${quantity(most.mean, "W")} at most`);
  if (over.mean !== null) out.push(over.mean > 0 ? `, above the cap for ${seconds(over.mean)}` : ", never above the cap");
  out.push(". ");
  return out;
}

function sentenceOfService(policy) {
  const out = [], missed = estimate(policy, "deadline_miss_rate"), used = estimate(policy, "util_compute"), jain = estimate(policy, "jain_slowdown");
  if (used.mean !== null) out.push(`GPUs computed ${percent(used.mean)} of the time`);
  if (missed.mean !== null) out.push(`${out.length ? ", " : ""}${percent(missed.mean)} of the deadlines were missed`);
  if (jain.mean !== null) out.push(`${out.length ? "; " : ""}slowdown was shared among users with a Jain index of ${number(jain.mean)}`);
  return out.length ? [...out, ". "] : [];
}

function sentenceOfComparison(policy) {
  if (!isComparison()) return [];
  const out = [];
  if (policy.name !== DATA.baseline && DATA.baseline)
    for (const [metric, words] of [["energy_per_work_kwh", "energy per work"], ["jct_restricted_mean_s", "completion time with unfinished jobs counted"]]) {
      const row = difference(policy, metric);
      if (!row || row.diff_rel === null) continue;
      const heavy = metric === "jct_restricted_mean_s" && row.ratio_geo !== null, change = heavy ? row.ratio_geo - 1 : row.diff_rel,
            notes = heavy ? ["geometric means"] : [];
      if (row.p_holm !== null) notes.push(row.p_holm >= 0.05 ? "not significant" : `p ${row.p_holm < 0.001 ? "< 0.001" : "= " + number(row.p_holm, 2)}`);
      out.push(`${out.length ? " and " : ""}${words} is ${percent(Math.abs(change))} ${change <= 0 ? "lower" : "higher"}${
          notes.length ? ` (${notes.join(", ")})` : ""}`);
    }
  if (out.length) out.unshift("Against ", bdi(DATA.baseline, 40), ", "), out.push(". ");
  const metrics = usualPareto(), front = paretoRows(metrics).front;
  if (front.length)
    out.push(`Weighing ${metricLabel(metrics[0])} against ${metricLabel(metrics[1])}, none of the ${DATA.policies.length} ${DATA.several ? "runs" : "policies"} beats ${
        namesOf(DATA.policies.filter((p) => front.includes(p)), "or")} in both. `);
  return out;
}

function sentenceOfFindings(policy) {
  const out = [], classes = wasteClasses(policy), total = sum(classes.map((c) => c.j));
  if (total > 0) {
    const useful = classes.find((c) => c.name === "useful");
    const rest = classes.filter((c) => c.name !== "useful" && c.j > 0).sort((a, b) => b.j - a.j)[0];
    if (useful) out.push(`Of the energy of this replication ${percent(useful.j / total)} was useful`);
    if (useful && rest) out.push(`; the largest other part is \u201c${name(rest.name)}\u201d (${CLASS_WORDS[rest.name]}) with ${percent(rest.j / total)}`);
    if (out.length) out.push(". ");
  }
  return policy.insights ? [...out, insightCount(policy)] : out;
}

function headlineFigures(policy) {
  const list = make("dl", {class: "headline"});
  for (const metric of HEADLINE) {
    const e = estimate(policy, metric);
    if (e.mean === null) continue;
    const parts = estimateParts(metric, e), v = verdict(policy, metric);
    list.append(make("div", {}, make("dt", {}, metricLabel(metric)),
        make("dd", {}, make("span", {class: "value"}, parts.value, " ", make("span", {class: "unit"}, parts.unit)),
            make("span", {class: "interval"}, parts.interval),
            v !== 0 ? make("span", {class: "interval " + (v > 0 ? "better" : "worse")}, `${CHECKS[v]} ${SIGNS[v]} than `, bdi(DATA.baseline, 20)) : null)));
  }
  return list;
}

function summarySection() {
  const policy = POLICY(), out = [];
  if (DATA.partial) out.push(absent("These results are partial: the command that made them failed or was interrupted before its end."));
  out.push(make("p", {class: "lead"}, ...sentenceOfJobs(policy), ...sentenceOfTheRest(policy), ...sentenceOfEnergy(policy), ...sentenceOfService(policy),
      ...sentenceOfComparison(policy), ...sentenceOfFindings(policy)));
  out.push(headlineFigures(policy));
  const warnings = HEAD().warnings || [];
  if (warnings.length) out.push(make("h3", {}, "Warnings of the scenario"), make("ul", {class: "note"}, ...warnings.map((w) => make("li", {}, bdi(w, 400)))));
  out.push(tableBehind("All metrics with their intervals", () => table({
    caption: `All metrics of ${name(policy.name, 40)}: mean over replications and half width of the 95 % interval`,
    columns: [
      text("metric", (m) => metricLabel(m)), text("mean \u00b1 95 %", (m) => estimateText(m, estimate(policy, m))),
      text("better", (m) => DATA.metrics[m].better || ""), text("name in the files", (m) => make("code", {}, m))
    ],
    rows: Object.keys(DATA.metrics).filter((m) => estimate(policy, m).mean !== null),
    most: 100
  })));
  return out;
}
