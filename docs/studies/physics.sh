#!/bin/sh
# Prints docs/studies/physics.csv, in a minute of processor time. Usage, in the root of the source: sh docs/studies/physics.sh
# study,subject,setting,figure,value,ci95: pairs of zeus and pollux under the shipped physics; what was fitted; the physics that give the
# published figures, and why; fragmentation; policies for the whole cluster. With EASIM_DATA also what was measured.
set -eu
echo study,subject,setting,figure,value,ci95
seed=configs/eas-sim.yaml
quiet='--quiet --force'
all=aurachronos,charon,chronos,easy,fcfs,hades,pollux,themis,zeus
physics='model_overrides=[{set: {m0: 192, phi: 1000, scaling_efficiency: 0.89, p0_share: 0.3}}]'

# Pairs: 30 replications of the two, 10 of all; the Pareto front
build/easim compare $seed --policies pollux,zeus -n 30 --format csv $quiet --out results/pairs |
    awk -F, '$2 == "zeus" && $1 ~ /^(energy_per_work_kwh|energy_kwh|throughput_jobs_per_h|jct_restricted_mean_s)$/ {
        printf "pairs,zeus,30 replications,%s,%.6g,%.6g\npairs,zeus - pollux,30 replications,%s,%.6g,%.6g\n", $1, $5, $6, $1, $7, $8
        printf "pairs,zeus - pollux,30 replications,%s p,%.4f,\npairs,zeus - pollux,30 replications,%s percent,%.2f,\n", $1, $10, $1, 100 * $9}'
build/easim compare $seed --policies $all --baseline pollux --format csv $quiet --out results/all |
    awk -F, '$1 ~ /^(energy_per_work_kwh|jct_restricted_mean_s)$/ && $2 != "pollux" {
        printf "pairs,%s - pollux,10 replications,%s,%.6g,%.6g\npairs,%s - pollux,10 replications,%s p_holm,%.4f,\n", $2, $1, $7, $8, $2, $1, $11
        printf "pairs,%s - pollux,10 replications,%s ratio_geo percent,%.3f,\n", $2, $1, 100 * ($13 - 1)
        printf "pairs,%s - pollux,10 replications,%s ratio_geo_low percent,%.3f,\n", $2, $1, 100 * ($14 - 1)
        printf "pairs,%s - pollux,10 replications,%s ratio_geo_high percent,%.3f,\n", $2, $1, 100 * ($15 - 1)}'
awk -F, 'NR > 1 {printf "pareto,%s,dominated by %s,front_share,%s,\n", $1, $3 == "" ? "none" : $3, $4}' results/all/pareto.csv
awk -F, 'NR > 1 {printf "queue,%s,10 h,queue_slope_per_h,%.4g,%.4g\n", $1, $3, $4}' results/all/stationarity.csv

# Fitted: the mean job size, so that pollux gives 10.9 jobs/h; edp_slack
for size in 4.8h 4.85h 4.9h; do
    build/easim run $seed --seed 2026 --replications 1000 --set workload.sizes.mean=$size --summary-only $quiet --out results/fit
    awk -F, -v size=$size '/throughput_jobs/ {printf "fit,pollux,mean size %s,throughput_jobs_per_h,%.2f,%.2f\n", size, $4, $6}' results/fit/aggregate.csv
done
for slack in 6 4 3 2 1.7; do
    build/easim run $seed --policy zeus --seed 2026 --replications 200 --set horizon=drain --set workload.until=10h \
        --set policy.params.edp_slack=$slack --summary-only $quiet --out results/edp-slack
    awk -F, -v slack=$slack '/energy_per_work/ {printf "fit,zeus drained,edp_slack %s,energy_per_work_kwh,%.4f,%.4f\n", slack, $4, $6}' results/edp-slack/aggregate.csv
done

# Two physics that give the published figures
build/easim sweep configs/sweeps/published-physics.yaml $quiet
sed 's/scaling 0.89, p0/scaling 0.89; p0/; s/"//g' results/published-physics/sweep/claim-readings.csv | awk -F, 'NR > 1 {
    printf "published,pollux,%s,%s,%.2f,\npublished,zeus,%s,%s,%.2f,\n", $4, $1, $7, $4, $1, $6
    printf "published,zeus - pollux,%s,%s,%.2f,%.2f\n", $4, $1, $8, $9
    if ($7 > 0) printf "published,zeus - pollux,%s,%s percent,%.1f,%.1f\n", $4, $1, 100 * $8 / $7, 100 * $9 / $7}'
build/easim ablate $seed zeus pollux -n 30 --set "$physics" --set workload.sizes.mean=2.68h --format csv $quiet --out results/physics-ablate |
    awk -F, '$1 ~ /^(energy_per_work_kwh|energy_kwh|throughput_jobs_per_h|jct_restricted_mean_s)$/ && $13 != "same" && $13 != "inert" {
        printf "ablation,zeus - pollux: %s,scaling 0.89; p0 0.3 pmax,%s,%.4f,%.4f\n", $2, $1, $6, $7
        printf "ablation,zeus - pollux: %s,scaling 0.89; p0 0.3 pmax,%s alone,%.4f,\n", $2, $1, $9}'

# What jobs get there: shares of starts above 2 %, and GPU types, in 100 pairs
build/easim compare $seed --policies pollux,zeus -n 100 --set "$physics" --set workload.sizes.mean=2.68h $quiet --out results/physics-pairs
for policy in pollux zeus; do
    awk -F, -v policy=$policy 'NR > 1 && $12 > 0 {c = $5 " on " $11 ": " $12 " x " $13 + 0; count[c]++; all++}
        END {for (c in count) if (count[c] > 0.02 * all) printf "starts,%s,%s,percent,%.0f,\n", policy, c, 100 * count[c] / all}' \
        results/physics-pairs/$policy/jobs.csv | sort
done
awk -F, '$1 == "frag_gpu_h" && $2 == "zeus" {
    printf "routing,pollux,stranded,GPU h,%.2f,\nrouting,zeus,stranded,GPU h,%.2f,\nrouting,zeus - pollux,stranded,GPU h,%.2f,%.2f\n", $16, $5, $7, $8
    }' results/physics-pairs/compare.csv
awk -F, 'FNR == 1 {file++; next} {jobs[file, $2] += $8; value[file, $2, $3, "starts percent"] = $8; value[file, $2, $3, "GPU h"] = $5
             value[file, $2, $3, "kWh"] = $7; if (!($2 in seen)) {seen[$2]; n++}}
         END {split("a100 h100", types, " "); split("starts percent;GPU h;kWh", kinds, ";")
             for (t = 1; t <= 2; t++) for (k = 1; k <= 3; k++) {sum[1] = sum[2] = d = dd = 0
                 for (r in seen) {for (f = 1; f <= 2; f++) {x[f] = value[f, r, types[t], kinds[k]] * (k == 1 ? 100 / jobs[f, r] : 1); sum[f] += x[f]}
                     d += x[2] - x[1]; dd += (x[2] - x[1]) ^ 2}
                 printf "routing,pollux,%s,%s,%.2f,\nrouting,zeus,%s,%s,%.2f,\n", types[t], kinds[k], sum[1] / n, types[t], kinds[k], sum[2] / n
                 printf "routing,zeus - pollux,%s,%s,%.2f,%.2f\n", types[t], kinds[k], d / n, 1.984 * sqrt((dd - d * d / n) / (n - 1) / n)}
         }' results/physics-pairs/pollux/types.csv results/physics-pairs/zeus/types.csv

# GPU hours stranded of 160 if jobs request a number of GPUs
build/easim compare $seed --policies $all --baseline pollux --set workload.request.k=uniform --format csv $quiet --out results/physics-requested |
    awk -F, '$1 == "frag_gpu_h" {printf "requested,%s,as shipped,stranded GPU h,%.2f,%.2f\n", $2, $5, $6}'

# Policies for the whole cluster, differences from goodput in percent
for physics in '4.85h [{set: {scaling_efficiency: ~}}]' '2.68h [{set: {m0: 192, phi: 1000, scaling_efficiency: 0.89, p0_share: 0.3}}]' '2.41h [{set: {m0: 192, phi: 2000, scaling_efficiency: 0.78}}]'; do
    for until in 10h drain; do
        build/easim compare $seed --policies goodput,sia,pollux,zeus --set horizon=$until --set workload.until=10h --set workload.sizes.mean=${physics%% *} \
            --set "model_overrides=${physics#* }" --summary-only $quiet --format csv --out results/physics-goodput |
            awk -F, -v setting="${physics%% *}; $until" '$1 ~ /^(energy_per_work_kwh|energy_kwh|jct_mean_s)$/ {
                printf "cluster-wide,%s,%s,%s,%.5g,%.3g\n", $2, setting, $1, $5, $6
                if ($2 != "goodput") printf "cluster-wide,%s - goodput,%s,%s percent,%.1f,%.1f\n", $2, setting, $1, 100 * $7 / $16, 100 * $8 / $16}'
    done
done

[ -n "${EASIM_DATA:-}" ] || exit 0
# Measured: r(8)/(8 r(1)) of ResNet-50, the same code on 1 and 8 GPUs; images to the target by global batch, median relative to the least
grep '^ResNet-50,' "$EASIM_DATA/profiles/profile_table.csv" | grep 'thr=measured' | awk -F, '{key = $2 ", " $3 ", " $5 ", " $9}
    $4 == 1 {one[key] = $6} $4 == 8 && key in one {printf "measured,ResNet-50 %s,%s; batch %s,scaling,%.3f,\n", $3, $2, $5, $6 / (8 * one[key])}' |
    grep -v AMP-O1 | sort
awk -F, '$4 == "resnet" && $13 > 0 {print $8 "," $13}' "$EASIM_DATA/mlperf/runs.csv" | sort -t, -k1,1n -k2,2n | awk -F, '
    function show() {if (n) {median = (v[int((n + 1) / 2)] + v[int(n / 2) + 1]) / 2; if (!least) least = 44.84e6
        printf "measured,ResNet-50 in MLPerf (%d rows),batch %d,images to the target relative,%.3f,\n", n, b, median / least}}
    $1 != b {show(); n = 0; b = $1} {v[++n] = $2} END {show()}'
