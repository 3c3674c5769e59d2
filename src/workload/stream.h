/* A source of jobs: an arrival process with model mix and size law, or a recorded log with seeded
   assignments. */
#ifndef EASIM_WORKLOAD_STREAM_H
#define EASIM_WORKLOAD_STREAM_H

#include "base/rng.h"
#include "config/uncertainty.h"
#include "workload/trace_change.h"
#include "workload/utilization_file.h"
#include "workload/workload.h"

#include <math.h>

enum stream_kind { STREAM_POISSON, STREAM_PERIODIC, STREAM_DIURNAL, STREAM_TRACE };
enum size_law { SIZE_CONSTANT, SIZE_EXPONENTIAL, SIZE_LOGNORMAL };

struct mix_entry {
    struct location where;
    const char *model;
    double weight;
    uint32_t model_index;
};

struct size_spec {
    int32_t law;   /* enum size_law */
    double mean_s; /* reference GPU time of a job; rigid: duration; INFINITY: the model's target */
    double cv;     /* lognormal: standard deviation / mean */
};

/* Whether the mean work is the samples_to_target of the job's model. */
static inline bool sizes_are_targets(const struct size_spec *sizes) {
    return sizes->mean_s == INFINITY;
}

enum request_choice { REQUEST_FREE, REQUEST_UNIFORM };

/* What a job asks for out of what its stream allows, and then cannot change. */
struct request_spec {
    int32_t k; /* enum request_choice */
};

struct estimate_spec {
    const struct yaml_node *node; /* NULL: requested */
    enum estimate_kind kind;
    struct value_law factor; /* of the run time */
};

/* What is known of the estimates of a stream before any is drawn. */
struct estimate_facts {
    bool rigid, modelled; /* it has jobs without a model, which have estimates; and with one */
    bool requested;       /* some rigid job has asked for another time than it ran */
    bool differ;          /* policies may take another time than the run time of a job */
};

struct deadline_spec {
    double share;             /* of jobs that get one */
    struct schema_list slack; /* double [least, most]: deadline = submit + T* x U(least, most) */
};

/* A share of the jobs, and the share of its speed that each may lose. */
struct flex_share {
    double share, flex;
};

/* Jobs known only by GPUs and run time. */
struct rigid_spec {
    const struct yaml_node *node; /* NULL: modelled jobs */
    struct schema_list k;         /* int64_t; drawn with equal chance */
    double utilization;
};

/* What a recorded job gets in addition, drawn from the run's seed. */
struct assign_spec {
    const struct yaml_node *node; /* NULL: nothing */
    struct schema_list models;    /* struct mix_entry; empty: rows keep what they have */
    struct schema_list batches;   /* double, of each GPU; drawn with equal chance; empty: rows keep
                                     what they have */
    double malleable_share;       /* of modelled jobs that may change k, b, h */
    bool overwrite; /* also where the row has a model, user, deadline or flex already */
};

struct stream {
    struct location where;
    const char *path; /* "workload.streams[2]", or "workload" */
    const char *name;
    int32_t kind; /* enum stream_kind */
    double rate_per_s, load;
    double period_s, start_s, amplitude, peak_s;
    struct schema_list mix; /* struct mix_entry */
    struct size_spec sizes;
    struct schema_list k; /* int64_t: limits */
    struct schema_list b; /* double: likewise */
    struct schema_list h; /* const char *: GPU types */
    struct request_spec request;
    struct rigid_spec rigid;
    const struct yaml_node *users; /* a number, or a list of names */
    struct schema_list user_names; /* const char *, from `users` or the scenario */
    struct deadline_spec deadlines;
    struct schema_list flex; /* struct flex_share */
    bool preemptible;
    const struct yaml_node *until;                /* a duration, or {jobs: N} */
    int64_t until_ns;                             /* TIME_NONE_NS: not limited by time */
    int64_t until_jobs;                           /* INT64_MAX: not limited by number */
    uint64_t type_mask;                           /* from h; 0: no limit */
    const struct yaml_node *warmup, *rigid_costs; /* of the whole section */
    /* trace streams */
    const char *format, *file, *utilization_path;
    struct estimate_spec estimate;
    bool models_of_trace;
    const char *time_zone;
    struct schema_list work; /* struct trace_work */
    struct trace_changes changes;
    int64_t lead_ns;                      /* of its slice, in the time of the run; 0: none */
    const struct yaml_node *perturb_node; /* NULL: as it is in all replications */
    struct trace_perturb perturb;
    struct assign_spec assign;
    struct trace trace;
    struct utilization_file utilization;
};

/* Random streams of one source in one replication; none depends on another's draws. */
struct stream_rngs {
    gsl_rng *arrivals, *models, *sizes, *users, *deadlines, *requests, *perturb, *estimate, *flex;
};

extern const struct field stream_fields[], rigid_fields[], assign_fields[], perturb_fields[];
/* The format that is no reader's. */
extern const char *const trace_own_formats[];
/* What may stand at keys of the section: warmup; until: a duration or {jobs: N}; users: a number,
   or names; rigid_costs; estimate: a word or {factor: LAW}. */
extern const struct field warmup_forms[], until_forms[], user_forms[], cost_fields[],
    estimate_fields[];

/* The generators of source number `stream` in a replication; release with stream_close_rngs. */
struct stream_rngs stream_open_rngs(uint64_t seed, uint32_t replication, size_t stream);
void stream_close_rngs(struct stream_rngs *rngs);

/* Binds the keys users, deadlines and assign alone, models being names. Negative after adding
 * problems. */
int stream_bind_assignment(struct stream *stream, const struct yaml_node *node,
                           const struct binding *binding) MUST_CHECK;

/* Reads the node of an estimate. What is wrong with it is added to the problems. */
void stream_bind_estimate(struct estimate_spec *estimate, const char *path,
                          const struct binding *binding);
struct estimate_facts stream_estimate_facts(const struct stream *stream);
/* As YAML: requested, run, {factor: 2}. */
void stream_write_estimate(const struct estimate_spec *estimate, struct str *out);

/* Draws shared by generated and recorded jobs. */
const struct mix_entry *stream_draw_model(const struct schema_list *mix, gsl_rng *rng);
const char *stream_draw_user(const struct stream *stream, gsl_rng *rng);
double stream_draw_batch(const struct schema_list *batches,
                         gsl_rng *rng); /* 0, without a draw, if empty */
/* Absolute deadline, or TIME_NONE_NS; always draws twice. time_best_s is T*. */
int64_t stream_draw_deadline(const struct deadline_spec *spec, int64_t submit_ns,
                             double time_best_s, gsl_rng *rng);
/* The limits of the stream for a job of `model` (EASIM_NONE: rigid). */
struct config_request stream_request(const struct stream *stream, uint32_t model);
/* Fills in deadline, class, estimate and a flex that is NAN of a job whose work, request and set
 * are known. */
void stream_finish_job(const struct stream *stream, const struct workload *workload,
                       struct job_spec *job, const struct stream_rngs *rngs);

/* The GPU types of the cluster in "A|B" as a mask; 0 if there is none. *unknown is set to the first
   name that the cluster does not know. */
uint64_t stream_type_mask(const struct cluster *cluster, const char *names, struct slice *unknown);

/* --- arrivals: when generated jobs arrive: by a Poisson, periodic or diurnal process --- */

/* Of one replication: they are numbered with 32 bits, and memory ends sooner. */
#define ARRIVALS_MOST_JOBS 1e9

/* Jobs per second, from rate_per_s or load (decision 0012). Not of a periodic stream. */
double arrivals_rate_per_s(const struct stream *stream, const struct workload *workload);
/* Seconds since t = 0 of the next arrival after time_s; a periodic stream counts its jobs, number
   from 0, and draws nothing. */
double arrivals_next_s(const struct stream *stream, double rate_per_s, double time_s,
                       uint64_t number, gsl_rng *rng);
/* How many jobs of a stream are expected; trial has the table of the cluster. Loads that nothing
   offers, and too many jobs, are problems. */
double arrivals_expect_jobs(const struct stream *stream, const struct workload *trial,
                            const struct binding *binding);

#endif
