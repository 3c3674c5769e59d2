"""Measured collectives: the rows of easim calibrate collectives."""

from base import Case

HEAD = "gpu,collective,gpus,bytes,median_ms"
GOOD = "".join(f"h100,all_reduce,8,{2 ** n},{0.01 * n}\n" for n in range(10, 14))
COMMAND = ("calibrate", "collectives", "t.csv", "-o", "table.csv", "--points", "points.csv")


def collectives(name, rows, *errors, head=HEAD, command=COMMAND, exit_code=2):
    return Case(f"collectives: {name}", errors, {"t.csv": f"{head}\n{rows}\n"}, command=command, exit_code=exit_code)


CASES = [
    collectives("no GPU", ",all_reduce,8,1024,0.1", 't.csv:2:1: gpu: expected a name, got ""'),
    collectives("another collective", GOOD + "h100,broadcast,8,1024,0.1",
                "t.csv:6:6: collective: expected all_reduce, all_gather, reduce_scatter, alltoall or send_recv, got "
                '"broadcast"'),
    collectives("GPUs that are none", "h100,all_reduce,1,1024,0.1\nh100,all_reduce,2.5,1024,0.1\nh100,all_reduce,,1024,0.1",
                *(f't.csv:{line}:17: gpus: expected integer 2..1000000, got "{cell}"'
                  for line, cell in ((2, "1"), (3, "2.5"), (4, "")))),
    collectives("no bytes", "h100,all_reduce,8,0,0.1\nh100,all_reduce,8,-4,0.1\nh100,all_reduce,8,nan,0.1\n"
                "h100,all_reduce,8,1e16,0.1",
                *(f't.csv:{line}:19: bytes: expected number 1..1e15, got "{cell}"'
                  for line, cell in ((2, "0"), (3, "-4"), (4, "nan"), (5, "1e16")))),
    collectives("no elements", "h100,all_reduce,8,x,0.1",
                't.csv:2:19: message_elements: expected number 1..1e15, got "x"',
                head=HEAD.replace("bytes", "message_elements")),
    collectives("no time", "h100,all_reduce,8,1024,0\nh100,all_reduce,8,1024,inf",
                *(f't.csv:{line}:24: median_ms: expected milliseconds 1e-9..1e9, got "{cell}"'
                  for line, cell in ((2, "0"), (3, "inf")))),
    collectives("nodes of no GPU", "h100,all_reduce,8,1024,0.1,0",
                't.csv:2:28: gpus_per_node: expected integer 1..1000000 or empty, got "0"', head=HEAD + ",gpus_per_node"),
    collectives("bytes and elements", GOOD, "t.csv:1: expected one of the columns bytes and message_elements, got both",
                head=HEAD.replace("bytes", "bytes,message_elements")),
    collectives("columns missing", "h100,8", "t.csv:1: column \"collective\" is missing (columns: gpu, gpus)",
                't.csv:1: column "median_ms" is missing (columns: gpu, gpus)', "t.csv:1: expected one of the columns bytes and message_elements, got none",
                head="gpu,gpus"),
    collectives("two names", GOOD, "t.csv:1: expected one of the columns gpu and system, got both", head=HEAD + ",system"),
    collectives("too few sizes", "h100,all_reduce,8,1024,0.1\nh100,all_reduce,8,2048,0.2\nh100,all_reduce,4,4096,0.2",
                "t.csv: expected a collective of at least 3 sizes inside a node, got none"),
    collectives("over several nodes alone", "h100,all_reduce,8,1024,0.1,4",
                "t.csv: expected a collective of at least 3 sizes inside a node, got none", head=HEAD + ",gpus_per_node"),
    collectives("options of others", GOOD, "easim calibrate: --m0 belongs to profiles, not to collectives",
                "easim calibrate: --phi belongs to profiles, not to collectives", command=(*COMMAND, "--m0", "8", "--phi", "9")),
    collectives("a message of nothing", GOOD,
                'easim calibrate: --message: expected number 1..1e+15 (units: B, kB, MB, GB, TB, KiB, MiB, GiB, TiB), got "0"',
                "Try `easim calibrate --help' for more information.", command=(*COMMAND, "--message", "0")),
    collectives("a message without a unit of bytes", GOOD,
                'easim calibrate: --message: expected number 1..1e+15 (units: B, kB, MB, GB, TB, KiB, MiB, GiB, TiB), got "3 W"',
                "Try `easim calibrate --help' for more information.", command=(*COMMAND, "--message", "3 W")),
    Case("collectives: message of a profile", ("easim calibrate: --message belongs to collectives, not to plans",),
         {"t.csv": HEAD + "\n" + GOOD, "m.yaml": ""}, command=("calibrate", "plans", "t.csv", "m.yaml", "--message", "1MiB")),
    Case("collectives: more words", ("easim calibrate: expected PROFILE.csv, failures OUTAGES.csv, power LOG.csv METER.csv, "
                                     "plans ROWS.csv MODELS.yaml, collectives TIMES.csv or limits FILE..., got an extra word: q.csv",),
         {"t.csv": HEAD + "\n" + GOOD}, command=("calibrate", "collectives", "t.csv", "q.csv")),
    Case("collectives: no file", ("t.csv: cannot open: No such file or directory",), {}, command=COMMAND),
]
