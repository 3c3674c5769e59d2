"""Policies with parameters behind their names, in every command that names one: test_contenders.py EASIM SOURCE

What a text must give is known from runs that say the same by --set, from the folders of others, and from the rule by
which a page's address escapes a name (urllib); no figure is stored.
"""
import json
import shutil
from pathlib import Path
from urllib.parse import unquote

from harness import EASIM, SOURCE, cases, easim, json_of, rows_of
from report_page import text_of

SEED = str(SOURCE / "configs" / "eas-sim.yaml")
PLAIN, VARIANT, QUOTED = "zeus", "zeus:edp_slack=2:tau=90min", "pollux:tau=\"2h\""
ALL = [PLAIN, VARIANT, QUOTED]
SMALL = ["-n", 2, "--set", "horizon=3h"]


def without_policy(path):
    return [{key: value for key, value in row.items() if key != "policy"} for row in rows_of(path)]


def folder_of(out, text):
    """The one folder whose name stands for the text."""
    (found,) = [path for path in out.iterdir() if path.is_dir() and unquote(path.name) == text]
    return found


def texts_are_sets(out, scratch):
    """Rows of each are those of easim run with the same parameters by --set; other policies are not touched."""
    by_set = {PLAIN: [], VARIANT: ["policy.params={edp_slack: 2, tau: 5400s}"], QUOTED: ["policy.params.tau=7200s"]}
    for number, (text, sets) in enumerate(by_set.items()):
        run = scratch / f"run{number}"
        easim("run", SEED, "--policy", text.split(":")[0], *SMALL, *[w for s in sets for w in ("--set", s)], "--out", run)
        for name in ("summary.csv", "jobs.csv", "power.csv"):
            assert without_policy(run / name) == without_policy(folder_of(out, text) / name), (text, name)
            assert {row["policy"] for row in rows_of(folder_of(out, text) / name)} == {text}, (text, name)
    assert {row["jct_mean_s"] for row in rows_of(folder_of(out, VARIANT) / "summary.csv")} != \
        {row["jct_mean_s"] for row in rows_of(folder_of(out, PLAIN) / "summary.csv")}  # it is another policy


def names_are_texts(out):
    """In every table and list."""
    for table in ("compare.csv", "pareto.csv", "stationarity.csv", "bounds.csv", "recorded.csv", "perturb.csv"):
        assert {row["policy"] for row in rows_of(out / table)} >= set(ALL), table
    manifest = json_of(out / "manifest.json")
    assert manifest["policies"] == ALL and manifest["baseline"] == VARIANT
    assert [unquote(name) for name in manifest["folders"][:3]] == ALL
    assert all((out / name / "manifest.json").is_file() for name in manifest["folders"])
    own = json_of(folder_of(out, VARIANT) / "manifest.json")["policy"]
    assert own["name"] == "zeus" and own["variant"] == "edp_slack=2:tau=90min", own
    assert own["params"]["edp_slack"] == 2 and own["params"]["tau"] == 5400, own


def folders_repeat(out, scratch):
    assert easim("compare", out / "manifest.json", cwd=scratch).stdout == "equal\n"
    assert easim("run", folder_of(out, QUOTED) / "manifest.json", cwd=scratch).stdout == "equal\n"


def readers_know_them(out, scratch):
    """Everything that takes a folder and --policy."""
    done = easim("attribute", out, "--policy", VARIANT, "--out", scratch / "attribute").stdout
    assert f"policy {VARIANT}," in done and f"policy {PLAIN}," not in done, done
    assert f"policy {VARIANT} " in easim("timeline", out, "--policy", VARIANT, "--out", scratch / "t.json").stdout
    easim("analyze", out, "--policy", QUOTED, "--out", scratch / "analyze")
    easim("explain", out, 1, "--policy", QUOTED)
    easim("report", out, "--policy", VARIANT, "--out", scratch / "report")
    assert VARIANT in text_of(scratch / "report" / "report.html")[0]
    easim("plot", out, "--policies", f"{QUOTED},{PLAIN}", "--out", scratch / "plot")
    figure = (scratch / "plot" / "pareto.csv").read_text()
    assert "tau=" in figure and "edp_slack" not in figure, figure
    easim("attribute", out, "--policy", "zeus:tau=1h", code=2, says=f"(there are: {', '.join(ALL)})")


def commands_take_them(scratch):
    """run, gen, check, tune and sweep by --policy, --set or an axis; the usual folder."""
    easim("run", SEED, "--policy", VARIANT, *SMALL, "--quiet", cwd=scratch)
    assert {unquote(path.name) for path in (scratch / "results" / "eas-sim").iterdir()} == {VARIANT}
    easim("check", SEED, "--policy", VARIANT)
    easim("run", SEED, "--set", f"policy.name={VARIANT}", *SMALL, "--out", scratch / "set")
    assert without_policy(scratch / "set" / "summary.csv") == \
        without_policy(folder_of(scratch / "results" / "eas-sim", VARIANT) / "summary.csv")
    sweep = scratch / "sweep.yaml"
    sweep.write_text(f"name: texts\nbase: {SEED}\naxes:\n  - {{path: policy.name, values: [zeus, '{VARIANT}', 'zeus:tau=90min']}}\n")
    easim("sweep", sweep, "--out", scratch / "sweep", "--quiet")
    rows = {row["policy.name"]: row["policy"] for row in rows_of(scratch / "sweep" / "sweep.csv")}
    assert rows == {name: name for name in ("zeus", VARIANT, "zeus:tau=90min")}, rows


def what_has_no_effect_is_said(scratch):
    done = easim("run", SEED, "--policy", VARIANT, "--set", "policy.params.tau=1h", *SMALL, "--out", scratch / "over").stdout
    assert f"policy.params.tau: of no effect on {VARIANT}, which sets it itself" in done, done
    done = easim("compare", SEED, "--policies", "zeus,zeus:tau=60min,pollux", *SMALL, "--out", scratch / "alike").stdout
    assert "zeus:tau=60min is zeus: every parameter has the same value" in done, done
    assert "pollux is" not in done
    done = easim("compare", SEED, "--policies", f"all,{VARIANT}", *SMALL, "--out", scratch / "all")
    manifest = json_of(scratch / "all" / "manifest.json")
    assert manifest["policies"][-1] == VARIANT and manifest["baseline"] == "pollux" and len(manifest["policies"]) > 9
    assert "not compared: " in done.stderr and " exec (" in done.stderr and f" {VARIANT} (" not in done.stderr, done.stderr
    refused = easim("compare", SEED, "--policies", "all,exec:deadline_s=3", "--out", scratch / "named", code=None)
    assert refused.returncode != 0 and "exec" in refused.stderr  # named, it is not left out


def files_are_found_again(scratch):
    """A parameter that names a file is one from where the command was typed, and from the folder when it is repeated."""
    (scratch / "jobs.csv").write_text("job_id,submit_s,duration_s,gpus\n1,0,100,1\n2,10,100,1\n")
    (scratch / "at: here").mkdir()
    (scratch / "at: here" / "plan,1.csv").write_text("time_s,job_id,gpus\n0,1,1\n50,2,1\n")
    (scratch / "c.yaml").write_text(
        "name: files\nhorizon: drain\ncluster: {gpu_types: [{name: a, idle_w: 50, ctx_w: 60, tdp_w: 300}], "
        "nodes: [{gpu: a, gpus: 2}]}\nworkload: {kind: trace, file: jobs.csv}\npolicy: {name: fcfs}\n")
    text = "replay:file=\"at: here/plan,1.csv\""
    easim("run", "c.yaml", "--policy", text, "--out", "run", cwd=scratch)
    rows = rows_of(scratch / "run" / "jobs.csv")
    assert [float(row["start_s"]) for row in rows] == [0, 50] and rows[0]["policy"] == text, rows
    elsewhere = scratch / "elsewhere"
    elsewhere.mkdir()
    assert easim("run", scratch / "run" / "manifest.json", cwd=elsewhere).stdout == "equal\n"
    easim("compare", "c.yaml", "--policies", f"fcfs,{text}", "--out", "both", cwd=scratch)
    assert easim("compare", scratch / "both" / "manifest.json", cwd=elsewhere).stdout == "equal\n"


def labels_are_names(scratch):
    """Two modules of one name, and one of the shipped ones under a name that looks like a file of the results: in every
    file, to every reader, and again from scenario.yaml. Values are those of zeus itself."""
    for name in ("a", "b"):
        (scratch / name).mkdir()
        shutil.copy(Path(EASIM).parent / "policies" / "zeus.so", scratch / name)
    labels, out = ["old", "new", "compare.csv"], scratch / "labels"
    easim("compare", SEED, "--policies", "old=./a/zeus.so,new=./b/zeus.so:edp_slack=2:tau=90min,compare.csv=zeus", "--baseline", "new",
          "--record", *SMALL, "--out", out, "--quiet", cwd=scratch)
    manifest = json_of(out / "manifest.json")
    assert manifest["policies"] == labels and manifest["baseline"] == "new", manifest
    assert manifest["folders"] == ["old", "new", "compare%2Ecsv"], manifest
    for table in ("compare.csv", "pareto.csv", "stationarity.csv", "recorded.csv"):
        assert {row["policy"] for row in rows_of(out / table)} >= set(labels), table
    plain = scratch / "out"  # the comparison of the texts
    for label, text in (("old", PLAIN), ("new", VARIANT), ("compare.csv", PLAIN)):
        own = folder_of(out, label)
        for name in ("summary.csv", "jobs.csv", "power.csv"):
            assert {row["policy"] for row in rows_of(own / name)} == {label}, (label, name)
            assert without_policy(own / name) == without_policy(folder_of(plain, text) / name), (label, name)
        policy = json_of(own / "manifest.json")["policy"]
        assert (policy["name"], policy["label"]) == ("zeus", label), policy
    easim("explain", out, 1, "--policy", "compare.csv")
    easim("attribute", out, "--policy", "new", "--out", scratch / "l-attribute")
    assert "policy compare.csv " in easim("timeline", out, "--policy", "compare.csv", "--out", scratch / "l.json").stdout
    easim("analyze", out, "--policy", "compare.csv", "--out", scratch / "l-analyze")
    assert easim("run", folder_of(out, "compare.csv") / "manifest.json", cwd=scratch).stdout == "equal\n"
    again = easim("run", folder_of(out, "compare.csv") / "scenario.yaml", "--set", "policy.name=easy", "--out", scratch / "l-set")
    assert "policy easy," in again.stdout, again.stdout  # another policy has not that label
    sweep = scratch / "labels.yaml"
    sweep.write_text(f"name: labels\nbase: {SEED}\naxes:\n  - {{path: policy.name, values: [old=./a/zeus.so, new=./b/zeus.so]}}\n")
    easim("sweep", sweep, "--out", scratch / "l-sweep", "--quiet", cwd=scratch)
    assert {row["policy"] for row in rows_of(scratch / "l-sweep" / "sweep.csv")} == {"old", "new"}
    easim("ablate", SEED, "old=zeus", "new=pollux", *SMALL, "--out", scratch / "l-ablate", "--quiet")
    assert {row["first"] for row in rows_of(scratch / "l-ablate" / "ablate.csv")} == {"old"}
    regret = easim("regret", SEED, "--policy", "old=zeus", "-n", 1, "--set", "horizon=30min", "--format", "json", cwd=scratch)
    assert json.loads(regret.stdout)["policy"] == "old" and (scratch / "results/eas-sim/regret-old").is_dir()


def with_parameters(scratch):
    out = scratch / "out"
    easim("compare", SEED, "--policies", ",".join(ALL), "--baseline", VARIANT, "--record", "--bound", "--perturb", "sizes",
          *SMALL, "--out", out, "--quiet")
    texts_are_sets(out, scratch)
    names_are_texts(out)
    folders_repeat(out, scratch)
    readers_know_them(out, scratch)
    commands_take_them(scratch)
    what_has_no_effect_is_said(scratch)
    files_are_found_again(scratch)
    labels_are_names(scratch)
    return 8


cases(with_parameters)
