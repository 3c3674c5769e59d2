"""The cases, by what is wrong."""

from cases import (ablate, analyze, bound, calibrate, caps, cluster, collectives, command_line, compare, contenders, dynamics, forecast, limits, logs, many, mlperf, models, network,
                   overrides, plot, policies, profiles, programs, programs3, recorded, regret, replay, report, runs, scenario, series, service, serving, storage, survey, sweep,
                   transformer, uncertainty, utilization, validate, validate_power, workload, yaml_text)

MODULES = (analyze, yaml_text, scenario, series, forecast, cluster, caps, network, storage, dynamics, models, overrides, uncertainty, serving, service, calibrate,
           collectives, workload, utilization, limits, logs, many, policies, profiles, mlperf, programs, programs3, recorded, replay, runs, bound, compare, contenders,
           ablate, regret, sweep, validate, validate_power, survey, transformer, plot, report, command_line)
CASES = [case for module in MODULES
         for case in module.CASES]
