"""Keys of the scenario itself: unknown, missing, of the wrong type or out of range."""

from base import CONFIG, config

HORIZON = "c.yaml:2:10: horizon: expected drain or a duration > 0 and <= 4e9 s, got "
SEED = "c.yaml:3:7: seed: expected integer 0..9007199254740992, got "
REPLICATIONS = "c.yaml:4:15: replications: expected integer 1..1000000, got "


def seed(name, text):
    return config(name, ("seed: 1", f"seed: {text}"), f"{SEED}\"{text}\"")


def horizon(name, text):
    return config(name, ("horizon: 10h", f"horizon: {text}"), f"{HORIZON}\"{text}\"")


CASES = [
    config("unknown key with suggestion", ("horizon:", "horizn:"),
           "c.yaml:2:1: unknown key \"horizn\", did you mean \"horizon\"?",
           "c.yaml:1:1: key \"horizon\" is missing"),
    config("unknown key without suggestion", ("seed: 1", "favourite_colour: blue"),
           "c.yaml:3:1: unknown key \"favourite_colour\""),
    config("unknown key below", ("users: 2", "users: 2\nengine: {coalsce: true}"),
           "c.yaml:15:10: engine: unknown key \"coalsce\", did you mean \"coalesce\"?"),
    config("a sweep", "base: d.yaml\naxes: []\n",
           "c.yaml:1:1: expected a scenario, got a sweep (easim sweep runs it; its base is one)"),
    config("missing keys", "seed: 1\n",
           "c.yaml:1:1: key \"name\" is missing",
           "c.yaml:1:1: key \"horizon\" is missing",
           "c.yaml:1:1: key \"cluster\" is missing",
           "c.yaml:1:1: key \"workload\" is missing",
           "c.yaml:1:1: key \"policy\" is missing"),
    config("key without a value", ("horizon: 10h", "horizon:"), "c.yaml:1:1: key \"horizon\" is missing"),
    config("list instead of text", ("name: base", "name: [base]"), "c.yaml:1:7: name: expected text, got a list"),
    config("empty name", ("name: base", "name: \"\""), "c.yaml:1:7: name: expected text, got \"\""),
    config("name with a slash", ("name: base", "name: ../base"),
           "c.yaml:1:7: name: expected text that can name a folder (no /), got \"../base\""),
    config("mapping instead of an integer", ("seed: 1", "seed: {value: 1}"),
           "c.yaml:3:7: seed: expected integer 0..9007199254740992, got a mapping"),
    seed("text instead of an integer", "one"),
    seed("negative integer", "-1"),
    seed("integer with a fraction", "1.5"),
    seed("hexadecimal integer", "0x10"),
    seed("integer past 64 bits", "99999999999999999999"),
    seed("integer in words of YAML 1.1", "1_000"),
    config("no replication", ("seed: 1", "seed: 1\nreplications: 0"), f"{REPLICATIONS}\"0\""),
    config("too many replications", ("seed: 1", "seed: 1\nreplications: 1e9"), f"{REPLICATIONS}\"1e9\""),
    horizon("duration without a number", "soon"),
    config("duration of an unknown unit", ("horizon: 10h", "horizon: 10 hours"),
           HORIZON.replace(", got", " (units: ns, us, ms, s, min, h, d, w), got") + "\"10 hours\", did you mean \"10h\"?"),
    config("duration in days", ("horizon: 10h", "horizon: 7 days"),
           HORIZON.replace(", got", " (units: ns, us, ms, s, min, h, d, w), got") + "\"7 days\", did you mean \"7d\"?"),
    horizon("negative duration", "-10h"),
    horizon("duration of nothing", "0"),
    horizon("duration of centuries", "99999999999"),
    horizon("duration that is not a number", "nan"),
    config("list instead of a duration", ("horizon: 10h", "horizon: [10h]"),
           "c.yaml:2:10: horizon: expected drain or a duration > 0 and <= 4e9 s, got a list"),
    config("number instead of true or false", ("users: 2", "users: 2\nengine: {coalesce: yes}"),
           "c.yaml:15:20: engine.coalesce: expected true or false, got \"yes\""),
    config("record that is neither", ("users: 2", "users: 2\nrecord: always"),
           "c.yaml:15:9: record: expected true or false, got \"always\""),
    config("unknown choice", ("users: 2", "users: 2\nengine: {equal_time: random}"),
           "c.yaml:15:22: engine.equal_time: expected one of finishes_first | arrivals_first, got \"random\""),
    config("engine that is no mapping", ("users: 2", "users: 2\nengine: fast"),
           "c.yaml:15:9: engine: expected a mapping of keys to values, got \"fast\""),
    config("user without a name", ("seed: 1", "seed: 1\nusers: [{weight: 2}]"),
           "c.yaml:4:9: users[0]: key \"name\" is missing"),
    config("users without weight", ("seed: 1", "seed: 1\nusers: [{name: a, weight: 0}, {name: b, weight: inf}]"),
           "c.yaml:4:27: users[0].weight: expected number > 0 and <= 1000000000, got \"0\"",
           "c.yaml:4:49: users[1].weight: expected number > 0 and <= 1000000000, got \"inf\""),
    config("user listed twice", ("seed: 1", "seed: 1\nusers: [{name: a}, {name: b}, {name: a, weight: 2}]"),
           "c.yaml:4:31: users[2]: user \"a\" is listed twice"),
    config("price out of range", ("seed: 1", "seed: 1\nprice_per_mwh: 1e9\ncarbon_g_per_kwh: -1"),
           "c.yaml:5:19: carbon_g_per_kwh: expected number 0..1000000, got \"-1\"",
           "c.yaml:4:16: price_per_mwh: expected number -1000000..1000000, got \"1e9\""),
    config("policy that is a word", ("policy: {name: fcfs}", "policy: fcfs"),
           "c.yaml:15:9: policy: expected a mapping of keys to values, got \"fcfs\""),
    config("policy without a name", ("policy: {name: fcfs}", "policy: {params: {}}"),
           "c.yaml:15:9: policy: key \"name\" is missing"),
    config("params_by_policy that is a list", CONFIG + "params_by_policy: [fcfs]\n",
           "c.yaml:16:19: params_by_policy: expected a mapping from policies to parameters, got a list"),
    config("five problems at once", [("horizon: 10h", "horizn: 10h"), ("seed: 1", "seed: x"), ("gpus: 8", "gpus: 0"),
                                     ("idle_w: 60", "idle_w: low"), ("fcfs", "fcfss")],
           "c.yaml:2:1: unknown key \"horizn\", did you mean \"horizon\"?",
           "c.yaml:1:1: key \"horizon\" is missing",
           "c.yaml:3:7: seed: expected integer 0..9007199254740992, got \"x\"",
           "c.yaml:15:16: policy.name: no policy is named \"fcfss\", did you mean \"fcfs\"? (found: {policies})",
           "c.yaml:6:28: cluster.gpu_types[0].idle_w: expected number 0..10000000, got \"low\"",
           "c.yaml:8:35: cluster.nodes[0].gpus: expected integer 1..1048576, got \"0\""),
]
