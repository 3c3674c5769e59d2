/* What the rules found, worst first, each with its evidence. */

function insightList(policy) { return policy.insights ? policy.insights.insights : []; }

/* The same words in the summary and above the list. */
function insightCount(policy) {
  const of = (severity) => insightList(policy).filter((i) => i.severity === severity).length, rest = of("info"), all = insightList(policy).length - rest;
  return `The rules found ${all === 0 ? "nothing" : plural(all, "thing", "things")} to look at${
      all === 0 ? "" :
                  ` (${["high", "medium", "low"].filter(of).map((s) => `${of(s)} ${s}`).join(", ")})`}${rest === 0 ? "" : `, and ${rest} for information`}.`;
}

function ruleTitle(policy, id) {
  const rule = policy.insights.rules.find((r) => r.id === id);
  return rule ? rule.title : id;
}

const windowText = (from, to) => `${timeOf(from)} to ${timeOf(to)}`;
const timeOf = (s) => view.start === null ? quantity(s, "s", 4) : timeText(s);

function figureText(f) { return typeof f.value === "string" ? bdi(f.value, 200) : f.value === null ? "not known" : quantity(f.value, f.unit, 4); }

/* What became of the proposal; insights.md has the same words. */
function verdictText(w) {
  const run = w.one_run && w.tried ? " in this run" : "", best = w.tried > 1 ? `, the best of ${number(w.tried)} tried` : "";
  if (w.verdict === "no gain") return `No recommendation: ${number(w.tried)} tried, none gains enough${run}.`;
  return (w.verdict === "assumption" ? `If ${w.assumes}` :
                 w.verdict === "recommended" ? "Recommended" :
                 w.verdict === "trade"       ? "Trade" :
                                               "Not simulated") +
      `${run}${best}:`;
}

function effectText(e, w) {
  const change =
      e.change === null ? "" : ` (${e.change > 0 ? "+" : ""}${percent(e.change)}${e.ci95 === null || w.one_run ? "" : ` \u00b1 ${percent(e.ci95)}`})`;
  return `${name(e.label, 60)} ${quantity(e.before, e.unit, 4)} to ${quantity(e.after, e.unit, 4)}${change}${e.worse ? " (worse)" : ""}`;
}

function insightArticle(i) {
  const evidence = i.evidence.length === 0 ?
      null :
      make("details", {},
          make("summary", {},
              `Evidence: ${plural(i.evidence_count, "place", "places")}${i.evidence_count > i.evidence.length ? `, the first ${i.evidence.length}` : ""}`),
          table({
            caption: `Evidence of ${name(i.id)}`,
            rows: i.evidence,
            columns: [
              text("what", (e) => `${e.kind} `), text("name", (e) => bdi(e.name, 60)), num("from", (e) => e.from_s === null ? null : timeOf(e.from_s)),
              num("to", (e) => e.to_s === null ? null : timeOf(e.to_s)), {title: "see", wide: true, cell: (e) => bdi(e.note, 300)}
            ]
          }));
  return make(
      "article", {class: "insight"},
      make(
          "h3", {}, make("span", {class: `severity ${i.severity}`}, i.severity),
          `${name(ruleTitle(POLICY(), i.id), 80)}: ${
              i.entity === "cluster" ? "the cluster" : name(i.entity, 30)} `,
          bdi(i.name, 60)),
      make("p", {}, name(i.finding, 600), i.finding ? "." : ""),
      make(
          "p", {class: "note"},
          `Rule ${name(i.id)}; ${
              !(i.share >= 0.0005) ?
                  "" :
                  `${percent(i.share)} of the ${name(i.share_of)}; `}${windowText(i.from_s, i.to_s)}. `,
          ...i.figures.flatMap((f, n) => [n ? "; " : "", `${name(f.name).replaceAll("_", " ")}: `, figureText(f)])),
      make("p", {}, strong(`${verdictText(i.what_if)} `), name(i.what_if.verdict === "assumption" ? "" : i.recommendation || "", 800)),
      i.what_if.command && i.what_if.gave.length ?
          make("p", {}, "It gave: ", ...i.what_if.gave.flatMap((e, n) => [n ? ", " : "", effectText(e, i.what_if)])) :
          null,
      i.what_if.command ? make("pre", {}, name(i.what_if.command, 2000)) : null,
      i.what_if.unsure || i.what_if.note ?
          make("p", {class: "note"}, bdi([i.what_if.unsure, i.what_if.note].filter(Boolean).join(". "), 600)) :
          null,
      evidence);
}

function insightsSection() {
  const policy = POLICY();
  if (!policy.insights) return [absent(policy.absent.insights)];
  const above = insightList(policy).filter((i) => i.severity !== "info"), rest = insightList(policy).filter((i) => i.severity === "info");
  const out =
      [make("p", {}, `${insightCount(policy)} Severity is the share of energy, GPU time or jobs that is concerned, in replication ${policy.replication}.`)];
  out.push(...above.map(insightArticle));
  if (rest.length)
    out.push(make("details", {}, make("summary", {}, `${plural(rest.length, "insight", "insights")} for information`), ...rest.map(insightArticle)));
  return out;
}
