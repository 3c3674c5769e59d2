"""The cases, by what is wrong."""

from cases import cluster, command_line, dynamics, logs, models, policies, runs, scenario, workload, yaml_text

CASES = [case for module in (yaml_text, scenario, cluster, dynamics, models, workload, logs, policies, runs, command_line)
         for case in module.CASES]
