/* Puts the sections together, and again when the policy changes. */

const SECTIONS = [
  ["summary", "Summary", summarySection],
  ["answers", "Five questions", answersSection],
  ["policies", DATA.several ? "Runs compared" : "Policies compared", compareSection],
  ["runs", "Side by side", runsSection],
  ["power", "Power and queue", powerSection],
  ["timeline", "What every GPU did", timelineSection],
  ["heat", "Heat map of the GPUs", heatSection],
  ["times", "Completion times and slowdown", curvesSection],
  ["services", "Services", servicesSection],
  ["fairness", "Fairness among users", fairnessSection],
  ["waste", "Where the energy went", wasteSection],
  ["attribution", "Who caused it", attributionSection],
  ["insights", "What to look at", insightsSection],
  ["physics", "The physics used", physicsSection],
  ["uncertainty", "How sure the differences are", uncertaintySection],
  ["repeat", "To make it again", repeatSection],
  ["words", "Words", wordsSection],
];

const SWEEP_SECTIONS = [
  ["summary", "Summary", sweepSummary], ["map", "Heat map", mapSection], ["lines", "Lines", linesSection], ["points", "Every point", pointsSection],
  ["physics", "The physics used", physicsSection], ["repeat", "To make it again", repeatSection], ["words", "Words", wordsSection]
];

/* The time axis is that of all runs, and of the calendar if they begin at the same instant. */
function setTime() {
  view.end = d3.max(DATA.policies, endOf) || 1;
  const starts = new Set(DATA.policies.map((p) => p.start_s ?? null));
  view.start = starts.size === 1 ? [...starts][0] : null;
}

function build() {
  forgetCharts();
  view.followers.length = 0;
  const policy = POLICY();
  setTime();
  const all =
      DATA.sweep ? SWEEP_SECTIONS : SECTIONS.filter(([id]) => id === "services" ? policy.services || policy.service_curves : id !== "runs" || isComparison());
  const sections = all.map(([id, title, content]) => {
    let parts;
    try {
      parts = content();
    } catch (error) {
      console.error(error);
      parts = [absent(`This section could not be drawn: ${error.message}`)];
    }
    return make("section", {id, "aria-labelledby": `${id}-title`}, make("h2", {id: `${id}-title`, tabindex: -1}, title), ...parts);
  });
  sections.forEach(explain);
  $("main").replaceChildren(...sections);
  $("contents")
      .replaceChildren(...all.map(
          ([id, title], i) => make("li", {},
              make("a",
                  {href: `#${id}`, class: sections[i].querySelector(":scope > .absent:only-of-type") && sections[i].children.length === 2 ? "has-none" : null},
                  title))));
  const title = DATA.several ? [...new Set(DATA.policies.map((p) => p.manifest.name))].join(", ") : DATA.name;
  document.title = `${name(title, 60)}: report`;
  $("title").textContent = name(title, 120);
  $("subtitle").textContent =
      DATA.sweep ? `Sweep of ${plural(DATA.manifest.points, "point", "points")} \u00b7 easim ${DATA.manifest.easim_version}` : subtitle();
  $("footer").textContent = `Made by easim ${DATA.made.version} (${DATA.made.commit}) from results with manifest SHA-256 ${
      DATA.manifest_sha256}. Charts by D3 ${d3.version} (Copyright Mike Bostock, ISC licence), contained in this file. All times are of the simulation.`;
  drawCharts(true);
  sayView();
  markSection();
}

let watcher = null;
function markSection() {
  if (watcher) watcher.disconnect();
  watcher = new IntersectionObserver((entries) => {
    for (const e of entries)
      if (e.isIntersecting)
        for (const a of document.querySelectorAll("nav a"))
          if (a.getAttribute("href") === `#${e.target.id}`)
            a.setAttribute("aria-current", "true");
          else
            a.removeAttribute("aria-current");
  }, {rootMargin: "-10% 0px -80% 0px"});
  for (const s of document.querySelectorAll("main > section")) watcher.observe(s);
}

const dark = matchMedia("(prefers-color-scheme: dark)");
function setTheme(theme) {
  document.documentElement.setAttribute("data-theme", theme !== "auto" ? theme : dark.matches ? "dark" : "light");
  drawCharts(true);
}

function start() {
  if (isComparison()) {
    $("policy").append(...DATA.policies.map((p, i) => make("option", {value: i}, name(p.name, 60))));
    $("policy").value = String(state.policy);
    $("policy-control").hidden = false;
    $("policy-word").textContent = DATA.several ? "Run" : "Policy";
    $("policy").addEventListener("change", () => {
      state.policy = Number($("policy").value);
      view.transform = d3.zoomIdentity;
      build();
      announce(`Policy ${name(POLICY().name, 60)}`);
    });
  }
  $("theme").addEventListener("change", () => setTheme($("theme").value));
  $("print").addEventListener("click", () => print());
  dark.addEventListener("change", () => setTheme($("theme").value));
  setTheme("auto");
  $("search-control").hidden = Boolean(DATA.sweep);
  $("search").addEventListener("input", () => search($("search").value.trim()));
  $("search").addEventListener("keydown", (event) => {
    const first = $("found").querySelector("button");
    if (event.key === "Enter" && first) first.click();
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") hideTip();
  });
  addEventListener("scroll", hideTip, {passive: true});
  let before = null;
  addEventListener("beforeprint", () => {
    before = $("theme").value;
    setTheme("light");
  });
  addEventListener("afterprint", () => setTheme(before || "auto"));
  build();
  new ResizeObserver(() => drawCharts()).observe($("main"));
  document.documentElement.setAttribute("data-ready", "true");
}

/* The one asked for, else the first that no other beats. */
function firstPolicy() {
  const front = records(DATA.comparison && DATA.comparison.pareto).filter((r) => r.front === 1).map((r) => r.policy);
  const wanted = DATA.shown !== null ? [DATA.shown] : front;
  return Math.max(0, DATA.policies.findIndex((p) => wanted.includes(p.label)));
}

state.policy = firstPolicy();
start();
