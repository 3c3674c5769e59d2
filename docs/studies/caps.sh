#!/bin/sh
# Prints docs/studies/caps.csv, or its rows of one load and policy. Usage, in the root of the source:
#   sh docs/studies/caps.sh [LOAD POLICY]
# Changes are against the cap of 100 % with the same jobs: paired by replication, with half of the 95 % interval (Student t).
set -eu
easim=${EASIM:-build/easim} out=${OUT:-results}
mkdir -p "$out"
echo "physics,load,policy,admission,cap_percent,runs,power_w,highest_w,energy_kwh,energy_ci95,work_gpu_h,work_ci95,kwh_per_gpu_h,\
kwh_per_gpu_h_ci95,mean_s,mean_ci95,mean_finished_s,energy_percent,energy_percent_ci95,work_percent,work_percent_ci95,\
kwh_per_gpu_h_percent,kwh_per_gpu_h_percent_ci95,mean_percent,mean_percent_ci95,throttled_gpu_h,preemptions,capped_starts,violation_s,missed_percent"
for physics in a40 h100; do
    sweep=configs/sweeps/caps-$physics.yaml
    if [ $# -gt 0 ]; then
        sed "s/values: \[0.7.*/values: [$1]}/; s/values: \[fcfs.*/values: [$2]}/; s|^base: \.\.|base: $PWD/configs|" "$sweep" >"$out/caps-$physics.yaml"
        sweep=$out/caps-$physics.yaml
    fi
    "$easim" sweep "$sweep" --quiet --force --out "$out/caps-$physics/sweep"
    awk -F, -v physics="$physics" -v OFS=, '
        BEGIN {
            split("energy_kwh work_done_gpu_h energy_per_work_kwh jct_restricted_mean_s", compared, " ")
            split("jct_mean_s throttled_gpu_h preemptions capped_starts cap_violation_s deadline_miss_rate power_mean_w", others, " ")
            t = 2.2621571628 # 97.5 % of Student t, 9 degrees of freedom
        }
        {gsub(/"[^"]*"/, "")} # warnings, which have commas
        NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i; next}
        {
            group = $at["workload.load"] OFS $at["policy.name"] OFS $at["admission"]
            point = group OFS $at["cap"]
            if (!(point in runs)) {points[++count] = point; group_of[point] = group}
            r = ++runs[point]
            if ($at["cap"] == 100) base[group] = point
            for (m in compared) value[point, m, r] = $at[compared[m]]
            if ($at["power_max_w"] > highest[point] + 0) highest[point] = $at["power_max_w"] + 0
            for (m in others) sum[point, m] += $at[others[m]]
        }
        function interval(total, squares, n) {return t * sqrt((squares - total * total / n) / (n - 1) / n)}
        function summary(point, m,    r, v, total, squares) { # of the values, relative to their mean or to nothing
            for (r = 1; r <= runs[point]; r++) {v = value[point, m, r] - value[point, m, 1]; total += v; squares += v * v}
            mean = value[point, m, 1] + total / runs[point]; half = interval(total, squares, runs[point])
        }
        END {
            for (i = 1; i <= count; i++) {
                p = points[i]; b = base[group_of[p]]; n = runs[p]
                if (n != 10) exit 1
                row = physics OFS p OFS n OFS sprintf("%.1f,%.1f", sum[p, 7] / n, highest[p])
                changes = ""
                for (m = 1; m <= 4; m++) {
                    summary(b, m); of = mean
                    summary(p, m)
                    row = row OFS sprintf("%.6g,%.4g", mean, half)
                    total = squares = 0
                    for (r = 1; r <= n; r++) {d = value[p, m, r] - value[b, m, r]; total += d; squares += d * d}
                    changes = changes OFS sprintf("%.2f,%.2f", 100 * total / n / of, 100 * interval(total, squares, n) / of)
                }
                printf "%s,%.6g%s", row, sum[p, 1] / n, changes
                for (m = 2; m <= 5; m++) printf ",%.6g", sum[p, m] / n
                printf ",%.4g\n", 100 * sum[p, 6] / n
            }
        }' "$out/caps-$physics/sweep/sweep.csv"
done
