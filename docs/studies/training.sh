#!/bin/sh
# Prints docs/studies/training.csv. Usage, in the root of the source: sh docs/studies/training.sh
set -eu
echo setting,metric,subject,baseline,n,mean,ci95,diff_mean,diff_ci95,diff_rel,p_value,p_holm,pairs,ratio_geo,ratio_geo_low,ratio_geo_high,base_mean
for load in 0.6 0.9 1.2; do
    build/easim compare configs/measured.yaml --set workload.load=$load --summary-only --force --quiet \
        --policies fcfs,easy,pollux,themis,chronos,zeus,hades,aurachronos,charon --baseline pollux \
        --format csv --out results/measured | awk -F, -v setting="load $load" -f tools/study_rows.awk
done

# The fastest batch of each model on k GPUs: the batch, and goodput and energy of the same work as multiples of 8 GPUs
build/easim models configs/measured.yaml --format csv 2>results/notes.txt | awk -F, '
    NR == 1 {for (i = 1; i <= NF; i++) col[$i] = i; next}
    $col["state"] == "ok" && $1 ~ /^(bert|retinanet|llama2_70b_lora)$/ {
        row = $1 " " $2; k = $col["k"]; goodput = $col["goodput_per_s"]
        if ((k > 8) != ($col["span"] == "across_nodes")) next
        if (!((row, 8) in best)) name[++n] = row
        if (goodput > best[row, k]) {
            best[row, k] = goodput; batch[row, k] = $col["global_batch"]; joules[row, k] = $col["energy_per_unit_j"]}}
    END {for (i = 1; i <= n; i++) {r = name[i]
        for (k = 8; k <= 64; k *= 2) if ((r, k) in best) {
            printf "k %d,batch,%s,,,%d%s\n", k, r, batch[r, k], ",,,,,,,,,,,"
            printf "k %d,goodput_relative,%s,,,%.2f%s\n", k, r, best[r, k] / best[r, 8], ",,,,,,,,,,,"
            printf "k %d,energy_relative,%s,,,%.2f%s\n", k, r, joules[r, k] / joules[r, 8], ",,,,,,,,,,,"}}}'

# What the jobs of 20 replications got at load 0.9
for policy in pollux zeus; do
    build/easim run configs/measured.yaml --policy $policy --quiet --force --out results/measured-$policy
    awk -F, -v p=$policy 'NR > 1 {jobs[$11 " k " $12]++} END {for (c in jobs) print "load 0.9,jobs on " c "," p ",,," jobs[c] ",,,,,,,,,,,"}' \
        results/measured-$policy/jobs.csv | sort
done
