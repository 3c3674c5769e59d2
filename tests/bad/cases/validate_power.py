"""Validations against a power meter."""

from base import CONFIG, MODELS, Case

HEAD = "name: v\nsource: s\nkind: power\nphysics: p\nscenario: c.yaml\ndata: {power: m.csv}\n"
METER = "meter: {data: power}\n"
FIGURES = "measured:\n  - {metric: meter_mean_w, tolerance: 3%}\n"
ROWS = "time_s,power_w\n60,400\n120,500\n"


def power(name, text, *errors, meter=ROWS):
    return Case(f"validate power: {name}", errors, {"c.yaml": CONFIG, "m.yaml": MODELS, "v.yaml": text, "m.csv": meter},
                ("validate", "v.yaml", "--out", "out"))


CASES = [
    power("no meter", HEAD.replace("data: {power: m.csv}\n", "") + FIGURES,
          'v.yaml:1:1: key "meter" is missing: kind power compares with it',
          "v.yaml:7:5: measured[0].metric: expected a meter under meter, got none"),
    power("meter of another kind", HEAD.replace("kind: power", "kind: policy") + METER + FIGURES,
          "v.yaml:1:1: meter: only with kind: power"),
    power("no such data", HEAD + METER.replace("power}", "powr}") + FIGURES,
          'v.yaml:7:15: meter.data: nothing under data is named "powr", did you mean "power"?'),
    power("keys of the meter", HEAD + METER.replace("power}", "power, offset: soon, gap: -1, till: 5h}") + FIGURES,
          'v.yaml:7:45: meter: unknown key "till"',
          'v.yaml:7:30: meter.offset: expected number -4000000000..4000000000, got "soon"',
          'v.yaml:7:41: meter.gap: expected duration such as 90s or 10h 0..4000000000, got "-1"'),
    power("nothing left of the meter", HEAD + METER.replace("power}", "power, from: 5h}") + FIGURES,
          "v.yaml:7:8: meter: expected readings of m.csv with a power in the time from..to, got none"),
    power("cells of the meter", HEAD + METER + FIGURES, 'm.csv:2:4: power_w: expected watts -1e15..1e15, empty or nan, got "4OO"',
          meter=ROWS.replace("400", "4OO")),
    power("figures with a value", HEAD + METER + FIGURES.replace("3%", "3%, value: 9"),
          "v.yaml:9:5: measured[0].value: not with a figure of the meter: its readings are the measurement"),
    power("figures over jobs", HEAD + METER + FIGURES.replace("3%", "3%, over: mean"),
          "v.yaml:9:5: measured[0].over: not with a figure of the meter"),
    power("several replications", HEAD + METER + "set: {replications: 2}\n" + FIGURES,
          "v.yaml: expected replications: 1 in a scenario with figures of a meter, got 2"),
]
