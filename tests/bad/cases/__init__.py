"""The cases, by what is wrong."""

from cases import cluster, command_line, logs, models, policies, programs, runs, scenario, workload, yaml_text

CASES = [case for module in (yaml_text, scenario, cluster, models, workload, logs, policies, programs, runs,
                             command_line)
         for case in module.CASES]
