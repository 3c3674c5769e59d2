"""The cases, by what is wrong."""

from cases import (cluster, command_line, dynamics, logs, models, policies, profiles, runs, scenario, series, workload,
                   yaml_text)

MODULES = (yaml_text, scenario, series, cluster, dynamics, models, workload, logs, policies, profiles, runs,
           command_line)
CASES = [case for module in MODULES
         for case in module.CASES]
