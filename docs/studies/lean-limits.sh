#!/bin/sh
# Prints docs/studies/lean-limits.csv, in about a minute of processor time. Usage, in the root of the source: sh docs/studies/lean-limits.sh
# lean with and without limits: live, on 100 seeds of each physics and load of lean.sh, and under the caps of configs/power-cap.yaml.
set -eu
echo setting,metric,subject,baseline,n,mean,ci95,diff_mean,diff_ci95,diff_rel,p_value,p_holm,pairs,ratio_geo,ratio_geo_low,ratio_geo_high,base_mean

# compared SETTING METRIC SCENARIO OPTION...: rows of the usual metrics and of one more
compared() {
    setting=$1 also=$2
    shift 2
    build/easim compare "$@" --summary-only --quiet --force --format csv --out results/lean-limits |
        awk -F, -v setting="$setting" -v also="$also" -f tools/study_rows.awk
}

for load in 0.6 0.9 1.2; do
    set -- -n 100 --seed 5001 --policies lean,lean:limits=live --set horizon=drain --set workload.load=$load
    compared "generation load $load" edp_mean_js configs/generation.yaml "$@"
    set -- "$@" --set workload.until='{jobs: 180}' --set workload.rate_per_s=~
    compared "shipped load $load" edp_mean_js configs/eas-sim.yaml "$@"
    compared "row3 load $load" edp_mean_js configs/eas-sim.yaml "$@" --set workload.sizes.mean=2.68h \
        --set model_overrides='[{set: {m0: 192, phi: 1000, scaling_efficiency: 0.89, p0_share: 0.3}}]'
done
for admit in efficient full; do
    compared "power cap $admit" work_done_gpu_h configs/power-cap.yaml --policies lean,lean:limits=live --set cluster.power_cap_w=~ \
        --set "cluster.power_cap={file: $PWD/configs/power-cap.csv, enforce: throttle_then_preempt, admit: $admit}"
done
