#!/usr/bin/env python3
"""Makes configs/models/zeus-v100.yaml: training on one V100 under power limits, as Zeus (NSDI'23) measured it.

  zeus_models.py EASIM SOURCE [--check]

$EASIM_DATA holds profiles/zeus_nsdi23/summary_power_v100.csv. A model is a network with its data set, batch and optimizer that draws
at least 0.6 of the highest limit, 250 W. Without --check the file is written. With it the file must be what would be written.
"""
import csv

from made_again import arguments, write_or_compare

HIGHEST, LEAST_SHARE = 250, 0.6
# Samples of an epoch; the trace has only its seconds.
SAMPLES = {"cifar100": 50000, "imagenet": 1281167, "librispeech": 281241, "sentiment140": 1600000, "squad": 88524}
HEADER = """\
# Training on one V100 under power limits of 100 to 250 W: every network, batch and optimizer of Zeus (You et al., NSDI'23) that draws
# at least 150 W at 250 W. From github.com/ml-energy/zeus, commit 75a8b939, examples/research_reproducibility/zeus_nsdi23/trace/
# summary_power_v100.csv (Apache-2.0): one measurement per limit, seconds of an epoch and mean W. Made by tools/zeus_models.py.
# Throughput = samples of the data set (not in the trace) / seconds at 250 W; ratios to 250 W. m0 is the batch, phi 0: work is samples.
models:
"""
MODEL = """\
  - name: {name}
    m0: {batch}
    phi: 0
    batches: [{batch}]
    gpus:
      v100:
        lookup: [{{k: 1, batch: {batch}, throughput_samples_s: {rate:.9g}, power_w_per_gpu: {power:.9g}}}]
        evidence: measured
        source: Zeus trace summary_power_v100.csv, {dataset}, {network}, batch {batch}, {optimizer}
        range_k: [1, 1]
        range_batch: [{batch}, {batch}]
        power_limits:
          levels:
"""
LEVEL = ("            - {{power_limit_w: {limit}, time_ratio: {time:.6g}, power_ratio: {power:.6g}, energy_ratio: {energy:.6g}, "
         "configurations: 1}}\n")


def text_of(curve, key):
    dataset, network, batch, optimizer = key
    seconds, watts = curve[HIGHEST]
    name = "-".join([network.replace("_", "-"), dataset, batch, optimizer])
    text = MODEL.format(name=name, batch=batch, rate=SAMPLES[dataset] / seconds, power=watts, dataset=dataset, network=network,
                        optimizer=optimizer)
    for limit, (own_seconds, own_watts) in sorted(curve.items()):
        time, power = own_seconds / seconds, own_watts / watts
        text += LEVEL.format(limit=limit, time=time, power=power, energy=time * power)
    return text


def main():
    _, source, data, check = arguments(__doc__)
    curves = {}
    with (data / "profiles/zeus_nsdi23/summary_power_v100.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = tuple(row[name] for name in ("dataset", "network", "batch_size", "optimizer"))
            curves.setdefault(key, {})[int(row["power_limit"])] = float(row["time_per_epoch"]), float(row["average_power"])
    chosen = [key for key, curve in curves.items() if HIGHEST in curve and curve[HIGHEST][1] >= LEAST_SHARE * HIGHEST]
    chosen.sort(key=lambda key: (key[1], key[0], int(key[2]), key[3]))
    write_or_compare({source / "configs/models/zeus-v100.yaml": HEADER + "".join(text_of(curves[key], key) for key in chosen)}, check)


if __name__ == "__main__":
    main()
