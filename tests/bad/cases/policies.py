"""Policies that cannot be loaded, and parameters they do not take."""

from base import CONFIG, Case, MODELS, command, config, plugin

AT = "c.yaml:15:9: policy.name: "


def module(file, text):
    """A plug-in that is refused; `text` is what its message says behind the name of the file."""
    return plugin(f"plug-in: {file}", file, f"{AT}{{plugins}}/{file}.so: {text}")


def params(name, mapping, *errors):
    return plugin(f"params: {name}", "good", *errors, params=mapping)


COLUMN = 15 + len("policy: {name: \"")  # never used: positions depend on the folder of the plug-ins

CASES = [
    config("policy: unknown name with suggestion", ("fcfs", "pollx"),
           f"{AT}no policy is named \"pollx\", did you mean \"pollux\"? (found: {{policies}})"),
    config("policy: unknown name without suggestion", ("fcfs", "favourite_colour"),
           f"{AT}no policy is named \"favourite_colour\" (found: {{policies}})"),
    config("policy: path not found", ("fcfs", "./nowhere.so"),
           f"{AT}cannot load policy: ./nowhere.so: cannot open shared object file: No such file or directory"),
    config("policy: not a shared object", ("fcfs", "./c.yaml"),
           f"{AT}cannot load policy: ./c.yaml: file too short"),
    module("no_symbol", "no symbol easim_policy: not a policy module"),
    plugin("plug-in: needs_symbol", "needs_symbol",
           f"{AT}cannot load policy: {{plugins}}/needs_symbol.so: undefined symbol: no_such_function"),
    module("wrong_major", "expected policy ABI 1.0 to 1.0, found 2.0"),
    module("new_minor", "expected policy ABI 1.0 to 1.0, found 1.1"),
    module("small_struct", "struct_size is too small: expected at least 136, found 16"),
    module("bad_name", "expected a policy name of a-z, 0-9 and _, found \"Bad-Name\""),
    module("no_version", "policy good: version and summary must not be NULL"),
    module("both", "policy good: expected one of list and decide, found both"),
    module("neither", "policy good: expected one of list and decide, found neither"),
    module("unknown_capability", "policy good: unknown capability bit 20"),
    module("reserved_capability", "policy good: capability FRACTIONAL_GPU is not supported by this easim"),
    module("no_params", "policy good: param_count is 5 but params is NULL"),
    module("param_name", "policy good: parameter 1 (Tau): expected a name of a-z, 0-9 and _"),
    module("param_type", "policy good: parameter 1 (tau): unknown type"),
    module("param_help", "policy good: parameter 1 (tau): unit and help must not be NULL"),
    module("param_offset", "policy good: parameter 1 (tau): offset lies outside params_size"),
    module("param_twice", "policy good: parameter 2 (slack): defined twice"),
    module("param_default", "policy good: parameter 1 (tau): default_value lies outside min..max"),
    module("param_off", "policy good: parameter 1 (tau): default_value lies outside min..max"),
    module("param_off_type", "policy good: parameter 1 (tau): only numbers and durations may be off"),
    module("param_int_default", "policy good: parameter 1 (tau): default_value is not an integer"),
    module("param_choices", "policy good: parameter 1 (tau): a choice needs choices"),
    module("param_choice_default", "policy good: parameter 1 (tau): default_value is not the index of a choice"),
    module("no_objective", "policy good: a list policy needs an objective"),
    module("small_list", "policy good: list.struct_size is too small: expected at least 40, found 8"),
    module("options_outside", "policy good: list.options_offset lies outside params_size"),
    command("policies: bad plug-in", ["policies", "{plugins}/wrong_major.so"],
            "easim: {plugins}/wrong_major.so: expected policy ABI 1.0 to 1.0, found 2.0"),
    command("policies: unknown name", ["policies", "zeuss"],
            "easim: no policy is named \"zeuss\", did you mean \"zeus\"? (found: {policies})"),
]
