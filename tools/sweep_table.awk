# Table of a sweep over axes `policy` and workload.load: for each load and label of the axis kWh, mean, 95th and 99th
# percentile of completion times and the share of deadlines missed, means over all runs; behind the first three, percent
# above the least of the labels without lean or tuned in them, behind the fourth percent above pollux.
#   awk -F, -f tools/sweep_table.awk results/NAME/sweep/sweep.csv

NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }

{
    load = $at["workload.load"]; policy = $at["axis.policy"]
    if (!(load in seen)) { seen[load]; loads[++load_count] = load }
    if (!(policy in known)) { known[policy]; names[++count] = policy }
    runs[load, policy]++
    for (m = 1; m <= 5; m++) sum[load, policy, m] += $at[metric[m]]
}

BEGIN { split("energy_kwh jct_mean_s jct_p95_s jct_p99_s deadline_miss_rate", metric, " ") }

function mean(load, policy, m) { return sum[load, policy, m] / runs[load, policy] }

END {
    for (l = 1; l <= load_count; l++) {
        load = loads[l]
        for (m = 1; m <= 3; m++) {
            least[m] = 0
            for (i = 1; i <= count; i++)
                if (names[i] !~ /lean|tuned/ && (!least[m] || mean(load, names[i], m) < least[m])) least[m] = mean(load, names[i], m)
        }
        least[4] = mean(load, "pollux", 4)
        printf "%-20s %8s %15s %17s %17s %17s %7s\n", "load " load, "runs", "kWh", "mean, s", "p95, s", "p99, s", "missed"
        for (i = 1; i <= count; i++) {
            printf "%-20s %8d", names[i], runs[load, names[i]]
            for (m = 1; m <= 4; m++)
                printf " %*.*f %+6.1f", m == 1 ? 8 : 10, m == 1, mean(load, names[i], m), 100 * (mean(load, names[i], m) / least[m] - 1)
            printf " %6.1f%%\n", 100 * mean(load, names[i], 5)
        }
    }
}
