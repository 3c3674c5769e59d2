# Rows of a study's CSV from `easim compare --format csv`, with the name of the setting in front and eight digits.
#   easim compare ... --format csv --quiet | awk -F, -v setting=TEXT -f tools/study_rows.awk
# -v also=METRIC: rows of one more metric.

NR == 1 || ($1 !~ /^(energy_per_work_kwh|energy_kwh|jct_mean_s|jct_p9[59]_s|deadline_miss_rate|preemptions|resizes)$/ && $1 != also) { next }

{
    printf "%s,%s,%s,%s,%s", setting, $1, $2, $3, $4
    for (i = 5; i <= NF; i++)
        printf $i == "" ? ",%s" : ",%.8g", $i
    print ""
}
