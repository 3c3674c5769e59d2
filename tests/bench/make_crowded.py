"""Writes a scenario whose jobs all compute at once on one crowded link: make_crowded.py JOBS AT_ONCE FOLDER

crowded.yaml, models.yaml and jobs.csv: AT_ONCE GPUs and JOBS jobs of one GPU that read from a storage which gives them half
of what they could read together. All jobs come before the first one ends, so that AT_ONCE compute until few are left.
The numbers are those of a fixed linear congruential generator, so the files never change.
"""
import sys
from pathlib import Path

from draws import Random

FORMS = "a_s: 0.3, c_s: 0.02, gamma: 1, alpha_s: 0.5, p0_w: 100, pmax_w: 400, evidence: assumed, source: drawn"
SAMPLE_MB, SAMPLES_S = (4, 5, 6), 20  # of a sample of each model; samples of a GPU in a second


def main(jobs, at_once, folder):
    random = Random(1)
    read_mb_s = at_once * SAMPLES_S * sum(SAMPLE_MB) / len(SAMPLE_MB)
    models = "".join(f"  - {{name: m{mb}, efficiency: none, batches: [10], sync_bytes: 0, bytes_per_sample: {mb}MB,"
                     f" gpus: {{g: {{{FORMS}}}}}}}\n" for mb in SAMPLE_MB)
    (folder / "models.yaml").write_text("models:\n" + models)
    (folder / "crowded.yaml").write_text(
        "name: crowded\nhorizon: drain\nmodels: models.yaml\npolicy: {name: fcfs}\n"
        "workload: {kind: trace, file: jobs.csv}\n"
        f"storage: {{bandwidth: {read_mb_s / 2:.0f}MB/s}}\n"
        "cluster:\n  gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}]\n"
        f"  nodes: [{{count: {-(-at_once // 8)}, gpu: g, gpus: 8}}]\n")
    with (folder / "jobs.csv").open("w") as out:
        out.write("job_id,submit_s,model,gpus,work_samples,duration_s\n")
        for i in range(jobs):
            model = SAMPLE_MB[int(random.uniform() * len(SAMPLE_MB))]
            out.write(f"{i},{i * 3600 / jobs:.6f},m{model},1,{SAMPLES_S * 3600 * (2 + 8 * random.uniform()):.3f},\n")


main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
