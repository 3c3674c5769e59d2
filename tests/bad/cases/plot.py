"""easim plot: folders that hold no results or broken ones, and figures that they do not allow."""

import sys
from pathlib import Path

from base import command

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "support"))
from manifests import manifest_of  # noqa: E402

TRY = "Try `easim plot --help' for more information."
AGGREGATE = "policy,metric,n,mean,sd,ci95\nzeus,energy_kwh,2,3.5,0.1,0.2\nzeus,jain_gpu_s,2,0.9,0.1,0.2\n"
POWER = ("policy,replication,time_s,power_w,alloc_gpus,idle_gpus,waiting,cap_w,failed_gpus\n"
         "zeus,1,0,60,0,1,0,,0\nzeus,1,10,200,1,0,0,,0\n")
COMPARE = "metric,policy,baseline,n,mean,ci95\nenergy_kwh,zeus,zeus,2,3.5,0.2\n"
IN_WORLDS = {  # of two policies in one world
    "r/compare.csv": COMPARE + "energy_kwh,fcfs,zeus,2,4.5,0.2\n",
    "r/worlds.csv": "set,world,policy,replication,energy_kwh\n" + "".join(
        f"0,1,{policy},{r},{r + len(policy)}\n" for policy in ("zeus", "charon", "fcfs") for r in (1, 2)),
    "r/differences.csv": "metric,policy,baseline,p_better,p_better_low,p_better_high,sign_better\n"
                         "energy_kwh,fcfs,zeus,0,0,0.8,0\n",
    "r/budget.csv": "metric,policy,source,share,ci_low,ci_high\nenergy_kwh,fcfs,physics,1,1,1\n"}
SWEEP = "run_id,policy.name,cluster.power_cap_w,policy,replication,seed,energy_per_work_kwh,jct_restricted_mean_s\n"
SWEPT = SWEEP + "1,zeus,1000,zeus,1,1,0.3,80\n2,zeus,2000,zeus,1,1,0.2,70\n"


def sealed(files):
    """The files of r with the manifest that makes them results."""
    results = {name[2:]: text for name, text in files.items() if name.startswith("r/") and name.count("/") == 1}
    if not any(name.endswith(".csv") for name in results):
        return files
    results["scenario.yaml"] = "{}\n"
    return {**files, "r/scenario.yaml": "{}\n", "r/manifest.json": manifest_of({k: v.encode() for k, v in results.items()})}


def plot(name, files, *errors, arguments=(), as_it_is=False, **more):
    files = files if as_it_is else sealed(files)
    return command(f"plot: {name}", ["plot", "r", *arguments], *errors, files=files, **more)


def usage(name, arguments, error):
    return command(f"plot: {name}", ["plot", *arguments], f"easim plot: {error}", TRY)


def worlds(name, changed, old, new, *errors):
    files = {**IN_WORLDS, f"r/{changed}": IN_WORLDS[f"r/{changed}"].replace(old, new)}
    return plot(f"worlds: {name}", files, *errors, arguments=("--figures", "worlds", "--metrics", "energy_kwh"))


CASES = [
    plot("no such folder", {}, "r: cannot open folder: No such file or directory"),
    plot("a file", {"r": "x\n"},
         "r: no results: expected aggregate.csv of a run, compare.csv of a comparison, sweep.csv of a sweep, models.csv of models or curves.csv of power beside a meter"),
    plot("no results", {"r/notes.txt": "x\n"},
         "r: no results: expected aggregate.csv of a run, compare.csv of a comparison, sweep.csv of a sweep, models.csv of models or curves.csv of power beside a meter"),
    plot("a sweep that is not joined", {"r/runs/1.csv": "x\n"},
         "r: a sweep whose points are not joined yet"),
    plot("no manifest", {"r/aggregate.csv": AGGREGATE},
         "r: manifest.json is missing: the folder has no results, or writing them was interrupted", as_it_is=True),
    plot("half a manifest", {"r/aggregate.csv": AGGREGATE, "r/manifest.json": "{\"easim_version\": \"0\","},
         "r/manifest.json:1:22: damaged manifest: expected JSON", as_it_is=True),
    plot("a file of another run", {**sealed({"r/aggregate.csv": AGGREGATE}), "r/aggregate.csv": AGGREGATE.replace("3.5", "3.6")},
         "r/aggregate.csv: is not what manifest.json lists: it was changed, or written by another run", as_it_is=True),
    plot("a file that is gone", {name: text for name, text in sealed({"r/aggregate.csv": AGGREGATE, "r/jobs.csv": "jct_s\n"}).items()
                                 if name != "r/jobs.csv"},
         "r/jobs.csv: is missing, though manifest.json lists it", as_it_is=True),
    plot("two runs, one of them cut short", {**sealed({"r/aggregate.csv": AGGREGATE}), "q/aggregate.csv": AGGREGATE},
         "q: manifest.json is missing: the folder has no results, or writing them was interrupted",
         arguments=("q", "--out", "out"), as_it_is=True),
    plot("curves without readings", {"r/curves.csv": "time_s,duration_s,measured_w,predicted_w\n"},
         "meter: not possible: r/curves.csv has no rows"),
    plot("readings of no time", {"r/curves.csv": "time_s,duration_s,measured_w,predicted_w\n10,0,5,1\n"},
         "r/curves.csv:2:4: duration_s: expected a number > 0"),
    plot("readings without a power", {"r/curves.csv": "validation,time_s,duration_s,measured_w,predicted_w\nv,10,5,,1\n"},
         "r/curves.csv:2:8: measured_w: expected a number"),
    plot("a column of curves that is missing", {"r/curves.csv": "time_s,duration_s,power_w,predicted_w\n1,1,1,1\n"},
         "r/curves.csv: expected a column measured_w"),
    plot("a figure of runs from curves", {"r/curves.csv": "time_s,duration_s,measured_w,predicted_w\n10,5,5,1\n"},
         "power: not possible: r is a folder with power compared with a meter, not one of a run, a comparison or a sweep",
         arguments=("--figures", "power")),
    plot("an empty table", {"r/aggregate.csv": ""}, "r/aggregate.csv: empty file, expected a header line"),
    plot("no rows", {"r/aggregate.csv": AGGREGATE.splitlines()[0] + "\n"},
         "r/aggregate.csv: expected a row for each metric, found none"),
    plot("a column missing", {"r/aggregate.csv": "policy,metric,n,mean\n"}, "r/aggregate.csv: expected a column ci95"),
    plot("text for a mean", {"r/aggregate.csv": AGGREGATE.replace("3.5", "much")},
         "r/aggregate.csv:2:19: mean: expected a number, got \"much\""),
    plot("a mean that is no number", {"r/aggregate.csv": AGGREGATE.replace("3.5", "nan")},
         "r/aggregate.csv:2:19: mean: expected a number, got \"nan\""),
    plot("two policies in one run", {"r/aggregate.csv": AGGREGATE + "fcfs,energy_kwh,2,3,1,1\n"},
         "r/aggregate.csv: expected one policy, found zeus and fcfs"),
    plot("too many policies",
         {"r/compare.csv": COMPARE + "".join(f"energy_kwh,p{i},zeus,2,3,1\n" for i in range(28))},
         "r: expected at most 28 policies or runs, got 29"),
    plot("a cut row", {"r/aggregate.csv": AGGREGATE, "r/power.csv": POWER + "zeus,1,20\n"},
         *["r/power.csv:4:1: expected 9 fields as in the header, found 3"] * 3),
    plot("no time", {"r/aggregate.csv": AGGREGATE, "r/power.csv": POWER + "zeus,1,,5,0,1,0,,0\n"},
         "r/power.csv:4:8: time_s: expected a number, got \"\"", arguments=("--figures", "power")),
    plot("a job without a column", {"r/aggregate.csv": AGGREGATE, "r/jobs.csv": "job_id,status\n1,finished\n"},
         "r/jobs.csv: expected a column jct_s"),
    plot("only what cannot be drawn", {"r/aggregate.csv": AGGREGATE.replace("jain_gpu_s", "cost")},
         "pareto: not possible: expected at least two policies with energy_per_work_kwh and jct_restricted_mean_s, found 0",
         "jct: not possible: there is no jobs.csv in r",
         "power: not possible: there is no power.csv in r",
         "occupancy: not possible: there is no power.csv in r",
         "queue: not possible: there is no power.csv in r",
         "bars: not possible: none of its metrics is defined",
         "worlds: not possible: there is no worlds.csv in r",
         "lines: not possible: there is no sweep.csv in r",
         "heatmap: not possible: there is no sweep.csv in r"),
    worlds("no replications", "worlds.csv", "replication", "run", "r/worlds.csv: expected a column replication"),
    worlds("a value that is none", "worlds.csv", "0,1,fcfs,1,5", "0,1,fcfs,1,much",
           'r/worlds.csv:6:12: energy_kwh: expected a number, got "much"'),
    worlds("a row that is cut off", "worlds.csv", "0,1,fcfs,2,6", "0,1,fcfs", "r/worlds.csv:7:1: expected 5 fields as in the header, found 3"),
    worlds("a share that is none", "differences.csv", "0.8", "often",
           'r/differences.csv:2:26: p_better_high: expected a number, got "often"'),
    worlds("no differences", "differences.csv", "metric", "measure", "r/differences.csv: expected a column metric"),
    worlds("no sources", "budget.csv", "source", "where", "r/budget.csv: expected a column source"),
    worlds("a budget that is none", "budget.csv", "1,1,1", "1,1,all",
           'r/budget.csv:2:29: ci_high: expected a number, got "all"'),
    worlds("nobody differs", "differences.csv", "energy_kwh", "cost",
           "worlds: not possible: energy_kwh differs for no policy from the baseline"),
    plot("figures asked for that are not possible", {"r/aggregate.csv": AGGREGATE, "r/power.csv": POWER},
         "jct: not possible: there is no jobs.csv in r",
         "heatmap: not possible: there is no sweep.csv in r", arguments=("--figures", "jct,queue,heatmap")),
    plot("figures asked for one by one", {"r/aggregate.csv": AGGREGATE, "r/power.csv": POWER},
         "jct: not possible: there is no jobs.csv in r",
         "heatmap: not possible: there is no sweep.csv in r",
         arguments=("--figures", "jct", "--figures", "queue", "--figures", "heatmap")),
    plot("no such replication", {"r/aggregate.csv": AGGREGATE, "r/power.csv": POWER},
         "power: not possible: there is no replication 2", arguments=("--figures", "power", "--replication", "2")),
    plot("no job finished", {"r/aggregate.csv": AGGREGATE, "r/jobs.csv": "jct_s,status\n,running\n"},
         "jct: not possible: no job finished", arguments=("--figures", "jct")),
    plot("one numeric axis", {"r/sweep.csv": SWEPT},
         "heatmap: not possible: expected a second axis of numbers next to cluster.power_cap_w",
         arguments=("--figures", "heatmap")),
    plot("no numeric axis", {"r/sweep.csv": SWEPT.replace("2000", "none")},
         "lines: not possible: no axis of the sweep has two values that are numbers",
         "heatmap: not possible: no axis of the sweep has two values that are numbers",
         arguments=("--figures", "lines,heatmap")),
    plot("unknown axis", {"r/sweep.csv": SWEPT},
         "lines: not possible: x: no axis is named seed; there are policy.name, cluster.power_cap_w",
         arguments=("--figures", "lines", "--x", "seed")),
    plot("axis twice", {"r/sweep.csv": SWEPT},
         "lines: not possible: by: cluster.power_cap_w is an axis of the figure already",
         arguments=("--figures", "lines", "--by", "cluster.power_cap_w")),
    plot("no points", {"r/sweep.csv": SWEEP},
         "lines: not possible: no axis of the sweep has two values that are numbers", arguments=("--figures", "lines")),
    plot("a sweep without axes", {"r/sweep.csv": SWEEP.replace("policy.name,cluster.power_cap_w,", "")},
         *["r/sweep.csv: expected columns of axes before policy"] * 2),
    plot("a folder that is not empty", {"r/aggregate.csv": AGGREGATE, "r/figures/mine.txt": "x\n"},
         "easim: r/figures: the folder is not empty; add --force to write into it"),
    plot("no folder for the figures", {"r/aggregate.csv": AGGREGATE}, "easim plot: --out: expected a folder, got \"\"", TRY,
         arguments=("--out", "")),
    plot("several folders that are no runs", {"r/compare.csv": COMPARE},
         "r: several folders must be runs: aggregate.csv is missing", arguments=("r", "--out", "out")),
    plot("an axis of a run", {"r/aggregate.csv": AGGREGATE},
         "easim plot: --x: no figure that is drawn uses it (figures that use it: lines, heatmap)",
         "lines: not possible: there is no sweep.csv in r", "heatmap: not possible: there is no sweep.csv in r",
         arguments=("--x", "seed")),
    plot("options of figures that are left out", {"r/aggregate.csv": AGGREGATE, "r/power.csv": POWER},
         "easim plot: --pareto: no figure that is drawn uses it (figures that use it: pareto)",
         "easim plot: --replication: no figure that is drawn uses it (figures that use it: power, occupancy, queue)",
         "easim plot: --y: no figure that is drawn uses it (figures that use it: heatmap)",
         "easim plot: --by: no figure that is drawn uses it (figures that use it: lines, heatmap)",
         arguments=("--figures", "bars", "--pareto", "energy_kwh,jain_gpu_s", "--replication", "1", "--y", "a", "--by", "b")),
    plot("metrics of no figure", {"r/aggregate.csv": AGGREGATE, "r/power.csv": POWER},
         "easim plot: --metrics: no figure that is drawn uses it (figures that use it: bars, worlds, lines, heatmap)",
         arguments=("--figures", "queue", "--metrics", "energy_kwh")),
    plot("where an axis is not", {"r/sweep.csv": SWEPT},
         *['where: no axis is named cluster.power_cap, did you mean "cluster.power_cap_w"? (there are policy.name, '
           'cluster.power_cap_w)'] * 2, arguments=("--where", "cluster.power_cap=1000")),
    plot("where an axis has no such value", {"r/sweep.csv": SWEPT},
         *["where: policy.name is nowhere zeuss, did you mean \"zeus\"? (there is zeus)"] * 2,
         arguments=("--where", "policy.name=zeuss")),
    plot("where nothing is", {"r/sweep.csv": SWEPT + "3,fcfs,3000,fcfs,1,1,0.2,70\n"},
         "where: no point of the sweep has all these values",
         arguments=("--figures", "lines", "--where", "policy.name=fcfs", "--where", "cluster.power_cap_w=1e3")),
    plot("where an axis is twice", {"r/sweep.csv": SWEPT},
         "where: cluster.power_cap_w is held at 1000 and at 2000",
         arguments=("--figures", "lines", "--where", "cluster.power_cap_w=1000", "--where", "cluster.power_cap_w=2000")),
    plot("an axis that is held", {"r/sweep.csv": SWEPT},
         "lines: not possible: x: cluster.power_cap_w is held at 1000",
         arguments=("--figures", "lines", "--where", "cluster.power_cap_w=1000", "--x", "cluster.power_cap_w")),
    plot("where in a comparison", {"r/aggregate.csv": AGGREGATE},
         "easim plot: --where: no figure that is drawn uses it (figures that use it: lines, heatmap)",
         arguments=("--figures", "bars", "--where", "a=1")),
    plot("no such policy", {"r/compare.csv": COMPARE + "energy_kwh,easy,zeus,2,3,1\n"},
         'policies: there is no zeux in r, did you mean "zeus"? (there are zeus, easy)', arguments=("--policies", "easy,zeux")),
    plot("policies of a sweep", {"r/sweep.csv": SWEPT},
         "easim plot: --policies: no figure that is drawn uses it (figures that use it: pareto, jct, power, occupancy, queue, bars, worlds)",
         arguments=("--figures", "lines", "--policies", "zeus")),
    plot("logarithms of nothing", {"r/compare.csv": COMPARE.replace("energy_kwh", "deadline_missed") + "deadline_missed,easy,zeus,2,0,0\n"
                                   + COMPARE.split("\n", 1)[1] + "energy_kwh,easy,zeus,2,3,1\n"},
         "pareto: not possible: a logarithmic axis needs values above 0, and not all of deadline_missed are",
         arguments=("--figures", "pareto", "--pareto", "energy_kwh,deadline_missed", "--scale", "log")),
    plot("an axis of an impossible figure", {"r/sweep.csv": SWEPT},
         "easim plot: --y: no figure that is drawn uses it (figures that use it: heatmap)",
         "heatmap: not possible: y: not all values of policy.name are numbers", arguments=("--y", "policy.name")),
    usage("no folder", [], "expected DIR..."),
    usage("several folders without --out", ["r", "q"], "--out: expected with several folders"),
    usage("unknown figure", ["r", "--figures", "parto"], "--figures: no figure is named \"parto\", did you mean \"pareto\"?"),
    usage("no figures", ["r", "--figures", ""], "--figures: expected names of figures, got \"\""),
    usage("unknown format", ["r", "--format", "svg,gif"], "--format: expected svg, pdf or png, got \"gif\""),
    usage("no format", ["r", "--format", ""], "--format: expected svg, pdf or png, got \"\""),
    usage("half a size", ["r", "--size", "480"], "--size: expected WIDTHxHEIGHT of 200..4000 each, got \"480\""),
    usage("a size with more behind", ["r", "--size", "480x300px"],
          "--size: expected WIDTHxHEIGHT of 200..4000 each, got \"480x300px\""),
    usage("too small", ["r", "--size", "480x10"], "--size: expected WIDTHxHEIGHT of 200..4000 each, got \"480x10\""),
    usage("one metric of a front", ["r", "--pareto", "energy_kwh"], "--pareto: expected 2 metrics, got 1"),
    usage("too many metrics", ["r", "--metrics", "events,cost,sim_s,energy_kwh,co2_kg"],
          "--metrics: expected 1 to 4 metrics, got 5"),
    usage("unknown metric", ["r", "--metrics", "energy_kwhh"],
          "--metrics: no metric is named \"energy_kwhh\", did you mean \"energy_kwh\"?"),
    usage("where without a value", ["r", "--where", "seed"], '--where: expected AXIS=VALUE, got "seed"'),
    usage("unknown scale", ["r", "--scale", "lo"], '--scale: expected auto, linear or log, got "lo"'),
    usage("replication 0", ["r", "--replication", "0"], "--replication: expected integer 1..1000000, got \"0\""),
]
