"""The cases, by what is wrong."""

from cases import cluster, command_line, logs, models, policies, runs, scenario, series, workload, yaml_text

CASES = [case for module in (yaml_text, scenario, series, cluster, models, workload, logs, policies, runs, command_line)
         for case in module.CASES]
