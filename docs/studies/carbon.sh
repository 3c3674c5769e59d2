#!/bin/sh
# Prints docs/studies/carbon.csv. Usage, in the root of the source: sh docs/studies/carbon.sh
set -eu
echo study,setting,metric,n,mean,sd,ci95

# run STUDY SETTING METRICS SCENARIO OPTIONS...: one line for each metric of one run
run() {
    study=$1 setting=$2 metrics=$3
    shift 3
    build/easim run "$@" --summary-only --quiet --force --out results/carbon
    awk -F, -v row="$study,$setting," -v metrics=",$metrics," 'index(metrics, "," $2 ",") {
        printf "%s%s,%s,%.6g,%.6g,%.6g\n", row, $2, $3, $4, $5, $6}' results/carbon/aggregate.csv
}

for policy in fcfs pollux zeus chronos aurachronos; do
    run forecast $policy energy_per_work_kwh,deadline_miss_rate,preemptions configs/mixed-criticality.yaml --policy $policy
done
for policy in zeus charon; do
    run cap $policy throughput_jobs_per_h,energy_kwh,energy_per_work_kwh,preemptions,power_max_w,cap_violation_s,cap_violation_j,work_unfinished_gpu_h,job_failures \
        configs/power-cap.yaml --policy $policy
done
for laws in "" "mtbf_law: weibull, mtbf_shape: 0.45" "mttr_law: weibull, mttr_shape: 0.45" "mttr_law: lognormal, mttr_shape: 2.5"; do
    nodes="count: 4, gpus: 2, mtbf: 20h, mttr: 1h${laws:+, $laws}"
    run failures "$(echo "${laws:-exponential}" | sed 's/, [a-z]*_shape:/ shape/')" wait_mean_s,lost_gpu_h,energy_per_work_kwh,job_failures \
        configs/failures.yaml --replications 1000 --set "cluster.nodes=[{gpu: a100, base_w: 150, $nodes}, {gpu: h100, base_w: 200, $nodes}]"
done
for slack in 0 3h 6h 12h 24h; do
    run deferral "slack $slack" jct_mean_s,co2_kg configs/deferral.yaml --set policy.params.slack=$slack --set forecast.error.sigma=0
done
for sigma in 0.1 0.3 1; do
    run deferral "slack 12h sigma $sigma" jct_mean_s,co2_kg configs/deferral.yaml --set forecast.error.sigma=$sigma
done
for policy in zeus deferral green greenflow; do
    run intensity $policy jct_mean_s,power_max_w,co2_kg configs/deferral.yaml --policy $policy
done
