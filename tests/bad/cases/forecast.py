"""The section forecast of a scenario. Its mapping begins at column 11 of line 15."""

from base import CONFIG, MODELS, Case, changed

HERE = "c.yaml:15:"
CARBON = "carbon_g_per_kwh: {file: c.csv, period: 24h}\n"
SERIES = "time_s,carbon_g_per_kwh\n0,400\n3600,120\n"


def section(name, text, *errors, command=("check", "c.yaml"), series=CARBON):
    """`forecast: TEXT`, and what is wrong with it, from the column on."""
    config = changed(CONFIG, [("policy: {name: fcfs}\n", f"forecast: {text}\npolicy: {{name: fcfs}}\n" + series)])
    return Case(f"forecast: {name}", tuple(error.replace("@", HERE) for error in errors),
                {"c.yaml": config, "m.yaml": MODELS, "c.csv": SERIES}, command=command)


def hours(name, text):
    return section(name, "{hours: " + text + "}", f"@19: forecast.hours: expected integer 1..720, got \"{text}\"")


def sigma(name, text):
    return section(name, "{error: {sigma: " + text + "}}",
                   f"@27: forecast.error.sigma: expected number 0..2, got \"{text}\"")


def correlation(name, text, expected="number >= 0 and < 1"):
    return section(name, "{error: {correlation: " + text + ", sigma: 0.1}}",
                   f"@33: forecast.error.correlation: expected {expected}, got \"{text}\"")


CASES = [
    section("a number", "24", "@11: forecast: expected a mapping such as {hours: 24}, got \"24\""),
    section("a list", "[24]", "@11: forecast: expected a mapping such as {hours: 24}, got a list"),
    section("unknown key", "{hour: 24}", "@12: forecast: unknown key \"hour\", did you mean \"hours\"?"),
    hours("no hours", "0"),
    hours("negative hours", "-24"),
    hours("more than 30 days", "721"),
    hours("part of an hour", "1.5"),
    hours("a duration for hours", "24h"),
    hours("hours that are not a number", "nan"),
    section("error is a number", "{error: 0.1}",
            "@19: forecast.error: expected a mapping of keys to values, got \"0.1\""),
    section("error without sigma", "{error: {correlation: 0.5}}", "@19: forecast.error: key \"sigma\" is missing"),
    section("unknown key of error", "{error: {sigma: 0.1, corelation: 0.5}}",
            "@32: forecast.error: unknown key \"corelation\", did you mean \"correlation\"?"),
    sigma("negative sigma", "-0.1"),
    sigma("sigma that is not a number", "nan"),
    sigma("infinite sigma", "inf"),
    sigma("sigma past its range", "2.01"),
    sigma("sigma in percent", "10%"),
    correlation("negative correlation", "-0.5"),
    correlation("correlation that is not a number", "nan"),
    correlation("errors that never change", "1"),
    correlation("correlation above 1", "1.5"),
    section("uncertain sigma without a number", "{error: {sigma: 0.1}}\nuncertainty: {worlds: 2, parameters: [{group: f, "
            "path: forecast.error.correlation, law: {uniform: [0, 0.9]}}]}",
            "c.yaml:16:56: uncertainty.parameters[0].path: expected the path of a number of this scenario: "
            "it has no forecast.error.correlation"),
    section("set to nothing", "{hours: 24}", "--set forecast.hours: forecast.hours: expected integer 1..720, got \"0\"",
            command=("check", "c.yaml", "--set", "forecast.hours=0")),
    section("without a file", "{hours: 24}", "c.yaml:17:26: carbon_g_per_kwh.file: d.csv: cannot open: No such file or directory", series=CARBON.replace("c.csv", "d.csv")),
]
