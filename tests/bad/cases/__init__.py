"""The cases, by what is wrong."""

from cases import calibrate, cluster, command_line, logs, models, policies, runs, scenario, workload, yaml_text

CASES = [case for module in (yaml_text, scenario, cluster, models, calibrate, workload, logs, policies, runs,
                           command_line)
         for case in module.CASES]
