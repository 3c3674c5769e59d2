#!/bin/sh
# Prints docs/studies/readings.csv, in half a minute of processor time. Usage, in the root of the source: sh docs/studies/readings.sh
# study,subject,setting,figure,value: of the sweeps readings, readings-fitted and physics how often each claim holds, which readings meet
# the published figures, and the difference in kWh between zeus and pollux by physics.
set -eu
echo study,subject,setting,figure,value,ci95
for study in readings readings-fitted physics; do
    build/easim sweep configs/sweeps/$study.yaml --quiet --force
    folder=results/$study/sweep
    if [ -e $folder/claims.csv ]; then
        awk -F, -v study=$study 'NR == 1 {for (i = 4; i <= 8; i++) figure[i] = $i; next}
            {setting = $2 == "" ? "all" : $2 ": " $3
             for (i = 4; i <= 8; i++) if (i > 5 || $i > 0 && setting == "all") printf "%s,%s,%s,%s,%.4g,\n", study, $1, setting, figure[i], $i}' $folder/claims.csv
    fi
    sed 's/"\([^,"]*\), \([^"]*\)"/\1; \2/' $folder/targets.csv | awk -F, -v study=$study 'NR == 1 {for (i = 1; i <= NF; i++) name[i] = $i; next}
        {setting = $9; for (i = 11; i <= NF; i++) setting = setting (setting == "" ? "" : "; ") $i
         for (i = 4; i <= 8; i++) if ($i != "" && (i != 5 || $i > 0)) printf "%s,%s,%s,%s,%.6g,\n", study, $1, setting, name[i], $i}'
done

# kWh of the whole cluster, zeus against pollux: mean and range in percent over readings of the protocol, or of p0
awk -F, '$1 == "zeus less kWh than pollux" && $2 == "whole cluster" {share = 100 * $15 / $14; c = $11 " / " $10
             if (!(c in low)) {name[++n] = c; low[c] = high[c] = share}
             if (share < low[c]) low[c] = share; if (share > high[c]) high[c] = share; sum[c] += share; count[c]++}
         END {for (i = 1; i <= n; i++) {c = name[i]
             printf "readings,zeus - pollux kWh percent,%s,mean,%.1f,\nreadings,zeus - pollux kWh percent,%s,low,%.1f,\n", c, sum[c] / count[c], c, low[c]
             printf "readings,zeus - pollux kWh percent,%s,high,%.1f,\n", c, high[c]}}' results/readings/sweep/claim-readings.csv
awk -F, '$1 == "zeus less kWh than pollux" && $2 == "whole cluster" {share = 100 * $10 / $9; c = $6 ": " $5
             if (!(c in low)) {name[++n] = c; low[c] = high[c] = share}
             if (share < low[c]) low[c] = share; if (share > high[c]) high[c] = share}
         END {for (i = 1; i <= n; i++) {c = name[i]
             printf "physics,zeus - pollux kWh percent,%s,low,%.1f,\nphysics,zeus - pollux kWh percent,%s,high,%.1f,\n", c, low[c], c, high[c]}
         }' results/physics/sweep/claim-readings.csv

# With the job size fitted in each reading: jobs/h and kWh by what energy covers
awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i; next}
         $at["numbers"] == "as in the protocol" && $2 != "zeus 2" {
             r = $at["reading"] "," $2; if (!(r in jobs)) name[++n] = r
             jobs[r] += $at["throughput_jobs_per_h"] / 10; whole[r] += $at["energy_kwh"] / 10
             held[r] += $at["energy_job_kwh"] / 10; done[r] += $at["energy_finished_kwh"] / 10}
         END {for (i = 1; i <= n; i++) {split(name[i], part, ",")
             printf "readings-fitted,%s,%s,jobs/h,%.2f,\nreadings-fitted,%s,%s,kWh whole cluster,%.1f,\n", part[2], part[1], jobs[name[i]], part[2], part[1], whole[name[i]]
             printf "readings-fitted,%s,%s,kWh allocated GPUs,%.1f,\n", part[2], part[1], held[name[i]]
             printf "readings-fitted,%s,%s,kWh finished jobs,%.1f,\n", part[2], part[1], done[name[i]]}}' results/readings-fitted/sweep/sweep.csv
grep '^\(pollux\|zeus 2\) .*as in the protocol,requested / adapt / strict FP32 / lognormal' results/readings-fitted/sweep/target-readings.csv |
    grep -v -e whole -e allocated | awk -F, '{printf "readings-fitted,%s,%s,mean,%.6g,%.6g\n", $1, $5, $7, $8}'
