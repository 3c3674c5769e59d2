"""The section uncertainty of a scenario. idle_w 60 W is at cluster.gpu_types[0].idle_w."""

from base import CONFIG, MODELS, Case, changed

HERE = "c.yaml:15:"  # the line of uncertainty
IDLE = "cluster.gpu_types[0].idle_w"
COMPARE = ("compare", "c.yaml", "--policies", "fcfs,easy", "--out", "out", "--quiet")


def section(name, text, *errors, command=("check", "c.yaml"), models=MODELS, more=()):
    """`uncertainty: TEXT`, and what is wrong with it, from the column on."""
    config = changed(CONFIG, [("policy: {name: fcfs}", f"uncertainty: {text}\npolicy: {{name: fcfs}}"), *more])
    return Case(f"uncertainty: {name}", tuple(error.replace("@", HERE) for error in errors),
                {"c.yaml": config, "m.yaml": models}, command=command)


def parameter(name, text, *errors, **more):
    """One parameter; its mapping begins at column 39."""
    return section(name, "{worlds: 2, parameters: [" + text + "]}", *errors, **more)


def law(name, text, *errors, **more):
    """The law of an idle power; it begins at column 92."""
    return parameter(name, '{group: g, path: "' + IDLE + '", law: ' + text + "}", *errors, **more)


# A model whose fit has a covariance of a_s, c_s and alpha_s.
FITTED = changed(MODELS, [("        evidence: assumed\n", """\
        fit:
          standard_errors: {a_s: 0.004, c_s: 0.0005, alpha_s: 0.001}
          covariance: MATRIX
        evidence: assumed
""")])


def covariance(name, matrix, where, expected):
    """The covariance stands in line 16, from column 23 on."""
    return section(f"covariance {name}", "{worlds: 2, calibration: true}",
                   f"m.yaml:16:{where}: models.bert.gpus.a100.fit.covariance: expected {expected}", command=COMPARE,
                   models=FITTED.replace("MATRIX", matrix))


LAW = "@92: uncertainty.parameters[0].law"
PATH = "@56: uncertainty.parameters[0].path: "

CASES = [
    section("no mapping", "64", "@14: uncertainty: expected a mapping of keys to values, got \"64\""),
    section("no worlds", "{calibration: true}", "@14: uncertainty: key \"worlds\" is missing"),
    section("worlds: 0", "{worlds: 0}", "@23: uncertainty.worlds: expected integer 1..100000, got \"0\""),
    section("part of a world", "{worlds: 1.5}", "@23: uncertainty.worlds: expected integer 1..100000, got \"1.5\""),
    section("unknown key", "{worlds: 2, parameter: []}",
            "@26: uncertainty: unknown key \"parameter\", did you mean \"parameters\"?"),
    section("calibration is no word", "{worlds: 2, calibration: yes}",
            "@39: uncertainty.calibration: expected true or false, got \"yes\""),
    section("parameters are no list", "{worlds: 2, parameters: {}}",
            "@38: uncertainty.parameters: expected a list of mappings, got an empty mapping"),
    parameter("empty parameter", "{}", *(f"@39: uncertainty.parameters[0]: key \"{key}\" is missing"
                                         for key in ("group", "path", "law"))),
    *(parameter(f"group {name}", '{group: ' + name + ', path: "' + IDLE + '", law: {uniform: [50, 70]}}',
                f"@47: uncertainty.parameters[0].group: expected another name than {name}, which budget.csv uses itself")
      for name in ("calibration", "physics", "workload", "residual")),
    law("no law", "uniform", LAW + ": expected a mapping of one law, as {uniform: [low, high]}, got \"uniform\""),
    law("two laws", "{uniform: [1, 2], normal: [1, 2]}",
        LAW + ": expected a mapping of one law, as {uniform: [low, high]}, got a mapping"),
    law("unknown law", "{unform: [1, 2]}",
        "@93: uncertainty.parameters[0].law: expected one of uniform | loguniform | normal | lognormal | choice, "
        "got \"unform\", did you mean \"uniform\"?"),
    law("no bounds", "{uniform: }", "@102: uncertainty.parameters[0].law.uniform: expected [low, high] with low < high, got \"\""),
    law("one bound", "{uniform: [50]}",
        "@102: uncertainty.parameters[0].law.uniform: expected [low, high] with low < high, got a list"),
    law("bounds the wrong way", "{uniform: [70, 50]}",
        "@102: uncertainty.parameters[0].law.uniform: expected [low, high] with low < high, got [70, 50]"),
    law("loguniform from 0", "{loguniform: [0, 50]}",
        "@105: uncertainty.parameters[0].law.loguniform: expected [low, high] with 0 < low < high, got [0, 50]"),
    law("normal without spread", "{normal: [60, 0]}",
        "@101: uncertainty.parameters[0].law.normal: expected [mean, standard deviation] with a deviation > 0, got [60, 0]"),
    law("lognormal around a negative", "{lognormal: [-60, 1]}",
        "@104: uncertainty.parameters[0].law.lognormal: expected [median, sigma of the logarithm], both > 0, got [-60, 1]"),
    law("infinite bound", "{uniform: [50, .inf]}",
        "@107: uncertainty.parameters[0].law.uniform[1]: expected number, got \".inf\""),
    law("empty choice", "{choice: []}", "@101: uncertainty.parameters[0].law.choice: expected a list of values, "
        "or a mapping from names to values, got an empty list"),
    law("choice of text", "{choice: [60, low]}",
        "@106: uncertainty.parameters[0].law.choice: expected number, got \"low\""),
    law("bounds of the parameter the wrong way", "{uniform: [50, 70]}, bounds: [60, 60]",
        "@121: uncertainty.parameters[0].bounds: expected [least, most] with least < most"),
    parameter("a path that is none", '{group: g, path: "a..b", law: {uniform: [1, 2]}}',
              PATH + "expected a name, as in cluster.nodes[0].gpus, at character 3 of \"a..b\""),
    parameter("unknown path", '{group: g, path: "cluster.gpu_types[0].idlew", law: {uniform: [1, 2]}}',
              PATH + "expected the path of a number of this scenario: it has no cluster.gpu_types[0].idlew, "
              "did you mean \"idle_w\"?"),
    parameter("past the end of a list", '{group: g, path: "cluster.nodes[1].gpus", law: {uniform: [1, 2]}}',
              PATH + "expected the path of a number of this scenario: it has no cluster.nodes[1]"),
    parameter("a value of a model file", '{group: g, path: "models.bert.phi", law: {uniform: [1, 2]}}',
              PATH + "expected the path of a number of this scenario: it has no models.bert"),
    parameter("text", '{group: g, path: "cluster.gpu_types[0].name", law: {uniform: [1, 2]}}',
              PATH + "expected the path of a number of this scenario, cluster.gpu_types[0].name is text"),
    parameter("a mapping", '{group: g, path: "cluster.gpu_types[0]", law: {uniform: [1, 2]}}',
              PATH + "expected the path of a number of this scenario, cluster.gpu_types[0] is a list or mapping"),
    parameter("model_overrides as a number", '{group: g, path: model_overrides, law: {uniform: [1, 2]}}',
              PATH + "expected the path of a number of this scenario: it has no model_overrides"),
    *(parameter(f"{path} is shared", '{group: g, path: "' + path + '", law: {uniform: [1, 2]}}',
                PATH + f"expected a value of the physics: {path.split('.')[0]} is the same in all worlds")
      for path in ("workload.rate_per_s", "seed", "horizon")),
    parameter("a choice of numbers for model_overrides", '{group: g, path: model_overrides, law: {choice: [1, []]}}',
              "@88: uncertainty.parameters[0].law.choice: expected a list of entries of model_overrides, got \"1\""),
    parameter("bounds of lists", '{group: g, path: model_overrides, law: {choice: [[], []]}, bounds: [1, 2]}',
              "@106: uncertainty.parameters[0].bounds: expected none: its values are lists"),
    parameter("drawn twice", '{group: g, path: "' + IDLE + '", law: {uniform: [50, 70]}}, {group: h, path: "' + IDLE +
              '", law: {uniform: [50, 60]}}',
              f"@131: uncertainty.parameters[1].path: {IDLE} is drawn twice: here, and as {IDLE} by parameters[0]"),
    section("own section", '{worlds: 2, parameters: [{group: g, path: uncertainty.worlds, law: {uniform: [1, 2]}}]}',
            PATH + "expected a value of the physics: uncertainty is the same in all worlds"),
    law("a law of which no value can be run", "{uniform: [-70, -50]}",
        "@39: cluster.gpu_types[0].idle_w: expected a law with values that can be run: none of 1000 draws was; "
        "--set cluster.gpu_types[0].idle_w: cluster.gpu_types[0].idle_w: expected number 0..10000000, got \"-61.64624394647901\"", command=COMPARE),
    law("bounds that the law does not reach", "{uniform: [50, 70]}, bounds: [80, 90]",
        "@39: cluster.gpu_types[0].idle_w: expected a law with values that can be run: none of 1000 draws was; "
        "they were outside of its bounds", command=COMPARE),
    law("bounds that no value of a choice is in", "{choice: [50, 70]}, bounds: [80, 90]",
        "@39: cluster.gpu_types[0].idle_w: expected a law with values that can be run: none of 1000 draws was; "
        "they were outside of its bounds", command=COMPARE),
    parameter("a first parameter without a path", '{group: g, law: {uniform: [1, 2]}}, {group: h, path: "' + IDLE +
              '", law: {uniform: [50, 70]}}', "@39: uncertainty.parameters[0]: key \"path\" is missing"),
    parameter("a first parameter without a group", '{path: "' + IDLE + '", law: {uniform: [1, 2]}}, {group: h, path: "' + IDLE +
              '", law: {uniform: [50, 70]}}', "@39: uncertainty.parameters[0]: key \"group\" is missing"),
    parameter("a choice of entries that are none", '{group: g, path: model_overrides, law: {choice: [[a], []]}}',
              "@89: uncertainty.parameters[0].law.choice: expected an entry of model_overrides, got \"a\""),
    covariance("that is no list", "16e-6", 23, "a row for each of standard_errors"),
    covariance("of two rows", "[[16e-6, 0, 0], [0, 25e-8, 0]]", 23, "a row for each of standard_errors"),
    covariance("with a short row", "[[16e-6, 0, 0], [0, 25e-8], [0, 0, 1e-6]]", 39, "a number for each of standard_errors"),
    covariance("with text", "[[16e-6, 0, 0], [0, 25e-8, none], [0, 0, 1e-6]]", 50, "number, got \"none\""),
    covariance("that is not symmetric", "[[16e-6, 1e-6, 0], [0, 25e-8, 0], [0, 0, 1e-6]]", 23,
               "a covariance matrix: symmetric, no variance below 0"),
    covariance("with a negative variance", "[[16e-6, 0, 0], [0, -25e-8, 0], [0, 0, 1e-6]]", 23,
               "a covariance matrix: symmetric, no variance below 0"),
    covariance("of a constant that varies", "[[16e-6, 1e-6, 0], [1e-6, 0, 0], [0, 0, 1e-6]]", 23,
               "a covariance matrix: symmetric, no variance below 0"),
    # correlations of -0.9 between each two of three: the least eigenvalue is 1 - 2 * 0.9
    covariance("that nothing varies by", "[[1e-6, -9e-7, -9e-7], [-9e-7, 1e-6, -9e-7], [-9e-7, -9e-7, 1e-6]]", 23,
               "a covariance matrix, but its correlations have a negative eigenvalue"),
]
