/* The jobs of one replication, ready to run: who, when, how much work, and which configurations. */
#ifndef EASIM_WORKLOAD_WORKLOAD_H
#define EASIM_WORKLOAD_WORKLOAD_H

#include "model/config_table.h"
#include "workload/trace.h"

struct job_spec {
    const char *id;
    const char *const *labels; /* by workload.label_names; NULL if none */
    int64_t submit_ns;
    int64_t deadline_ns;                         /* TIME_NONE_NS if none */
    const struct utilization_steps *utilization; /* of a rigid job where it changes, else NULL */
    double work;            /* reference samples; rigid: seconds at speed ratio 1 */
    double predicted_work;  /* what policies see of it: rigid jobs are known by their request */
    double reference_gpu_s; /* work in reference GPU-seconds (decision 0012) */
    double flex;            /* share of its speed that it may lose at any moment: 0 <= flex < 1 */
    uint32_t set;           /* of the config table */
    uint32_t model;         /* index, or EASIM_NONE where the kind has none */
    uint32_t user;
    uint8_t kind; /* enum job_kind */
    bool sla;
    bool preemptible;
};

struct workload_user {
    const char *name;
    double weight;
};

/* Zero-initialise; release with workload_finish. Jobs are in order of submission, by index. */
struct workload {
    ARRAY_OF(struct job_spec) jobs;
    struct jobs_to_come *to_come; /* makes the jobs one by one; NULL: all are made */
    ARRAY_OF(struct workload_user) users;
    struct intern user_names;
    ARRAY_OF(const char *) label_names;
    struct config_table table;
    const struct schema_list *services; /* struct service, of the source; NULL: none */
    struct start_costs rigid_costs;
    bool has_utilization; /* that changes, of some job */
    uint32_t gap;         /* 1 + the number of the job that was removed; 0: none */
    int64_t warmup_ns;    /* jobs submitted before it are run, but left out of the metrics */
    struct arena arena;
};

void workload_finish(struct workload *workload);

/* --- jobs_to_come: those that are made as they arrive (jobs.c) --- */

/* Before the first look at a job, whose predecessors have been made. */
__attribute__((noinline)) /* it calls all of the generators */
void jobs_to_come_make(const struct workload *workload, uint32_t job);
/* Nobody looks at these jobs any more: they may read as zero. */
void jobs_to_come_forget(const struct workload *workload, uint32_t from, uint32_t end);
/* Before workload_finish, of a workload of source_await; accepts NULL. */
void jobs_to_come_finish(struct jobs_to_come *to_come);

/* Whether both are the same work of the same users at the same times: two draws from one source. */
bool workload_same_jobs(const struct workload *workload, const struct workload *other);

/* Takes one job out, before a simulation: the others keep their numbers, and with them their random
   numbers. Once. */
void workload_remove_job(struct workload *workload, uint32_t job);
/* By which a job's streams are named: its index among all jobs that were drawn. */
uint32_t workload_job_number(const struct workload *workload, uint32_t job);

/* The number of a user, added with weight 1 if new. */
uint32_t workload_user(struct workload *workload, const char *name);
const struct start_costs *workload_costs(const struct workload *workload,
                                         const struct job_spec *job);
/* NULL of a rigid job. */
const char *workload_model_name(const struct workload *workload, const struct job_spec *job);
/* Reference GPU-seconds of a job's work: samples / goodput of its model's work unit; rigid: seconds
 * times gpus, the GPUs asked for. */
double workload_reference_gpu_s(const struct workload *workload, const struct job_spec *job,
                                double gpus);

/* --- speed_noise: how far the true speed of a job is from the predicted one (semantics 11) --- */

/* Whose noise it is. */
struct noise_draw {
    double speed_sigma;
    uint64_t seed;
    uint32_t replication; /* from 0 */
};

/* True speed / predicted speed of the job of that index, over its life: exp(sigma z - sigma^2/2),
   mean 1, from the stream noise/INDEX; rigid jobs: 1. */
double speed_noise(const struct noise_draw *draw, uint32_t job, enum job_kind kind);

#endif
