"""Policies that cannot be loaded, and parameters they do not take."""

import re

from base import COMPILE_AGAIN, CONFIG, DRAFT, MODELS, RUN, Case, changed, command, config, plugin

AT = "c.yaml:15:16: policy.name: "
PLUGIN_AT = "c.yaml:16:9: policy.name: "


def other_version(file, found):
    return module(file, f"is compiled for policy interface {found}, {COMPILE_AGAIN}")


def module(file, text):
    """A plug-in that is refused; `text` is what its message says behind the name of the file."""
    return plugin(f"plug-in: {file}", file, f"{PLUGIN_AT}{{plugins}}/{file}.so: {text}")


def of_policy(name, policy, mapping, *errors):
    """Parameters of a policy by its name."""
    return config(f"params: {policy}: {name}", ("fcfs}", f"{policy}, params: {mapping}}}"), *errors)


def params(name, mapping, *errors):
    """Parameters of template.h in the folder of the plug-ins."""
    return plugin(f"params: {name}", "good", *errors, params=mapping)


MODEL_BELOW = [("p0_w: 100", "p0_w: 50"), ("pmax_w: 300", "pmax_w: 50")]
SETUP_BELOW = [("p0_w: 100", "p0_w: 60")]
GPU = "models.bert.gpus.a100: "


def marginal(name, policy, model_changes, changes=(), ctx_w=95, command=RUN, text="{at}power_basis: marginal of policy {policy} "
             "expects at least the 60 W of idle_w, and one GPU draws 50 W with k 1, batch 8"):
    """A model that draws less than idle_w under a policy that counts power above it."""
    used = re.search(r"(zeus|hades|charon|aurachronos)", policy).group()
    models = changed(MODELS, [*model_changes, *changes])
    at = f"m.yaml:{8 + len(changes)}:9: {GPU}"
    files = {"c.yaml": changed(CONFIG, [("{name: fcfs}", policy), ("ctx_w: 95", f"ctx_w: {ctx_w}")]), "m.yaml": models}
    return Case(f"power_basis: {name}", (text.format(at=at, policy=used),), files, command)


CASES = [
    config("policy: unknown name with suggestion", ("fcfs", "pollx"),
           f"{AT}no policy is named \"pollx\", did you mean \"pollux\"? (found: {{policies}})"),
    config("policy: unknown name without suggestion", ("fcfs", "favourite_colour"),
           f"{AT}no policy is named \"favourite_colour\" (found: {{policies}})"),
    config("policy: path not found", ("fcfs", "./nowhere.so"),
           f"{AT}cannot load policy: ./nowhere.so: cannot open shared object file: No such file or directory"),
    config("policy: not a shared object", ("fcfs", "./c.yaml"),
           f"{AT}cannot load policy: ./c.yaml: invalid ELF header"),
    module("no_symbol", "no symbol easim_policy: not a policy module"),
    plugin("plug-in: needs_symbol", "needs_symbol",
           f"{PLUGIN_AT}cannot load policy: {{plugins}}/needs_symbol.so: undefined symbol: no_such_function"),
    module("function_symbol", "the symbol easim_policy is not a struct easim_policy"),
    other_version("version_2", "2.2"),
    other_version("wrong_major", f"4.0 draft {DRAFT}"),
    other_version("new_minor", f"3.1 draft {DRAFT}"),
    other_version("other_draft", f"3.0 draft {DRAFT + 1}"),
    module("no_version_numbers", "easim_policy does not begin with EASIM_POLICY_ABI (policies/README.md)"),
    module("small_struct", "struct_size is too small: expected at least 120, found 24"),
    module("small_param", "param_bytes is too small: expected at least 84, found 8"),
    module("bad_name", "expected a policy name of a-z, 0-9 and _, found \"Bad-Name\""),
    module("no_version", "policy good: version and summary must not be NULL"),
    module("control_text", "policy good: summary must be UTF-8 without control characters"),
    module("latin1_text", "policy good: help must be UTF-8 without control characters"),
    module("param_control", "policy good: parameter 0 (tau): unit and help must be UTF-8 without control characters"),
    module("choice_control", "policy good: parameter 0 (tau): choices must be UTF-8 without control characters"),
    module("both", "policy good: expected one of list and decide, found both"),
    module("neither", "policy good: expected one of list and decide, found neither"),
    module("unknown_capability", "policy good: unknown capability bit 20"),
    module("reserved_capability", "policy good: unknown capability bit 2"),
    module("unknown_reads", "policy good: unknown bit 7 of reads"),
    module("unknown_keeps", "policy good: unknown bit 1 of keeps"),
    module("reads_nothing", "policy good: reads: NOTHING stands alone"),
    module("reads_forecasts", "policy good: reads: FORECASTS needs the extension easim.forecast"),
    module("no_params", "policy good: param_count is 4 but params is NULL"),
    module("param_name", "policy good: parameter 0 (Tau): expected a name of a-z, 0-9 and _"),
    module("param_type", "policy good: parameter 0 (tau): unknown type"),
    module("param_help", "policy good: parameter 0 (tau): unit and help must not be NULL"),
    module("param_offset", "policy good: parameter 0 (tau): offset lies outside params_size"),
    module("param_misaligned", "policy good: parameter 0 (tau): offset 4 is not a multiple of 8, as its type needs"),
    module("param_overlap", "policy good: parameter 1 (slack): overlaps parameter tau at offset 8"),
    module("role_unknown", "policy good: parameter 0 (tau): unknown role"),
    module("role_type", "policy good: parameter 0 (tau): its role needs another type"),
    module("role_twice", "policy good: parameter 0 (one): another parameter has its role"),
    module("role_undeclared", "policy good: parameter 0 (limits): its role needs a capability or extension that is not declared"),
    module("role_round", "policy good: parameter 0 (tau): role ROUND is for free policies: list policies have round_s"),
    module("param_twice", "policy good: parameter 1 (slack): defined twice"),
    module("param_power_limits", "policy good: parameter 0 (power_limits): every policy that declares FREQUENCY has an option of "
           "that name"),
    module("param_default", "policy good: parameter 0 (tau): default_value lies outside min..max"),
    module("param_off", "policy good: parameter 0 (tau): default_value lies outside min..max"),
    module("param_off_type", "policy good: parameter 0 (tau): only numbers and durations may be off"),
    module("param_text", "policy good: parameter 0 (tau): max of a text is 0, EASIM_TEXT_PROGRAM or EASIM_TEXT_SOCKET"),
    module("param_int_default", "policy good: parameter 0 (tau): default_value is not an integer"),
    module("param_choices", "policy good: parameter 0 (tau): a choice needs choices"),
    module("param_choice_default", "policy good: parameter 0 (tau): default_value is not the index of a choice"),
    module("small_list", "list.struct_size is too small: expected at least 32, found 8"),
    module("levels_alone", "policy good: list: levels without level"),
    module("no_levels", "policy good: list: expected 1 to 16 levels, found 0"),
    module("too_many_levels", "policy good: list: expected 1 to 16 levels, found 17"),
    module("displace_alone", "policy good: list: displace needs PREEMPT, and no make_room"),
    module("list_resize_gain", "policy good: list: resize_gain is not within 0..1"),
    module("list_resize_interval", "policy good: list: resize_interval_s is not within 0..1e9"),
    params("unknown with suggestion", "{tua: 1h}",
           "c.yaml:17:12: policy.params: policy good has no parameter \"tua\", did you mean \"tau\"? (it has: {parameters:{plugins}/good.so})"),
    params("unknown without suggestion", "{favourite_colour: blue}",
           "c.yaml:17:12: policy.params: policy good has no parameter \"favourite_colour\" (it has: {parameters:{plugins}/good.so})"),
    params("no duration", "{tau: soon}",
           "c.yaml:17:17: policy.params.tau: expected duration such as 90s or 10h 0.001..1000000000, got \"soon\""),
    params("duration out of range", "{tau: 0}",
           "c.yaml:17:17: policy.params.tau: expected duration such as 90s or 10h 0.001..1000000000, got \"0\""),
    params("duration that cannot be off", "{tau: off}",
           "c.yaml:17:17: policy.params.tau: expected duration such as 90s or 10h 0.001..1000000000, got \"off\""),
    params("number out of range", "{slack: 0.5}",
           "c.yaml:17:19: policy.params.slack: expected number 1..100, or off, got \"0.5\""),
    params("not a number", "{slack: nan}",
           "c.yaml:17:19: policy.params.slack: expected number 1..100, or off, got \"nan\""),
    params("integer out of range", "{most: 11}",
           "c.yaml:17:18: policy.params.most: expected integer 1..10, got \"11\""),
    params("integer with a fraction", "{most: 1.5}",
           "c.yaml:17:18: policy.params.most: expected integer 1..10, got \"1.5\""),
    params("wrong choice", "{basis: net}",
           "c.yaml:17:19: policy.params.basis: expected one of gross | marginal, got \"net\""),
    params("neither true nor false", "{strict: 1}",
           "c.yaml:17:20: policy.params.strict: expected true or false, got \"1\""),
    params("list", "[tau]", "c.yaml:17:11: policy.params: expected a mapping of parameters to values, got a list"),
    params("list for a number", "{slack: [1]}",
           "c.yaml:17:19: policy.params.slack: expected number 1..100, or off, got a list"),
    params("three problems", "{tau: -1h, basis: 0, strikt: true}",
           "c.yaml:17:17: policy.params.tau: expected duration such as 90s or 10h 0.001..1000000000, got \"-1h\"",
           "c.yaml:17:29: policy.params.basis: expected one of gross | marginal, got \"0\"",
           "c.yaml:17:32: policy.params: policy good has no parameter \"strikt\", did you mean \"strict\"? (it has: {parameters:{plugins}/good.so})"),
    config("params: of a policy by name", CONFIG + "params_by_policy: {fcfs: {strict: no}, zeus: {tau: 1}}\n",
           "c.yaml:16:35: params_by_policy.fcfs.strict: expected true or false, got \"no\""),
    config("params: of a policy that does not run",
           CONFIG + "params_by_policy: {zeus: {tua: 1h, edp_slack: low}, pollux: [strict]}\n",
           "c.yaml:16:27: params_by_policy.zeus: policy zeus has no parameter \"tua\", did you mean \"tau\"? (it has: {parameters:zeus})",
           "c.yaml:16:47: params_by_policy.zeus.edp_slack: expected number 1..1000000000, or off, got \"low\"",
           "c.yaml:16:61: params_by_policy.pollux: expected a mapping of parameters to values, got a list"),
    config("params: of a policy that does not run, in a check", CONFIG + "params_by_policy: {charon: {bas: zeus}}\n",
           "c.yaml:16:29: params_by_policy.charon: policy charon has no parameter \"bas\", did you mean \"base\"? (it has: {parameters:charon})",
           command=("check", "c.yaml")),
    config("params: of the same policy, from a path", ("{name: fcfs}", "{name: good, params: {strikt: true}}"),
           "c.yaml:15:31: policy.params: policy good has no parameter \"strikt\", did you mean \"strict\"? (it has: {parameters:{plugins}/good.so})",
           command=(*RUN, "--policy", "{plugins}/good.so")),
    config("params: of the same policy, from a path, of a scenario that can be read once", CONFIG,
           "standard input:15:31: policy.params: policy good has no parameter \"strikt\", did you mean \"strict\"? (it has: {parameters:{plugins}/good.so})",
           command=("run", "-", *RUN[2:], "--policy", "{plugins}/good.so"),
           stdin=changed(CONFIG, [("{name: fcfs}", "{name: good, params: {strikt: true}}")])),
    config("params: of a policy that nobody has",
           CONFIG + "params_by_policy: {fcfs: {}, zeuss: {edp_slack: 2}, polux: {}}\n",
           "c.yaml:16:30: params_by_policy.zeuss: no policy is named \"zeuss\", did you mean \"zeus\"? (found: {policies})",
           "c.yaml:16:53: params_by_policy.polux: no policy is named \"polux\", did you mean \"pollux\"? (found: {policies})"),
    config("params: of a policy that nobody has, set", CONFIG,
           "--set params_by_policy.zeuss.edp_slack: params_by_policy.zeuss: no policy is named \"zeuss\", did you mean "
           "\"zeus\"? (found: {policies})", command=(*RUN, "--set", "params_by_policy.zeuss.edp_slack=2")),
    config("params: of a policy that another command loads", CONFIG + "params_by_policy: {good: {}}\n",
           "c.yaml:16:20: params_by_policy.good: no policy is named \"good\", did you mean \"goodput\"? (found: {policies})"),
    config("params: of a policy that is loaded from a path", CONFIG + "params_by_policy: {good: {strikt: true}}\n",
           "c.yaml:16:27: params_by_policy.good: policy good has no parameter \"strikt\", did you mean \"strict\"? (it has: {parameters:{plugins}/good.so})",
           command=("compare", "c.yaml", "--policies", "fcfs,{plugins}/good.so", "--out", "out", "--quiet")),
    config("params: of a policy that has none of that name", ("fcfs}", "fcfs, params: {tau: 1h}}"),
           "c.yaml:15:31: policy.params: policy fcfs has no parameter \"tau\" (it has: {parameters:fcfs})"),
    of_policy("unknown with suggestion", "charon", "{bas: pollux}",
              "c.yaml:15:33: policy.params: policy charon has no parameter \"bas\", did you mean \"base\"? (it has: {parameters:charon})"),
    of_policy("unknown base", "charon", "{base: themis}",
              "c.yaml:15:39: policy.params.base: expected one of zeus | pollux, got \"themis\""),
    marginal("zeus", "{name: zeus, params: {power_basis: marginal}}", MODEL_BELOW),
    marginal("aurachronos, by its name", "{name: aurachronos}\nparams_by_policy: {aurachronos: {power_basis: marginal}}", MODEL_BELOW),
    marginal("check", "{name: hades, params: {power_basis: marginal}}", MODEL_BELOW, command=("check", "c.yaml")),
    marginal("compare", "{name: fcfs}\nparams_by_policy: {charon: {power_basis: marginal}}", MODEL_BELOW,
             command=("compare", "c.yaml", "--policies", "charon", "--out", "out", "--quiet")),
    marginal("set-up", "{name: zeus, params: {power_basis: marginal}}", SETUP_BELOW,
             changes=[("phi: 1000", "phi: 1000\n    start_s: 30")], ctx_w=50,
             text="{at}power_basis: marginal of policy {policy} expects at least the 60 W of idle_w, and a GPU in set-up draws "
             "the 50 W of ctx_w"),
    of_policy("two problems", "charon", "{edp_slack: 0.5, power_basis: net}",
              "c.yaml:15:44: policy.params.edp_slack: expected number 1..1000000000, or off, got \"0.5\"",
              "c.yaml:15:62: policy.params.power_basis: expected one of gross | marginal, got \"net\""),
    of_policy("order is chronos's", "aurachronos", "{order: slack}",
              "c.yaml:15:38: policy.params: policy aurachronos has no parameter \"order\" (it has: {parameters:aurachronos})"),
    of_policy("unknown objective", "aurachronos", "{urgent_objective: energy}",
              "c.yaml:15:56: policy.params.urgent_objective: expected one of edp | time, got \"energy\""),
    of_policy("preemption is switched off by 0", "aurachronos", "{preempt_slack_s: off}",
              "c.yaml:15:55: policy.params.preempt_slack_s: expected duration such as 90s or 10h 0..1000000000, got "
              "\"off\""),
    of_policy("negative number of preemptions", "aurachronos", "{max_preemptions: -1}",
              "c.yaml:15:55: policy.params.max_preemptions: expected integer 0..1000000, got \"-1\""),
    of_policy("gain over all there is", "zeus", "{resize: true, resize_gain: 1.5}",
              "c.yaml:15:58: policy.params.resize_gain: expected number 0..1, got \"1.5\""),
    of_policy("resize is true or false", "pollux", "{resize: grow}",
              "c.yaml:15:41: policy.params.resize: expected true or false, got \"grow\""),
    of_policy("free policies have no resize", "easy", "{resize: true}",
              "c.yaml:15:31: policy.params: policy easy has no parameter \"resize\" (it has: {parameters:easy})"),
    of_policy("rounds of no time", "las", "{round_s: 0}",
              "c.yaml:15:39: policy.params.round_s: expected duration such as 90s or 10h 10..1000000, or off, got \"0\""),
    of_policy("power above a sum", "goodput", "{p: 2}",
              "c.yaml:15:37: policy.params.p: expected number -4..1, got \"2\""),
    of_policy("no rounds where all is given in rounds", "goodput", "{round_s: off}",
              "c.yaml:15:43: policy.params.round_s: expected duration such as 90s or 10h 10..1000000, got \"off\""),
    of_policy("power of no sign", "sia", "{p: 0}",
              "c.yaml:15:33: policy.params.p: expected number -4..-0.01, got \"0\""),
    of_policy("nothing better than something", "sia", "{no_allocation: 0.9}",
              "c.yaml:15:45: policy.params.no_allocation: expected number 1..1000000, got \"0.9\""),
    of_policy("work below none", "sia", "{most_steps: -1}",
              "c.yaml:15:42: policy.params.most_steps: expected integer 0..1000000000000, got \"-1\""),
    of_policy("rounds of no length", "max_min", "{round_s: often}",
              "c.yaml:15:43: policy.params.round_s: expected duration such as 90s or 10h 10..1000000, or off, got \"often\""),
    of_policy("rounds under a cap", "charon", "{round_s: 2min}",
              "c.yaml:15:33: policy.params: policy charon has no parameter \"round_s\" (it has: {parameters:charon})"),
    of_policy("rounds of who makes room", "aurachronos", "{round_s: 2min}",
              "c.yaml:15:38: policy.params: policy aurachronos has no parameter \"round_s\" (it has: {parameters:aurachronos})"),
    of_policy("free policies have no rounds", "easy", "{round_s: 2min}",
              "c.yaml:15:31: policy.params: policy easy has no parameter \"round_s\" (it has: {parameters:easy})"),
    of_policy("threshold below nothing", "tiresias", "{threshold_gpu_s: -1}",
              "c.yaml:15:52: policy.params.threshold_gpu_s: expected number 0..1000000000000, or off, got \"-1\""),
    of_policy("slack of less than nothing", "deferral", "{slack: -1h}",
              "c.yaml:15:42: policy.params.slack: expected duration such as 90s or 10h 0..1000000000, got \"-1h\""),
    of_policy("more saved than there is", "deferral", "{gain: 1.5}",
              "c.yaml:15:41: policy.params.gain: expected number 0..1, got \"1.5\""),
    of_policy("a signal that is none", "deferral", "{signal: water}",
              "c.yaml:15:43: policy.params.signal: expected one of carbon | price, got \"water\""),
    of_policy("more GPUs than there are", "green", "{capacity: 1.1}",
              "c.yaml:15:42: policy.params.capacity: expected number 0.5..1, got \"1.1\""),
    of_policy("most hours without a GPU", "green", "{capacity: 0.4}",
              "c.yaml:15:42: policy.params.capacity: expected number 0.5..1, got \"0.4\""),
    of_policy("rounds of who has levels", "green", "{round_s: 2min}",
              "c.yaml:15:32: policy.params: policy green has no parameter \"round_s\" (it has: {parameters:green})"),
    of_policy("a budget below nothing", "greenflow", "{budget: -0.1}",
              "c.yaml:15:44: policy.params.budget: expected number 0..10, got \"-0.1\""),
    of_policy("a window without a length", "greenflow", "{window: always}",
              "c.yaml:15:44: policy.params.window: expected duration such as 90s or 10h 0..1000000000, got \"always\""),
    of_policy("a budget in grams", "greenflow", "{budget: 400g}",
              "c.yaml:15:44: policy.params.budget: expected number 0..10, got \"400g\""),
    of_policy("more than all jobs", "allox", "{alpha: 1.5}",
              "c.yaml:15:39: policy.params.alpha: expected number 0..1, got \"1.5\""),
    command("policies: bad plug-in", ["policies", "{plugins}/wrong_major.so"],
            f"easim: {{plugins}}/wrong_major.so: is compiled for policy interface 4.0 draft {DRAFT}, " + COMPILE_AGAIN),
    command("policies: unknown name", ["policies", "zeuss"],
            "easim: no policy is named \"zeuss\", did you mean \"zeus\"? (found: {policies})"),
]
