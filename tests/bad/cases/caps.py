"""Caps that easim enforces: their rules, power domains, demand response events, and the flexibility of jobs. The four nodes here draw 100 + 8 x 60 = 580 W
each with idle GPUs."""

from base import CONFIG, MODELS, POISSON, Case, changed, log, workload

NODES = ("{count: 1, gpu: a100, gpus: 8}", "{count: 4, gpu: a100, gpus: 8, base_w: 100}")
ENFORCED = "  power_cap: {enforce: throttle}\n"
CAP = "c.yaml:5:14: cluster.power_cap"
WATTS = "expected number > 0 and <= 1000000000000"
NEEDS = "expected cluster.power_cap with enforce: throttle or throttle_then_preempt in it"
JOBS = "job_id,submit_s,duration_s,gpus,flex\n1,0,100,1,{}\n"


def case(name, keys, *errors, change=(), files=None, **more):
    """Keys of the cluster section, from line 5 on."""
    text = changed(CONFIG, [("cluster:\n", "cluster:\n" + keys), NODES, *change])
    return Case(f"caps: {name}", errors, {"c.yaml": text, "m.yaml": MODELS} | (files or {}), **more)


def cap(name, keys, *errors, **more):
    return case(name, f"  power_cap: {keys}\n", *errors, **more)


def domains(name, rows, *errors):
    """Domains from line 7 on, one a line."""
    return case(f"domains: {name}", ENFORCED + "  power_domains:\n" + "".join(f"    - {row}\n" for row in rows), *errors)


def events(name, text, *errors):
    """A file of events, which its text is."""
    return case(f"events: {name}", ENFORCED + "  cap_events: e.csv\n", *errors, files={"e.csv": text})


def event(name, cells, *errors):
    """One event, in line 2, after a good one with more columns."""
    columns = "start_s,duration_s,reduction_frac,target_w,notice_s,ramp_s,price_per_kwh\n"
    return events(name, columns + cells + "\n", *(f"e.csv:2:{error}" for error in errors))


def delay(name, value, expected="duration such as 90s or 10h 0..1000000"):
    return case(f"delay {name}", "", f"c.yaml:6:47: cluster.gpu_types[0].limit_delay_s: expected {expected}, got \"{value}\"",
                change=[("idle_w: 60", f"idle_w: 60, limit_delay_s: {value}")])


def flex(name, shares, *errors):
    return workload(f"caps: flex {name}", POISSON + f"  flex: {shares}\n", *errors)


CASES = [
    cap("two keys of one limit", "{watts: 4000}\n  power_cap_w: 4000", f"{CAP}: expected power_cap_w or power_cap, got both"),
    cap("two forms of the cap", "{watts: 4000, file: cap.csv}", f"{CAP}: expected watts or file, got both"),
    cap("no watts", "{watts: 0}", f"c.yaml:5:22: cluster.power_cap.watts: {WATTS}, got \"0\""),
    cap("watts that are not a number", "{watts: nan}", f"c.yaml:5:22: cluster.power_cap.watts: {WATTS}, got \"nan\""),
    cap("a number", "4000", f"{CAP}: expected a mapping of keys to values, got \"4000\""),
    cap("nothing to enforce", "{enforce: throttle}",
        f"{CAP}: expected watts or file, or power_domains or cap_events in the cluster"),
    cap("a key of a file without one", "{watts: 4000, period: 24h}",
        f"{CAP}: expected file with column, time_column, repeat and period"),
    cap("a file that is not there", "{file: cap.csv, enforce: throttle}",
        "c.yaml:5:21: cluster.power_cap.file: cap.csv: cannot open: No such file or directory"),
    cap("a file with other columns", "{file: cap.csv, enforce: throttle}",
        "cap.csv:1: column \"power_w\" is missing (column: NAME says which column holds the values) (columns: time_s, watts)",
        files={"cap.csv": "time_s,watts\n0,4000\n"}),
    cap("unknown words", "{watts: 4000, enforce: kill, order: by_size, admit: all}",
        "c.yaml:5:37: cluster.power_cap.enforce: expected one of none | throttle | throttle_then_preempt, got \"kill\"",
        "c.yaml:5:50: cluster.power_cap.order: expected one of equal | by_class | by_flex, got \"by_size\"",
        "c.yaml:5:66: cluster.power_cap.admit: expected one of efficient | full | floor, got \"all\""),
    cap("half a step", "{watts: 4000, enforce: throttle, steps: 1.5}",
        "c.yaml:5:54: cluster.power_cap.steps: expected integer 0..1024, got \"1.5\""),
    cap("negative steps and grace", "{watts: 4000, enforce: throttle, steps: -1, grace: -1s}",
        "c.yaml:5:54: cluster.power_cap.steps: expected integer 0..1024, got \"-1\"",
        "c.yaml:5:65: cluster.power_cap.grace: expected duration such as 90s or 10h 0..4000000000, got \"-1s\""),
    cap("unknown key", "{watts: 4000, enforced: throttle}",
        "c.yaml:5:28: cluster.power_cap: unknown key \"enforced\", did you mean \"enforce\"?"),
    cap("shared links", "{watts: 4000, enforce: throttle}\n  network: {link: 200 Gbit/s, contention: true, tiers: [{name: rack, nodes: 4}]}",
        f"{CAP}: expected enforce: none with contention of the network, because speeds of jobs that share links do not follow from "
        "their power limits"),
    cap("shared storage", "{watts: 4000, enforce: throttle}",
        f"{CAP}: expected enforce: none with storage, because speeds of jobs that wait for storage do not follow from their power limits",
        change=[("workload:", "storage: {bandwidth: 1 GB/s}\nworkload:")]),
    delay("negative", "-0.1"),
    delay("in words", "soon"),

    case("domains: no cap", "  power_domains: [{name: a, nodes: 0-3, cap: 9000}]\n",
         f"c.yaml:5:18: cluster.power_domains: {NEEDS}"),
    case("domains: a cap that is only watched", "  power_cap: {watts: 9000}\n  power_domains: [{name: a, nodes: 0-3, cap: 9000}]\n",
         f"c.yaml:6:18: cluster.power_domains: {NEEDS}"),
    domains("a cycle", ["{name: a, parent: b, nodes: 0-3, cap: 9000}", "{name: b, parent: a, nodes: 0-3, cap: 9000}"],
            "c.yaml:7:7: cluster.power_domains[0]: expected a parent that is listed before it, got \"b\""),
    domains("in itself", ["{name: a, parent: a, nodes: 0-3, cap: 9000}"],
            "c.yaml:7:7: cluster.power_domains[0]: expected a parent that is listed before it, got \"a\""),
    domains("unknown parent, and one below", ["{name: a, parent: c, nodes: 0-3, cap: 9000}", "{name: b, parent: a, nodes: 7, cap: 9000}"],
            "c.yaml:7:7: cluster.power_domains[0]: expected a parent that is listed before it, got \"c\""),
    domains("a name twice, then a good one", ["{name: a, nodes: 0, cap: 9000}", "{name: a, nodes: 1, cap: 9000}", "{name: b, nodes: 2-3, cap: 9000}",
                                              "{name: c, parent: b, nodes: 2, cap: 579}"],
            "c.yaml:8:7: cluster.power_domains[1]: domain \"a\" is defined twice",
            "c.yaml:10:7: cluster.power_domains[3]: expected a cap of at least the 580 W that its idle GPUs and nodes draw, got 579"),
    domains("a node of two siblings", ["{name: a, nodes: 0-1, cap: 9000}", "{name: b, nodes: 1-3, cap: 9000}"],
            "c.yaml:8:7: cluster.power_domains[1]: expected nodes that are not in \"a\" yet, got 1"),
    domains("a node of two siblings in a parent", ["{name: p, nodes: 0-3, cap: 9000}", "{name: a, parent: p, nodes: 0-1, cap: 9000}",
                                                   "{name: b, parent: p, nodes: [3, 0], cap: 9000}"],
            "c.yaml:9:7: cluster.power_domains[2]: expected nodes that are not in \"a\" yet, got 0"),
    domains("a node twice", ["{name: a, nodes: [0-2, 2], cap: 9000}"],
            "c.yaml:7:7: cluster.power_domains[0]: expected nodes that are not in \"a\" yet, got 2"),
    domains("a node outside the parent", ["{name: a, nodes: 0-1, cap: 9000}", "{name: b, parent: a, nodes: 1-2, cap: 9000}"],
            "c.yaml:8:7: cluster.power_domains[1]: expected nodes of its parent \"a\", got 2"),
    domains("a node in another parent", ["{name: a, nodes: 0-1, cap: 9000}", "{name: b, nodes: 2-3, cap: 9000}",
                                         "{name: c, parent: a, nodes: 3, cap: 9000}"],
            "c.yaml:9:7: cluster.power_domains[2]: expected nodes of its parent \"a\", got 3"),
    domains("a node beyond the cluster", ["{name: a, nodes: 0-4, cap: 9000}"],
            "c.yaml:7:7: cluster.power_domains[0]: expected nodes from 0 to 3, or ranges such as 0-15, got \"0-4\""),
    *[domains(f"nodes \"{text}\"", [f"{{name: a, nodes: '{text}', cap: 9000}}"],
              f"c.yaml:7:7: cluster.power_domains[0]: expected nodes from 0 to 3, or ranges such as 0-15, got \"{text}\"")
      for text in ("3-1", "-1", "1-", "0..3", "all", "1.5", "0-1-2")],
    domains("a cap below the fixed power", ["{name: a, nodes: 0-3, cap: 2319}"],
            "c.yaml:7:7: cluster.power_domains[0]: expected a cap of at least the 2320 W that its idle GPUs and nodes draw, got 2319"),
    domains("no cap and no nodes", ["{name: a}"],
            "c.yaml:7:7: cluster.power_domains[0]: key \"nodes\" is missing", "c.yaml:7:7: cluster.power_domains[0]: key \"cap\" is missing"),

    case("events: a file that is not there", ENFORCED + "  cap_events: e.csv\n",
         "c.yaml:6:15: cluster.cap_events: e.csv: cannot open: No such file or directory"),
    case("events: no cap", "  cap_events: e.csv\n", f"c.yaml:5:15: cluster.cap_events: {NEEDS}", files={"e.csv": ""}),
    case("events: a cap that is only watched", "  power_cap: {watts: 4000}\n  cap_events: e.csv\n",
         f"c.yaml:6:15: cluster.cap_events: {NEEDS}", files={"e.csv": ""}),
    case("events: no file but a list", ENFORCED + "  cap_events: [e.csv]\n", "c.yaml:6:15: cluster.cap_events: expected a file name, got a list"),
    events("an empty file", "", "e.csv: empty file, expected a header line"),
    events("no event", "start_s,duration_s,target_w\n", "e.csv: expected at least one event, got none"),
    events("no duration", "start_s,target_w\n600,4000\n", "e.csv:1: column \"duration_s\" is missing (columns: start_s, target_w)"),
    events("an unknown column", "start_s,duration_s,target_w,reduction\n600,600,4000,0.1\n", "e.csv:1: unknown column \"reduction\", did you mean \"reduction_frac\"? (columns: start_s, duration_s, reduction_frac, target_w, "
           "notice_s, ramp_s, price_per_kwh); extra columns are named label.*"),
    events("no kind of target", "start_s,duration_s\n600,600\n", "e.csv:1: expected a column reduction_frac or target_w, got none"),
    event("both reduction and target", "600,600,0.2,4000,0,0,", "9: reduction_frac: expected reduction_frac or target_w, not both, got \"0.2\""),
    event("neither reduction nor target", "600,600,,,0,0,", "9: reduction_frac: expected reduction_frac or target_w, got \"\""),
    event("all power", "600,600,1,,0,0,", "9: reduction_frac: expected share > 0 and < 1 or empty, got \"1\""),
    event("no power", "600,600,0,,0,0,", "9: reduction_frac: expected share > 0 and < 1 or empty, got \"0\""),
    event("more power", "600,600,-0.2,,0,0,", "9: reduction_frac: expected share > 0 and < 1 or empty, got \"-0.2\""),
    event("a reduction that is not a number", "600,600,nan,,0,0,", "9: reduction_frac: expected share > 0 and < 1 or empty, got \"nan\""),
    event("a ramp longer than the event", "600,600,0.2,,0,601,", "16: ramp_s: expected a ramp within duration_s, got \"601\""),
    event("no baseline", "600,600,0.2,,600,0,",
          "14: notice_s: expected a notice after t = 0, because reduction_frac is of the power before it; or target_w, got \"600\""),
    events("no baseline and no notice", "start_s,duration_s,reduction_frac\n0,600,0.2\n",
           "e.csv:2:1: start_s: expected a notice after t = 0, because reduction_frac is of the power before it; or target_w, got \"0\""),
    event("a ramp without a baseline", "600,600,,4000,900,60,",
          "19: ramp_s: expected 0 with a notice by t = 0, because the ramp begins at the power before it, got \"60\""),
    event("negative numbers", "-600,-600,,-4000,-1,-1,-1",
          "1: start_s: expected seconds 0..4e9, got \"-600\"", "6: duration_s: expected seconds > 0 and <= 4e9, got \"-600\"",
          "12: target_w: expected power in W > 0 and <= 1e12 or empty, got \"-4000\"", "18: notice_s: expected seconds 0..4e9 or empty, got \"-1\"",
          "21: ramp_s: expected seconds 0..4e9 or empty, got \"-1\"", "24: price_per_kwh: expected number 0..1e12 or empty, got \"-1\""),
    event("no length, and words", "soon,0,,inf,1h,nan,free",
          "1: start_s: expected seconds 0..4e9, got \"soon\"", "6: duration_s: expected seconds > 0 and <= 4e9, got \"0\"",
          "9: target_w: expected power in W > 0 and <= 1e12 or empty, got \"inf\"", "13: notice_s: expected seconds 0..4e9 or empty, got \"1h\"",
          "16: ramp_s: expected seconds 0..4e9 or empty, got \"nan\"", "20: price_per_kwh: expected number 0..1e12 or empty, got \"free\""),
    events("that overlap", "start_s,duration_s,target_w\n600,600,4000\n1199.5,600,4000\n1800,600,4000\n",
           "e.csv:3:1: start_s: expected a time from 1200 on, when the event before is over, got \"1199.5\""),
    events("in another order", "start_s,duration_s,target_w\n6000,600,4000\n600,600,4000\n",
           "e.csv:3:1: start_s: expected a time from 6600 on, when the event before is over, got \"600\""),
    events("half a row", "start_s,duration_s,target_w\n600,600\n", "e.csv:2:1: expected 3 fields as in the header, found 2"),

    flex("of all speed, and below none", "[{share: 0.5, flex: 1}, {share: 0.5, flex: -0.1}]",
         "c.yaml:15:29: workload.flex[0].flex: expected number >= 0 and < 1, got \"1\"",
         "c.yaml:15:52: workload.flex[1].flex: expected number >= 0 and < 1, got \"-0.1\""),
    flex("that is not a number", "[{share: 1, flex: nan}]", "c.yaml:15:27: workload.flex[0].flex: expected number >= 0 and < 1, got \"nan\""),
    flex("of nobody", "[{share: 0, flex: 0.5}, {share: 1, flex: 0}]",
         "c.yaml:15:18: workload.flex[0].share: expected number > 0 and <= 1, got \"0\""),
    flex("of too few", "[{share: 0.1, flex: 0}, {share: 0.3, flex: 0.25}]", "c.yaml:11:3: workload.flex: expected shares whose sum is 1, got a sum of 0.4"),
    flex("without shares", "0.5", "c.yaml:15:9: workload.flex: expected a list of mappings, got \"0.5\""),
    *[log(f"caps: flex {text} of a log", JOBS.format(text), f"jobs.csv:2:11: flex: expected number >= 0 and < 1 or empty, got \"{text}\"")
      for text in ("1", "-0.1", "nan", "much")],
]
