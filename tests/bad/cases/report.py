"""easim report: folders that hold no results, broken ones, or cells that are no numbers; libraries that are not D3."""
from base import command
from cases.plot import AGGREGATE, sealed

JOBS = "user,model,status,job_id,submit_s,start_s,finish_s,jct_s,deadline_s,missed,energy_j,wait_s,exec_s\nu,m,finished,1,0,1,10,10,,,5,1,9\n"
POWER = "replication,time_s,power_w,cap_w,waiting,alloc_gpus,idle_gpus,failed_gpus\n1,0,60,,0,0,1,0\n1,10,70,,0,1,0,0\n"
RUN = {"r/aggregate.csv": AGGREGATE, "r/jobs.csv": JOBS, "r/power.csv": POWER, "d3.js": "// https://d3js.org v5.16.0\n"}


def report(name, files, error, arguments=(), as_it_is=False):
    """A page that is refused; the folder is whole unless it is left as it is."""
    files = files if as_it_is else sealed(files)
    return command(f"report: {name}", ["report", "r", "--d3", "d3.js", *arguments], f"easim: {error}", files=files)


def damaged(name, file, old, new, error):
    return report(name, {**RUN, f"r/{file}": RUN[f"r/{file}"].replace(old, new)}, error)


CASES = [
    report("no such folder", {}, "r: cannot open folder: No such file or directory"),
    report("no results", {"r/notes.txt": "x\n"},
           "r: no results: expected aggregate.csv of a run, compare.csv of a comparison, sweep.csv of a sweep, models.csv of models or curves.csv of power beside a meter"),
    report("half written", RUN,
           "r: manifest.json is missing: the folder has no results, or writing them was interrupted", as_it_is=True),
    report("of another run", {**sealed(RUN), "r/jobs.csv": JOBS.replace("10", "11")},
           "r/jobs.csv: is not what manifest.json lists: it was changed, or written by another run", as_it_is=True),
    report("what models say", {"r/models.csv": "model\nm\n"}, "r: a report is of the folder of easim run, easim compare or easim sweep"),
    damaged("a time that is no number", "jobs.csv", "9\n", "nine\n", 'r/jobs.csv:2:32: exec_s: expected a number, got "nine"'),
    damaged("a column that is missing", "jobs.csv", "user,", "users,", "r/jobs.csv: expected a column user"),
    damaged("times that fall", "power.csv", "1,10,", "1,-10,", "r/power.csv:3: expected times that do not fall"),
    damaged("a column of power that is missing", "power.csv", "cap_w", "cap", "r/power.csv: expected a column cap_w"),
    report("no such policy", RUN, 'r: no run of policy "nobody"', arguments=("--policy", "nobody")),
    report("a file that is no D3", {**RUN, "other.js": "// https://d3js.org v7.9.0\n"},
           'other.js: expected D3 of version 5, which begins with "// https://d3js.org v5."', arguments=("--d3", "other.js")),
    report("D3 that would end the page's script", {**RUN, "other.js": "// https://d3js.org v5.16.0\n</script>\n"},
           "other.js: cannot stand in a page: it has </script or <!--", arguments=("--d3", "other.js")),
    report("no such file", RUN,
           "other.js: cannot read D3, which draws the charts of a report: install the package node-d3, or name another file of D3 version 5",
           arguments=("--d3", "other.js")),
]
