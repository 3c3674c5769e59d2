#!/bin/sh
# Prints docs/studies/serving.csv; needs EASIM_DATA. Usage, in the root of the source: sh docs/studies/serving.sh
set -eu
echo study,setting,against,metric,n,mean,ci95,change,change_ci95

# run NAME OPTIONS...
run() {
    out=results/serving/$1
    shift
    build/easim run configs/serving.yaml --quiet --force --summary-only --out "$out" "$@"
}

# rows STUDY NAME BASE METRICS: means of 10 replications, and paired changes from another run
rows() {
    awk -F, -v row="$1,$2,$3" -v metrics="$4" -v base="results/serving/$3/summary.csv" '
        FNR == 1 {for (i = 1; i <= NF; i++) column[$i] = i; n = split(metrics, name, ","); next}
        {r = $column["replication"]; for (m = 1; m <= n; m++) {
            value = name[m] in column ? $column[name[m]] : ""
            if (FILENAME == base) old[m, r] = value
            else if (value != "") {c[m]++; s[m] += value; q[m] += value ^ 2
                if (old[m, r] != "") {d = value - old[m, r]; k[m]++; ds[m] += d; dq[m] += d ^ 2}}}}
        function half(n, s, q) {q -= s * s / n; return 2.2621571627409915 * sqrt(q > 0 ? q / (n - 1) / n : 0)}
        END {for (m = 1; m <= n; m++) if (c[m]) {
            printf "%s,%s,%d,%.5g,%.2g", row, name[m], c[m], s[m] / c[m], half(c[m], s[m], q[m])
            if (k[m] && row !~ /,$/) printf ",%.4g,%.2g\n", ds[m] / k[m], half(k[m], ds[m], dq[m])
            else print ",,"}}' ${3:+"results/serving/$3/summary.csv"} "results/serving/$2/summary.csv"
}

metrics=j_per_token,slo_share,replica_gpu_h,energy_kwh,preemptions,jct_mean_s,lost_gpu_h
s1='workload.streams[1]' s2='workload.streams[2]'
run none --set "$s1.demand={tokens_per_s: 0}" --set "$s2.demand={tokens_per_s: 0}" --set "$s1.replicas.min=0" --set "$s2.replicas.min=0"
run 'load 0.8 displacing'
run 'load 0.5 displacing' --set "$s1.scaling.target=0.5" --set "$s2.scaling.target=0.5"
run 'load 0.8 waiting' --set "$s1.scaling.preempt=false" --set "$s2.scaling.preempt=false"
run 'two replicas each' --set "$s1.replicas={min: 2, max: 2}" --set "$s2.replicas={min: 2, max: 2}"
rows sizing none '' $metrics
for rule in 'load 0.8 displacing' 'load 0.5 displacing' 'load 0.8 waiting' 'two replicas each'; do
    rows sizing "$rule" none $metrics
done
rows sizing 'load 0.8 displacing' 'two replicas each' $metrics

for load in 0.3 0.7; do
    for setting in zeus 'deferral 3h' 'deferral 12h'; do
        slack=${setting#* }
        run "$setting load $load" --policy "${setting%% *}" $([ "$setting" = zeus ] || echo "--set policy.params.slack=$slack") \
            --set horizon=96h --set 'workload.streams[0].until=72h' --set "workload.streams[0].load=$load"
    done
    rows carbon "zeus load $load" '' co2_kg,$metrics
    rows carbon "deferral 3h load $load" "zeus load $load" co2_kg,$metrics
    rows carbon "deferral 12h load $load" "zeus load $load" co2_kg,$metrics
done

for bin in 1s 10s 60s; do
    build/easim run configs/serving.yaml --quiet --force --out results/serving/bin --set "$s1.demand.bin=$bin" --set "$s2.demand.bin=$bin"
    awk -F, -v bin="$bin" 'NR == 1 {for (i = 1; i <= NF; i++) column[$i] = i; next}
        {name = $column["service"]; n[name]++; s[name] += $column["j_per_token"]}
        END {for (name in n) printf "bins,%s %s,,j_per_token,%d,%.3g,,,\n", name, bin, n[name], s[name] / n[name]}' \
        results/serving/bin/services.csv | sort
done
