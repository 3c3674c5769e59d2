/* Words that the page uses, each with its meaning: the first place of a section and of a table links to the list. */

const WORDS = {
  "replication": "one simulation with its own random numbers; means and intervals are over all of them",
  "95 % interval": "where the mean lies with 95 % confidence, by the scatter between replications",
  "baseline": "the policy with which the others are compared",
  "Holm": "Holm's correction: p is raised because many differences are tested at once",
  "Pareto front": "those of which no other is better in both figures",
  "restricted mean": "mean over all submitted jobs; one that has not finished counts from its submission to the end of the run",
  "bounded slowdown": "completion time over the time in which the job held GPUs (at least 10 s); 1: it never waited",
  "energy-delay product": "energy of a job times its completion time; small for jobs that are both cheap and fast",
  "energy per work": "energy, without that of services, for a reference GPU hour of work",
  "Jain index": "how alike users fare: 1 if all have the same, 1/n if one of n users has all. GPU time of each user is first divided by the lesser of its demand and its entitled share; of slowdowns the means are compared",
  "finish-time fairness": "completion time over that with a fair share of the GPUs; above 1: the job lost by sharing",
  "slowdown": "completion time over the time in which the job held GPUs",
  "makespan": "time from the first submission to the last finish",
  "reference GPU hour": "what one GPU of the first type that can run the job does in an hour at its best; work is counted in it",
  "rigid job": "a job with a fixed number of GPUs; of others the policy chooses it",
  "set-up": "time in which a job holds GPUs before it computes: start, load, restart",
  "warm-up": "the time at the start of a run that figures leave out",
  "severity": "share of energy, GPU time or jobs that is concerned: high from 15 % on, medium from 5 %, low from 1 %",
  "knee": "the number of GPUs beyond which a further one adds little speed",
  "rho": "load: work that arrives over work that the cluster can do; above 1 the queue grows",
  "p50": "median: half of the values are below it",
  "p95": "95 % of the values are below it",
  "m0": "reference batch of a model, in samples of all GPUs: up to it every sample counts in full",
  "phi": "gradient noise scale of a model, in samples: with a batch above m0 a sample counts (phi + m0) / (phi + batch)",
  "evidence": "how a parameter is known: measured, derived from measurements, or assumed",
  "lookup": "speed and power are taken from measured points, not from formulas",
  "measured range": "numbers of GPUs and batches that were measured; outside of them the model is extrapolated",
  "PUE": "power usage effectiveness: energy of the building over that of the computers",
  "tdp_w": "the most power that a GPU of the type may draw",
  "carbon intensity": "CO2 for each kWh from the grid",
  "world": "one value of each uncertain parameter, with the same jobs as in all other worlds",
  ...Object.fromEntries(["held back", "fragmented", "reconfigured", "over-scaled", "misplaced", "crowded out", "underused"].map((w) => [w, `waste class: ${CLASS_WORDS[w]}`]))
};
const MEANINGS = new Map(Object.entries(WORDS).map(([word, meaning]) => [word.toLowerCase(), meaning]));
const WORD = new RegExp(`(?<![\\w.-])(${Object.keys(WORDS).sort((a, b) => b.length - a.length).join("|")})(?=s?(?![\\w.-]\\w))`, "i");
const wordId = (word) => `word-${word.toLowerCase().replace(/\W+/g, "-")}`;

/* Links words of the text in an element to their meanings, each once. Names that somebody wrote stay. */
function explain(root) {
  const seen = new Set([...root.querySelectorAll("a.word")].map((a) => a.hash.slice(1))), texts = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode())
    if (!walker.currentNode.parentElement.closest("a, bdi, button, h2, h3, pre, select, summary, svg, .words")) texts.push(walker.currentNode);
  for (const text of texts)
    text.replaceWith(...text.data.split(WORD).map((part, i) => {
      if (i % 2 === 0 || seen.has(wordId(part))) return part;
      seen.add(wordId(part));
      return make("a", {class: "word", href: `#${wordId(part)}`, title: MEANINGS.get(part.toLowerCase())}, part);
    }));
}

function wordsSection() {
  return [make("dl", {class: "words"}, ...Object.entries(WORDS).sort(([a], [b]) => d3.ascending(a.toLowerCase(), b.toLowerCase())).flatMap(([word, meaning]) => [make("dt", {id: wordId(word)}, word), make("dd", {}, meaning)]))];
}
