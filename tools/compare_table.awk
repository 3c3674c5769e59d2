# Compact table of `easim compare --format csv`: for each policy energy per work, kWh and mean completion time, with half
# of the 95 % interval, and each difference from the baseline as a share of the baseline's mean.
#   easim compare ... --format csv --quiet | awk -F, -f tools/compare_table.awk [-v title=TEXT]

function column(metric, scale, format,    at, text) {
    at = metric SUBSEP policy
    text = sprintf(format, scale * mean[at]) " +- " sprintf(format, scale * half[at])
    if (difference[at] != "")
        return sprintf("%s  %+6.1f +- %4.1f %%", text, 100 * difference[at] / base[at], 100 * spread[at] / base[at])
    return text
}

NR == 1 { next }

!($2 in seen) { seen[$2]; names[++count] = $2 }

{ mean[$1, $2] = $5; half[$1, $2] = $6; difference[$1, $2] = $7; spread[$1, $2] = $8; base[$1, $2] = $16 }

END {
    printf "%-12s  %-36s  %-36s  %s\n", title, "energy per work, kWh/GPU h", "energy, kWh", "completion time, mean, h"
    for (i = 1; i <= count; i++) {
        policy = names[i]
        printf "%-12s  %-36s  %-36s  %s\n", policy, column("energy_per_work_kwh", 1, "%.3f"),
               column("energy_kwh", 1, "%.1f"), column("jct_mean_s", 1 / 3600, "%.2f")
    }
}
