"""Writes a workload CSV of N rigid jobs for a cluster of 256 processors: make_jobs.py N OUT.csv

Sizes are powers of two 1..64, run times lognormal, requests up to five times the run time, Poisson arrivals at a load
of 0.85. The generator is a fixed linear congruential one, so the file never changes.
"""
import math
import sys


class Random:
    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return ((self.state >> 11) + 0.5) / 2**53

    def normal(self):
        return math.sqrt(-2 * math.log(self.uniform())) * math.cos(2 * math.pi * self.uniform())


def main():
    count, path = int(sys.argv[1]), sys.argv[2]
    random, time_s, mean_gpus, mean_s = Random(7), 0.0, 127 / 7, math.exp(5 + 1.5**2 / 2)
    gap_s = mean_gpus * mean_s / 256 / 0.85
    with open(path, "w", encoding="ascii") as out:
        out.write("job_id,submit_s,user,model,work_samples,duration_s,requested_s,gpus,batch,gpu_type,deadline_s,class\n")
        for i in range(count):
            time_s += -math.log(random.uniform()) * gap_s
            gpus = 2 ** int(random.uniform() * 7)
            duration = round(math.exp(5 + 1.5 * random.normal()), 3)
            requested = round(duration * (1 + 4 * random.uniform()), 3)
            user = int(random.uniform() * 40)
            out.write(f"{i + 1},{time_s:.3f},u{user},,,{duration},{requested},{gpus},,,,\n")


main()
