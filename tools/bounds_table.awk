# The means of a bounds.csv as a table: awk -F, -v title=TEXT -f tools/bounds_table.awk bounds.csv
NR == 1 {
    for (i = 1; i <= NF; i++)
        at[$i] = i
    next
}
$at["replication"] == "mean" {
    if (!($at["metric"] in bound)) {
        bound[$at["metric"]] = $at["bound"]
        metrics[++count] = $at["metric"]
    }
    if (!($at["policy"] in seen)) {
        seen[$at["policy"]] = 1
        policies[++many] = $at["policy"]
    }
    gap[$at["policy"], $at["metric"]] = $at["gap"] == "" ? "-" : sprintf("%.1f %%", 100 * $at["gap"])
}
END {
    printf "%-14s", title
    for (m = 1; m <= count; m++)
        printf "%32s", metrics[m]
    printf "\n%-14s", "bound"
    for (m = 1; m <= count; m++)
        printf "%32s", bound[metrics[m]] == "" ? "-" : sprintf("%.1f", bound[metrics[m]])
    printf "\n"
    for (p = 1; p <= many; p++) {
        printf "%-14s", policies[p]
        for (m = 1; m <= count; m++)
            printf "%32s", gap[policies[p], metrics[m]]
        printf "\n"
    }
}
