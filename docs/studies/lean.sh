#!/bin/sh
# Prints docs/studies/lean.csv, in half a minute of processor time. Usage, in the root of the source: sh docs/studies/lean.sh
set -eu
echo 'study,load,policy,runs,kwh,kwh_over_percent,mean_s,mean_over_percent,p95_s,p95_over_percent,p99_s,p99_over_percent,missed_percent'
for study in generation row3 shipped; do
    build/easim sweep configs/sweeps/lean-$study.yaml --quiet --force
    awk -F, -f tools/sweep_table.awk results/lean-$study/sweep/sweep.csv | awk -v study=$study '
        $1 == "load" {load = $2; next}
        {policy = substr($0, 1, 20); sub(/ +$/, "", policy); gsub(/%/, ""); $0 = substr($0, 21); $1 = $1; gsub(/ /, ",")
         print study "," load "," policy "," $0}'
done
