#!/bin/sh
# Prints docs/studies/howtos.csv, figures of how-to pages and explanations, in a minute of processor time. Usage, in the root of the
# source: sh docs/studies/howtos.sh [SUBJECT...]; subjects: ablation tuning worlds regret bounds; bounds of logs need EASIM_DATA.
set -eu
echo study,subject,setting,figure,value,ci95,low,high
seed=configs/eas-sim.yaml
all=fcfs,easy,pollux,themis,chronos,zeus,hades,aurachronos,charon

# docs/howto/ablate.md: shares of the components that are neither the same nor inert
ablation() {
    build/easim ablate $seed zeus pollux -n 30 --format csv --quiet --force --out results/ablate-30 | awk -F, -v setting='10 h' -v a=zeus "$1"
    build/easim ablate $seed zeus:edp_slack=2 pollux -n 30 --set horizon=drain --set workload.until=10h --format csv --quiet --force \
        --out results/ablate-slack | awk -F, -v setting=drained -v a='zeus edp_slack 2' "$1"
}

# docs/howto/tune.md: before and tuned, and the trials within half of an interval of the best
tuning() {
    build/easim tune $seed --policy zeus --params edp_slack --objective energy_per_work_kwh --constraint 'throughput_jobs_per_h>=-1%' \
        --training-seed 2026 --training-replications 50 -n 30 --set horizon=drain --set workload.until=10h --quiet --force --out results/tune-slack
    awk -F, '$1 ~ /^(energy_per_work_kwh|throughput_jobs_per_h|energy_kwh|jct_restricted_mean_s|deadline_miss_rate)$/ {
        printf "tuning,zeus,%s,%s,%.6g,%.4g,,\n", $2, $1, $5, $6
        if ($7 != "") printf "tuning,zeus,tuned - before,%s percent,%.2f,%.2f,%.2f,%.2f\n", $1, 100 * $9, 100 * $8 / $16, 100 * ($14 - 1), 100 * ($15 - 1)
        }' results/tune-slack/check.csv
    awk -F, 'NR == 1 {next} {n++; value[n] = $4; half[n] = $5; slack[n] = $2; if ($8 == 1) best = n}
        END {low = high = slack[best]; for (i = 1; i <= n; i++) if (slack[i] != "off" && value[i] - value[best] <= half[best]) {
                 if (slack[i] < low) low = slack[i]; if (slack[i] > high) high = slack[i]}
             printf "tuning,zeus,search,trials,%d,,,\ntuning,zeus,search,edp_slack,%.3g,,%.3g,%.3g\n", n, slack[best], low, high}' results/tune-slack/trials.csv
    awk -F, 'NR == 2 {printf "tuning,zeus,check,%s percent,%.2f,%.2f,,\ntuning,zeus,check,kept in mean: %s; by its limit: %s,,,,\n", $1, 100 * $8, 100 * $9, $11, $12}' \
        results/tune-slack/constraints.csv
}

# docs/explanation/statistics.md: zeus against pollux in 256 worlds with cells of efficiency and scaling, and against goodput in 32
worlds() {
    build/easim compare configs/uncertainty.yaml --policies pollux,zeus --set uncertainty.worlds=256 --quiet --force --out results/worlds-256
    build/easim compare configs/uncertainty.yaml --policies goodput,zeus --set uncertainty.worlds=32 --set uncertainty.shares=false --quiet --force \
        --out results/worlds-32
    for count in 256 32; do
        awk -F, -v n=$count '$1 ~ /^(energy_per_work_kwh|energy_kwh|throughput_jobs_per_h|jct_restricted_mean_s)$/ {s = "worlds,zeus - " $3 "," n " worlds," $1
            printf "%s difference,%.4g,%.3g,,\n%s difference percent,%.1f,,,\n", s, $6, $7, s, 100 * $8
            printf "%s better percent,%.0f,,%.0f,%.0f\n%s better by sign percent,%.0f,,%.0f,%.0f\n", s, 100 * $14, 100 * $15, 100 * $16, s, 100 * $17, 100 * $18, 100 * $19
            printf "%s worse percent,%.0f,,%.0f,%.0f\n", s, 100 * $20, 100 * $21, 100 * $22}' results/worlds-$count/differences.csv
        awk -F, -v n=$count '$1 ~ /^(energy_per_work_kwh|energy_kwh|throughput_jobs_per_h|jct_restricted_mean_s)$/ && $5 != "" {
            printf "worlds,zeus - %s,%d worlds,%s variance of %s percent,%.0f,,%.0f,%.0f\n", $3, n, $1, $4, 100 * $5, 100 * $6, 100 * $7}' results/worlds-$count/budget.csv
    done
    awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i; next}
        $1 == 0 {reading[$3] = $at["model_overrides/efficiency"]; scaling[$3] = $at["model_overrides[0].set.scaling_efficiency"]
            energy[$4, $3, $5] = $at["energy_per_work_kwh"]}
        END {n = split("as shipped;MLPerf-like;Sia traces;m0 192", names, ";"); split("below 0.85;0.85 to 0.92;above 0.92", ranges, ";")
            for (w in reading) {sum = squares = base = 0
                for (r = 1; r <= 10; r++) {d = energy["zeus", w, r] - energy["pollux", w, r]; sum += d; squares += d * d; base += energy["pollux", w, r]}
                c = reading[w] "," (scaling[w] < 0.85 ? 1 : scaling[w] < 0.92 ? 2 : 3); share = 100 * sum / base
                clear[c] += sum / 10 < -2.2622 * sqrt((squares - sum * sum / 10) / 90); total[c] += share
                if (!(c in count) || share < low[c]) low[c] = share; if (!(c in count) || share > high[c]) high[c] = share; count[c]++}
            for (i = 1; i <= n; i++) for (j = 1; j <= 3; j++) {c = names[i] "," j; s = "worlds,cell " names[i] ",scaling " ranges[j]
                printf "%s,worlds,%d,,,\n%s,clearly better,%d,,,\n%s,difference percent,%.1f,,%.1f,%.1f\n", s, count[c], s, clear[c], s, total[c] / count[c], low[c], high[c]}
        }' results/worlds-256/worlds.csv
}

# docs/howto/decisions.md: regrets of the mean completion time, and what would have been best
regret() {
    for policy in zeus pollux lean lean:resize=false:shrink=false zeus:edp_exponent=0.25:edp_slack=1.5; do
        build/easim regret configs/generation.yaml --policy "$policy" -n 5 --sample 60 --force --out results/regret-60 | awk -v policy="$policy" '
            NR == 1 {printf "regret,%s,60 sampled,decision points,%s,,,\nregret,%s,60 sampled,copies,%s,,,\n", policy, $(NF - 4), policy, $(NF - 1)}
            NR == 2 {gsub(",", ""); printf "regret,%s,60 sampled,mean s,%s,,,\nregret,%s,60 sampled,median s,%s,,,\n", policy, $7, policy, $10
                printf "regret,%s,60 sampled,90 %% s,%s,,,\nregret,%s,60 sampled,most s,%s,,,\n", policy, $14, policy, $17}'
        awk -F, -v policy="$policy" 'NR == 1 {for (i = 1; i <= NF; i++) c[$i] = i; next}
            {point = $1 "," $2; if (!(point in least)) {least[point] = 0; best[point] = "taken"; k_best[point] = 0}}
            $c["taken"] == 1 {k[point] = $c["k"]}
            $c["taken"] != 1 && $c["jct_change_s"] != "" && $c["jct_change_s"] < least[point] {
                least[point] = $c["jct_change_s"]; best[point] = $c["action"]; k_best[point] = $c["k"]; joules[point] = $c["energy_change_kwh"]}
            END {for (p in best) {all -= least[p]; started[k[p]]++
                     what = best[p] != "other" ? best[p] : k_best[p] == k[p] ? "the same GPUs" : k_best[p] < k[p] ? "fewer GPUs" : "more GPUs"
                     times[what]++; part[what] -= least[p]; if (what == "fewer GPUs") {to[k_best[p]]++; if (joules[p] < 0) saved++}}
                 for (w in times) printf "regret,%s,best: %s,points,%d,,,\nregret,%s,best: %s,share of the regret percent,%.0f,,,\n", policy, w, times[w], policy, w, 100 * part[w] / all
                 for (n in to) printf "regret,%s,best: fewer GPUs,points with %d,%d,,,\n", policy, n, to[n]
                 if (saved) printf "regret,%s,best: fewer GPUs,points with less energy,%d,,,\n", policy, saved
                 for (n in started) printf "regret,%s,taken: %d GPUs,points,%d,,,\n", policy, n, started[n]}' results/regret-60/regret.csv | sort
    done
}

# docs/howto/optimum.md: bounds, and policies above them in percent
bounded() {
    name=$1
    title=$2
    shift 2
    build/easim compare "configs/$name.yaml" --bound --summary-only --force --quiet --out results/bounded --policies $all "$@"
    awk -F, -v title="$title" -f tools/bounds_table.awk results/bounded/bounds.csv | awk -v setting="$title" '
        $1 == "bound" {printf "bounds,bound,%s,energy_kwh,%s,,,\nbounds,bound,%s,jct_mean_s,%s,,,\n", setting, $2, setting, $3}
        $3 == "%" {printf "bounds,%s,%s,energy_kwh percent,%s,,,\nbounds,%s,%s,jct_mean_s percent,%s,,,\n", $1, setting, $2, $1, setting, $4}'
}

bounds() {
    for rate in 0.000856 0.001284 0.001712; do
        bounded eas-sim "seed $rate jobs/s" -n 100 --set horizon=drain --set 'workload.until={jobs: 180}' --set workload.rate_per_s=$rate
    done
    bounded generation 'images load 0.9'
    [ -n "${EASIM_DATA:-}" ] || return 0
    bounded itp-cluster06 'log rigid'
    bounded itp-malleable 'log malleable'
}

shares='$1 ~ /^(energy_per_work_kwh|energy_kwh|throughput_jobs_per_h|jct_restricted_mean_s)$/ && $13 != "same" && $13 != "inert" {
    printf "ablation,%s - pollux,%s,%s of %s,%.4f,%.4f,,\nablation,%s - pollux,%s,%s of %s alone,%.4f,,,\n", a, setting, $1, $2, $6, $7, a, setting, $1, $2, $9}'
for subject in ${*:-ablation tuning worlds regret bounds}; do
    $subject "$shares"
done
