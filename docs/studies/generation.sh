#!/bin/sh
# Prints docs/studies/generation.csv. Usage, in the root of the source: sh docs/studies/generation.sh
# With EASIM_DATA also the rows "ring": models whose GPUs share an image by ring attention only.
set -eu
echo setting,metric,subject,baseline,n,mean,ci95,diff_mean,diff_ci95,diff_rel,p_value,p_holm,pairs,ratio_geo,ratio_geo_low,ratio_geo_high,base_mean

# compare TITLE OPTIONS...: rows of one comparison
compare() {
    title=$1
    shift
    build/easim compare configs/generation.yaml --summary-only --force --quiet --format csv --out results/generation "$@" |
        awk -F, -v setting="$title" -f tools/study_rows.awk
}

all=fcfs,easy,pollux,themis,chronos,zeus,hades,aurachronos,charon
five='[{model: black-forest-labs/FLUX.1-dev}, {model: stabilityai/stable-diffusion-3.5-large}, {model: stabilityai/stable-diffusion-3.5-medium}, {model: PixArt-alpha/PixArt-Sigma-XL-2-1024-MS}, {model: Tencent-Hunyuan/HunyuanDiT-v1.2-Diffusers}]'
videos='[{model: Wan-AI/Wan2.1-T2V-1.3B-Diffusers}, {model: Wan-AI/Wan2.1-T2V-14B-Diffusers}, {model: tencent/HunyuanVideo}, {model: zai-org/CogVideoX-2b}, {model: zai-org/CogVideoX1.5-5B}]'
for load in 0.6 0.9 1.2; do
    compare "images load $load" --set workload.load=$load --policies $all --baseline pollux
    compare "cluster-wide load $load" --set workload.load=$load --policies goodput,sia,pollux,zeus
    compare "five models load $load" --set workload.load=$load --set "workload.mix=$five" --policies pollux,zeus
    compare "videos load $load" --set workload.load=$load --set "workload.mix=$videos" --policies $all --baseline pollux
    compare "48h load $load" --set workload.load=$load --set workload.until=48h --policies pollux,zeus
done
for k in 8 4 2 1; do
    compare "k $k" --set "workload.k=[$k]" --policies pollux,zeus
done
compare "no idle W" --set 'cluster.gpu_types[0].idle_w=0' --set 'cluster.gpu_types[1].idle_w=0' --policies pollux,zeus

# Shares of zeus - pollux, by component
build/easim ablate configs/generation.yaml zeus pollux --format csv --quiet --force --out results/generation-ablate |
    awk -F, '$1 ~ /^(energy_per_work_kwh|energy_kwh|jct_mean_s)$/ && $6 != 0 {
                 printf "zeus - pollux,%s,%s,,,%.4f,%.4f%s\n", $1, $2, $6, $7, ",,,,,,,,,,"}'

# What the jobs of 20 replications got at load 0.9
for policy in pollux zeus; do
    build/easim run configs/generation.yaml --policy $policy --quiet --force --out results/generation-$policy
    awk -F, -v p=$policy 'NR > 1 {jobs[$11 " k " $12]++} END {for (c in jobs) print "images load 0.9,jobs on " c "," p ",,," jobs[c] ",,,,,,,,,,,"}' \
        results/generation-$policy/jobs.csv | sort
done

# The fastest configuration of each model on k GPUs: outputs per second and energy per output as multiples of one GPU
awk '/^  - name: / {model = $3; gsub(/"|.*\//, "", model)}
     /^      "/ {gpu = $1; gsub(/[":]/, "", gpu)}
     /throughput_samples_s/ {gsub(/[{},]/, ""); k = $3; rate = $7; energy = k * $9 / rate
         row = model " " gpu
         if (!((row, 1) in best)) name[++n] = row
         if (rate > best[row, k]) {best[row, k] = rate; joules[row, k] = energy}}
     END {for (i = 1; i <= n; i++) {r = name[i]
         for (k = 2; k <= 8; k *= 2) if ((r, k) in best) {
             printf "k %d,speed_relative,%s,,,%.2f%s\n", k, r, best[r, k] / best[r, 1], ",,,,,,,,,,,"
             printf "k %d,energy_relative,%s,,,%.2f%s\n", k, r, joules[r, k] / joules[r, 1], ",,,,,,,,,,,"}}}' configs/models/mlenergy.yaml

[ -n "${EASIM_DATA:-}" ] || exit 0
awk -F, 'NR == 1 || $7 == 1' "$EASIM_DATA/serving/mlenergy_diffusion.csv" >results/ring.csv
build/easim profile mlenergy results/ring.csv -o results/ring-profile.csv >results/ring.txt
build/easim calibrate results/ring-profile.csv -o results/ring.yaml >results/ring.txt
for load in 0.6 0.9 1.2; do
    compare "ring load $load" --set workload.load=$load --set "models=$PWD/results/ring.yaml" --policies pollux,zeus
done
