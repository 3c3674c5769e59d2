/* The reader of each kind of measurements; docs/reference/profiles.md defines their figures. */
#ifndef EASIM_INGEST_PROFILE_FORMATS_H
#define EASIM_INGEST_PROFILE_FORMATS_H

#include "ingest/profile.h"

/* "kineto": PyTorch-profiler traces (JSON), plain, gz or zst; a file per rank, in any order. */
extern const struct profile_reader kineto_reader;
/* "nvidia-smi": --query-gpu as CSV (with or without units and header, also with columns that a
   script put before), or dmon; which of them, the file shows. */
extern const struct profile_reader nvidia_smi_reader;
/* "dcgm": dcgmi dmon. No times: rows are --interval apart. */
extern const struct profile_reader dcgm_reader;
/* "dcgm-exporter": Prometheus text, any scrapes a file; without times, --interval apart. */
extern const struct profile_reader dcgm_exporter_reader;
/* "prometheus": what the HTTP API answers to a query of such series. */
extern const struct profile_reader prometheus_reader;
/* "dynolog": lines of its log (glog) or bare JSON lines; without times, a device's records are
   --interval apart. */
extern const struct profile_reader dynolog_reader;
/* "ea2p": a row a measurement; the unit is of --energy-unit or config_energy.json in its folder. */
extern const struct profile_reader ea2p_reader;
/* "zeus": measurement windows (window_name, elapsed_time, gpu0_energy, ...), each a row; or
   summaries of a sweep (network, batch_size, power_limit, time_per_epoch, average_power). The
   header shows which. */
extern const struct profile_reader zeus_reader;
/* "codecarbon": emissions.csv of any version; of a run the last row. */
extern const struct profile_reader codecarbon_reader;
/* "mlenergy": image and video generation (batch_size) as rows of batch jobs, b = batch_size / GPUs,
   of several layouts the fastest; LLM serving (max_num_seqs) as points of serving tables. The
   header shows which. GPU types in small letters. */
extern const struct profile_reader mlenergy_reader;
/* "mlperf": results of MLPerf Training, folders of them with power readings, tables of results. */
extern const struct profile_reader mlperf_reader;
/* "sia": step times that its simulator replays, APPLICATION-placements-TYPE.csv and
   APPLICATION-scalability-TYPE.csv, each row a local batch on GPUs of some nodes. */
extern const struct profile_reader sia_steps_reader;
/* "lambda": pytorch-train-throughput-PRECISION.csv of Lambda's benchmark, with the batches in
   pytorch-train-bs-PRECISION.csv of the same folder. */
extern const struct profile_reader lambda_reader;
/* "elasticflow": throughputs that its simulator replays, MODEL.csv: global_batch_size and
   iterations/s on 1, 2, 4, ... GPUs. */
extern const struct profile_reader elasticflow_reader;
/* "points": LLM serving at a number of requests at once, with the time to the first token and that
   of each further one, without power. It is a table of model_id, gpu, prompt_tokens, output_tokens,
   concurrency, ttft_ms, tpot_ms and of the set-up. GPU types in small letters. */
extern const struct profile_reader points_reader;

#endif
