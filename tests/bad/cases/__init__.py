"""The cases, by what is wrong."""

from cases import cluster, command_line, compare, logs, models, policies, runs, scenario, series, workload, yaml_text

CASES = [case for module in (yaml_text, scenario, series, cluster, models, workload, logs, policies, runs, command_line,
                                compare)
         for case in module.CASES]
