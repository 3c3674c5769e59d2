"""Measured power limits: the files of easim calibrate limits."""

from base import Case

HEAD = "model,gpu,k,batch_per_gpu,throughput_samples_s,power_w_per_gpu,power_limit_w\n"
GOOD = "".join(f"m,g,1,8,{100 - loss},{watts},{watts}\n" for watts, loss in ((400, 0), (300, 5), (200, 20)))
RUNS = "run,device,limit_w,mean_w,s_per_work\n"
METERED = "full,b,1100,1000,0.5\nlow,b,450,448,1.1\nmid,b,700,690,0.7\n"


def limits(name, text, *errors, options=()):
    return Case(f"calibrate limits: {name}", errors, {"l.csv": text}, command=("calibrate", "limits", "l.csv", *options))


CASES = [
    limits("one limit", HEAD + GOOD.rpartition("m,")[0],
           "l.csv: expected at least 2 power limits of g from 160 W (0.4 of the highest) to below 400 W, got 1"),
    limits("one limit that boards hold", HEAD + GOOD.replace(",200", ",150"),
           "l.csv: expected at least 2 power limits of g from 160 W (0.4 of the highest) to below 400 W, got 1"),
    limits("no limit", HEAD + "m,g,1,8,100,300,\n", "l.csv: expected rows with a power limit below the highest, got none"),
    limits("no power", HEAD.replace(",power_w_per_gpu", "") + "m,g,1,8,100,400\nm,g,1,8,90,300\nm,g,1,8,80,200\n",
           "l.csv: expected rows with a power limit below the highest, got none"),
    limits("no speed", HEAD + GOOD + "m,g,1,8,0,180,180\n",
           'l.csv:5:9: throughput_samples_s: expected number > 0 and <= 1e12 or empty, got "0"'),
    limits("limit that is a word", HEAD + GOOD + "m,g,1,8,70,180,low\n",
           'l.csv:5:16: power_limit_w: expected number > 0 and <= 100000 or empty, got "low"'),
    limits("runs without a reference", RUNS + METERED,
           "l.csv: --reference: expected the name of the run without a limit, got none"),
    limits("runs without that reference", RUNS + METERED, 'l.csv: --reference: no run is named "idle"',
           options=("--reference", "idle")),
    limits("two references", RUNS + METERED + "full,b,1100,1001,0.5\n",
           "l.csv:5:18: reference: expected one run named full, got another one in line 2", options=("--reference", "full")),
    limits("reference that did not run", RUNS + METERED.replace("1000,0.5", "0,0"),
           "l.csv:2:15: s_per_work: expected s_per_work and mean_w above 0, got 0 s and 0 W", options=("--reference", "full")),
    limits("run that did not run", RUNS + METERED.replace("448,1.1", "448,0"),
           "l.csv:3:15: s_per_work: expected s_per_work and mean_w above 0, got 0 s and 448 W", options=("--reference", "full")),
    limits("one run under a limit", RUNS + METERED.rpartition("mid")[0],
           "l.csv: expected at least 2 power limits of b from 440 W (0.4 of the highest) to below 1100 W, got 1",
           options=("--reference", "full")),
    limits("no run under a limit", RUNS + METERED, "l.csv: expected rows with a power limit below the highest, got none",
           options=("--reference", "low")),
    limits("reference among profiles", HEAD + GOOD, "l.csv: --reference: no file has metered runs", options=("--reference", "full")),
    limits("options of others", HEAD + GOOD, "easim calibrate: --m0 belongs to profiles, not to limits",
           "easim calibrate: --phi belongs to profiles, not to limits", options=("--m0", "8", "--phi", "9")),
    Case("calibrate limits: reference of a profile", ("easim calibrate: --reference belongs to limits, not to profiles",),
         {"l.csv": HEAD + GOOD}, command=("calibrate", "l.csv", "--reference", "full")),
    Case("calibrate limits: no file", ("l.csv: cannot open: No such file or directory",), {},
         command=("calibrate", "limits", "l.csv")),
]
