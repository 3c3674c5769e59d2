#!/bin/sh
# Prints docs/studies/findings.csv. Usage, in the root of the source: sh docs/studies/findings.sh
# What easim analyze finds above info in recorded runs, what it recommends, and figures of the CSV files beside it. The last scenario needs
# EASIM_DATA.
set -eu
echo scenario,what,text

# analyzed SCENARIO FOLDER: findings with their figures, recommendations with what they gave
analyzed() {
    build/easim analyze "$2" | awk -v scenario="$1" '
        /^[0-9]+\. [A-Z-]+ (high|medium|low)/ {what = $2 " " $3; sub(/,$/, "", what); head = $0; sub(/^[0-9]+\. [A-Z-]+ [a-z]+, /, "", head)
            getline; sub(/^ +/, ""); printf "%s,%s,\"%s: %s\"\n", scenario, what, head, $0}
        /^   recommended/ {head = $0; sub(/^ +/, "", head); getline; sub(/^ +/, ""); printf "%s,recommended,\"%s; %s\"\n", scenario, head, $0}'
}

# columns SCENARIO FOLDER: energy and completion time of its first replication
columns() {
    awk -F, -v scenario="$1" 'FNR == 1 {for (i = 1; i <= NF; i++) c[$i] = i; next}
        $c["replication"] == 1 {printf "%s,first replication,\"%.1f kWh, completion time %.0f s\"\n", scenario, $c["energy_kwh"], $c["jct_mean_s"]}' "$2/summary.csv"
}

build/easim run configs/eas-sim.yaml --record --quiet --force --out results/findings/seed
analyzed seed results/findings/seed
awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) c[$i] = i} $c["replication"] == 1 {n++; late += $c["missed"] == 1}
    END {printf "seed,jobs.csv,%d of %d jobs late\n", late, n}' results/findings/seed/jobs.csv
awk -F, 'NR > 1 {all += $4; part[$3] += $4} END {printf "seed,waste.csv,\"of all energy: useful %.1f %%, crowded out %.1f %%, misplaced %.1f %%\"\n",
    100 * part["useful"] / all, 100 * part["crowded out"] / all, 100 * part["misplaced"] / all}' results/findings/seed/waste.csv

build/easim run configs/generation.yaml --record -n 5 --quiet --force --out results/findings/generation
analyzed generation results/findings/generation
awk -F, '$2 == 1 {all += $4; if ($3 == "over-scaled") part = $4} END {printf "generation,waste.csv,over-scaled: %.1f %% of the energy\n", 100 * part / all}' \
    results/findings/generation/waste.csv
columns generation results/findings/generation
build/easim run results/findings/generation/scenario.yaml --record --set 'workload.k=[1, 2]' --quiet --force --out results/findings/fewer
columns 'generation with k 1 or 2' results/findings/fewer

[ -n "${EASIM_DATA:-}" ] || exit 0
build/easim run configs/itp-malleable.yaml --record --quiet --force --out results/findings/itp
analyzed itp results/findings/itp
awk -F, '$5 == "free" {n = split($4, g, "-"); h += (g[n] - g[1] + 1) * ($7 - $6) / 3600} END {printf "itp,gpus.csv,%.0f GPU h free\n", h}' results/findings/itp/gpus.csv
columns itp results/findings/itp
build/easim run results/findings/itp/scenario.yaml --record --set 'cluster.gpu_types[0].sleep_w=12' --set 'cluster.gpu_types[0].sleep_after=60' \
    --set 'cluster.gpu_types[1].sleep_w=14' --set 'cluster.gpu_types[1].sleep_after=60' --quiet --force --out results/findings/asleep
columns 'itp with sleeping GPUs' results/findings/asleep
