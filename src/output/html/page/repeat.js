/* What it takes to make these results again. */

function repeatSection() {
  const m = POLICY() ? POLICY().manifest : DATA.manifest, out = [];
  out.push(make("p", {}, `Repeat the results, in a temporary folder, and compare every file byte for byte:`),
      make("pre", {}, name(`easim ${HEAD().command} ${DATA.several ? shellWord(`${POLICY().folder}/manifest.json`) : DATA.made.repeat}`, 600)),
      make("p", {}, "Make this page again from them:"), make("pre", {}, name(DATA.made.command, 400)));
  out.push(table({
    caption: "What made these results",
    rows: [
      ["program", `easim ${HEAD().easim_version}, commit ${HEAD().commit}`], ["scenario", name(HEAD().config, 300)],
      ["hash of the scenario", name(m.config_hash || "\u2013", 100)], ["seed", `${m.seed ?? "of the scenario"}`],
      ["replications", `${m.replications ?? "of the scenario"}`], ["options", make("code", {}, name((HEAD().options || []).join(" ") || "none", 400))],
      ["SHA-256 of manifest.json", make("code", {}, DATA.several ? POLICY().sha256 : DATA.manifest_sha256)],
      ["shown of the time", POLICY() ? `replication ${POLICY().replication}` : "nothing"],
      ["made by", `easim ${DATA.made.version} (${DATA.made.commit}), D3 ${d3.version}`]
    ],
    columns: [text("what", (r) => r[0]), {title: "value", wide: true, cell: (r) => r[1]}]
  }));
  if (m.policy && Object.keys(m.policy.params || {}).length > 0)
    out.push(make("details", {}, make("summary", {}, "Parameters of the policy"), table({
      caption: `Parameters of ${name(m.policy.name, 40)} ${name(m.policy.version, 20)}`,
      rows: Object.entries(m.policy.params),
      columns: [
        text("parameter", (r) => make("code", {}, name(r[0], 60))),
        text("value", (r) => name(typeof r[1] === "object" ? JSON.stringify(r[1]) : String(r[1]), 200))
      ]
    })));
  out.push(make("details", {}, make("summary", {}, "Inputs and files with their SHA-256"), table({
    caption: "Inputs that were read",
    rows: HEAD().inputs || [],
    most: 300,
    columns: [text("key", (i) => bdi(i.key, 60)), text("file", (i) => bdi(i.path, 200)), text("SHA-256", (i) => make("code", {}, i.sha256 || "none: a pipe"))]
  }),
      table({
        caption: "Files of the results",
        rows: m.results || [],
        most: 300,
        columns: [text("file", (i) => bdi(i.file, 100)), num("bytes", (i) => number(i.bytes, 12)), text("SHA-256", (i) => make("code", {}, i.sha256))]
      })));
  return out;
}
