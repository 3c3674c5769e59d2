"""easim analyze: thresholds that there are not, folders that are no recorded runs."""

from base import command


def rule(name, text, *errors):
    return command(f"analyze: {name}", ["analyze", "r", "--rule", text], *errors)


CASES = [
    rule("no such rule", "HOGG.least_share=0.5", '--rule: no rule is named "HOGG", did you mean "HOG"?'),
    rule("no such threshold", "HOG.lest_share=0.5", '--rule: HOG: unknown key "lest_share", did you mean "least_share"?'),
    rule("no threshold", "HOG=0.5", '--rule: expected RULE.THRESHOLD=VALUE, got "HOG=0.5"'),
    rule("too deep", "HOG.least_share.x=0.5", '--rule: expected RULE.THRESHOLD=VALUE, got "HOG.least_share.x=0.5"'),
    rule("out of range", "HOG.least_share=1.5", '--rule: HOG.least_share: expected number 0..1, got "1.5"'),
    rule("no number", "HOL.least_jobs=many", '--rule: HOL.least_jobs: expected integer 1..1000000000, got "many"'),
    rule("nothing", "IDLE.sleep_after=", '--rule: IDLE.sleep_after: expected duration such as 90s or 10h 0.001..1000000000, got ""'),
    command("analyze: no manifest", ["analyze", "r"],
            "easim: r: manifest.json is missing: the folder has no results, or writing them was interrupted",
            files={"r/segments.csv": "policy\n"}),
]
