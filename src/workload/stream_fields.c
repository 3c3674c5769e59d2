/* The keys of a stream in the workload section: names, types, ranges, defaults and help. */
#include "workload/stream.h"

#include "base/units.h"

#include <math.h>

static const char *const kind_names[] = {"poisson", "periodic", "diurnal",
                                         "trace",   "service",  NULL};
static const char *const law_names[] = {"constant", "exponential", "lognormal", NULL};
static const char *const request_names[] = {"free", "uniform", NULL};

static const struct field mix_fields[] = {
    {LOCATION(mix_entry, where)},
    {"model", TEXT(mix_entry, model), REQUIRED, HELP("name of a model")},
    {"weight", REAL(mix_entry, weight), DEFAULT(1), ABOVE(0, 1e9),
     HELP("chance of the model, relative to the other weights of the list")},
    FIELDS_END};

static const struct field size_fields[] = {
    {"law", CHOICE(size_spec, law, law_names), REQUIRED, HELP("law of the sizes")},
    {"mean", DURATION(size_spec, mean_s), REQUIRED, WORD("target"), ABOVE(0, TIME_MAX_S),
     HELP("time on one GPU of the first type that runs the model, at its best batch; target: "
          "samples_to_target; of rigid jobs the run time")},
    {"cv", REAL(size_spec, cv), DEFAULT(1), ABOVE(0, 1000),
     HELP("lognormal: standard deviation / mean")},
    FIELDS_END};

static const struct field request_fields[] = {
    {"k", CHOICE(request_spec, k, request_names),
     HELP("free: policies choose among k; uniform: each job has one, drawn with equal chance")},
    FIELDS_END};

static const struct field deadline_fields[] = {
    {"share", REAL(deadline_spec, share), REQUIRED, RANGE(0, 1),
     HELP("share of jobs with a deadline; 0: deadlines have no effect")},
    {"slack", REALS(deadline_spec, slack), REQUIRED, RANGE(0, 1e6),
     HELP("[least, most]: deadline = submit + T* x U(least, most)")},
    FIELDS_END};

static const struct field flex_fields[] = {
    {"share", REAL(flex_share, share), REQUIRED, ABOVE(0, 1),
     HELP("share of the jobs; all shares sum to 1")},
    {"flex", REAL(flex_share, flex), REQUIRED, BELOW(0, 1),
     HELP("largest share of its speed that such a job may lose to an enforced power cap")},
    FIELDS_END};

const struct field rigid_fields[] = {
    {"k", INTS(rigid_spec, k), REQUIRED, RANGE(1, CLUSTER_MAX_GPUS),
     HELP("GPUs of a job, drawn with equal chance")},
    FIELDS_END,
};

static const struct field work_fields[] = {
    {LOCATION(trace_work, where)},
    {"model", TEXT(trace_work, model), REQUIRED, HELP("name of a model")},
    {"samples", REAL(trace_work, samples), REQUIRED, ABOVE(0, 1e300), HELP("work of its jobs")},
    FIELDS_END};

static const struct field slice_fields[] = {
    {"from", DURATION(trace_changes, from_s), RANGE(0, TIME_MAX_S),
     HELP("drop jobs submitted earlier, counted from the first submit")},
    {"until", DURATION(trace_changes, until_s), DEFAULT(INFINITY), ABOVE(0, TIME_MAX_S),
     HELP("drop jobs submitted at this time or later")},
    {"lead", DURATION(trace_changes, lead_s), RANGE(0, TIME_MAX_S),
     HELP("also run the jobs of this time before from, as warm-up; t = 0 is its beginning")},
    {"first_row", INT(trace_changes, first_row), DEFAULT(1), RANGE(1, TRACE_CHANGE_MAX_ROW),
     HELP("first job to keep, in order of submit")},
    {"last_row", INT(trace_changes, last_row), DEFAULT(TRACE_CHANGE_MAX_ROW),
     RANGE(1, TRACE_CHANGE_MAX_ROW), HELP("last job to keep; after from, counted from there")},
    FIELDS_END};

const struct field assign_fields[] = {
    {"models", OBJECTS(assign_spec, models, mix_fields, mix_entry),
     HELP("models of jobs that have none, drawn by weight")},
    {"batches", REALS(assign_spec, batches), ABOVE(0, BATCH_MOST),
     HELP("batches per GPU for jobs that name none, drawn with equal chance")},
    {"malleable", REAL(assign_spec, malleable_share), RANGE(0, 1),
     HELP("share of jobs with a model that may run in any configuration, with equal work")},
    {"overwrite", BOOL(assign_spec, overwrite),
     HELP("replace models, batches, users, deadlines and flex of the log")},
    FIELDS_END};

const struct field perturb_fields[] = {
    {"bootstrap_days", INT(trace_perturb, bootstrap_days), RANGE(1, 36500),
     HELP("draw blocks of this many days, with replacement, up to the length of the log")},
    {"load_scale", REAL(trace_perturb, load_scale), DEFAULT(NAN), RANGE(1e-6, 1000),
     HELP("jobs for each job, drawn again in every replication")},
    {"time_compression", REAL(trace_perturb, compress), DEFAULT(NAN), RANGE(0.01, 1e6),
     HELP("divides the times of submit; below 1 stretches them")},
    FIELDS_END};

const char *const trace_own_formats[] = {"workload", NULL};
static const char *const estimate_words[] = {"requested", "run", NULL};
const struct field warmup_forms[] = {{"", .type = FIELD_DURATION, RANGE(0, TIME_MAX_S)},
                                     FIELDS_END};
static const struct field until_fields[] = {
    {"jobs", .type = FIELD_INT, REQUIRED, RANGE(1, ARRIVALS_MOST_JOBS), HELP("number of jobs")},
    FIELDS_END};
const struct field until_forms[] = {{"", .type = FIELD_DURATION, ABOVE(0, TIME_MAX_S)},
                                    {"", OBJECT_FORM(until_fields)},
                                    FIELDS_END};
const struct field user_forms[] = {{"", .type = FIELD_INT, RANGE(1, 1000000)},
                                   {"", LIST_OF({"", .type = FIELD_STRING})},
                                   FIELDS_END};
const struct field cost_fields[] = {
    {"start_s", DURATION(start_costs, start_s), RANGE(0, 1e6), HELP("set-up of the first start")},
    {"restart_s", DURATION(start_costs, restart_s), RANGE(0, 1e6), HELP("set-up of later starts")},
    {"checkpoint_s", DURATION(start_costs, checkpoint_s), RANGE(0, 1e6),
     HELP("time of a checkpoint on demand")},
    {"checkpoint_interval_s", DURATION(start_costs, checkpoint_interval_s), RANGE(0, 1e6),
     HELP("computing time between periodic checkpoints; 0: on demand")},
    FIELDS_END};

const struct field stream_fields[] = {
    {LOCATION(stream, where)},
    {"name", STRING(stream, name),
     HELP("prefix of job ids (NAME-7) if there are several streams (default: s1, s2, ...)")},
    {"kind", CHOICE(stream, kind, kind_names), REQUIRED,
     HELP("law of arrivals, or a log; a service has other keys")},
    {"rate_per_s", REAL(stream, rate_per_s), DEFAULT(NAN), ABOVE(0, 1e9), UNIT(RATE),
     HELP("poisson, diurnal: mean arrivals; this or load")},
    {"load", REAL(stream, load), DEFAULT(NAN), ABOVE(0, 1000),
     HELP("poisson, diurnal: offered work / capacity, every GPU at its best goodput alone (at "
          "the least k of the model)")},
    {"period", DURATION(stream, period_s), DEFAULT(NAN), ABOVE(0, TIME_MAX_S),
     HELP("periodic: time between jobs; diurnal: of the cycle (default 24h)")},
    {"start", DURATION(stream, start_s), RANGE(0, TIME_MAX_S),
     HELP("no arrival before this time; periodic: the first arrival; not for trace")},
    {"amplitude", REAL(stream, amplitude), DEFAULT(NAN), RANGE(0, 1),
     HELP("diurnal: rate x (1 + amplitude cos(2 pi (t - peak) / period)); default 0.5")},
    {"peak", DURATION(stream, peak_s), DEFAULT(NAN), RANGE(0, TIME_MAX_S),
     HELP("diurnal: time of the highest rate (default 14h)")},
    {"mix", OBJECTS(stream, mix, mix_fields, mix_entry),
     HELP("models, drawn by weight; not for trace (default: all models, equal weights)")},
    {"sizes", OBJECT(stream, sizes, size_fields), HELP("work of a job; required except for trace")},
    {"k", INTS(stream, k), RANGE(1, CLUSTER_MAX_GPUS),
     HELP("GPUs that a malleable job may take, at most 64 values (default 1, 2, 4, 8)")},
    {"b", REALS(stream, b), ABOVE(0, BATCH_MOST),
     HELP("batches per GPU that it may take, at most 64 values (default: the model's)")},
    {"h", TEXTS(stream, h), HELP("GPU types that it may take (default: all the model knows)")},
    {"request", OBJECT(stream, request, request_fields),
     HELP("whether a generated job is bound to one k")},
    {"rigid", KEYS(stream, rigid.node, rigid_fields),
     HELP("generate jobs without a model instead (default: none)")},
    {"utilization", REAL(stream, rigid.utilization), DEFAULT(1), RANGE(0, 1),
     HELP("rigid jobs: power = busy_w + utilization (tdp_w - busy_w)")},
    {"users", NODE(stream, users), .forms = user_forms,
     HELP("names, drawn with equal chance, or n for u1 .. un (default: the users section)")},
    {"deadlines", OBJECT(stream, deadlines, deadline_fields),
     HELP("deadlines of some of the jobs (default: none)")},
    {"flex", OBJECTS(stream, flex, flex_fields, flex_share),
     HELP("flexibility of jobs whose log has none (default: 0 of all jobs)")},
    {"preemptible", BOOL(stream, preemptible), DEFAULT(1),
     HELP("whether policies may preempt the jobs")},
    {"until", NODE(stream, until), .forms = until_forms,
     HELP("end of arrivals; generated jobs need it with horizon: drain (default: the horizon)")},
    {"format", STRING(stream, format), DEFAULT_TEXT("workload"), .choices = trace_own_formats,
     HELP("trace: format of the log")},
    {"file", PATH(stream, file), HELP("trace: the log, plain, gz or zst")},
    {"utilization_file", PATH(stream, utilization_path),
     HELP("trace: utilization of rigid jobs over their progress: job_id, from_s, utilization")},
    {"estimate", NODE(stream, estimate.node),
     ONE_OF({"", .type = FIELD_CHOICE, .choices = estimate_words, DEFAULT(NAN)},
            {"", OBJECT_FORM(estimate_fields)}),
     HELP("run time of rigid jobs as policies see it: requested_s, the run time, or run time x "
          "a draw from a law; no effect on jobs with a model")},
    {"models_of_trace", BOOL(stream, models_of_trace),
     HELP("trace, itp: take model, batch and deadline from the log if it has them")},
    {"time_zone", TEXT(stream, time_zone),
     HELP("trace: time zone of local times in the log (default: of the format)")},
    {"work", OBJECTS(stream, work, work_fields, trace_work),
     HELP("trace, pollux and sia: work of the jobs of an application")},
    {"slice", OBJECT(stream, changes, slice_fields),
     HELP("part of the log to keep; the first submit becomes 0 (default: all)")},
    {"kill_at_request", BOOL(stream, changes.kill_at_request),
     HELP("trace: run times end at requested_s")},
    {"load_scale", REAL(stream, changes.load_scale), DEFAULT(1), RANGE(1e-6, 1000),
     HELP("trace: jobs for each job, drawn from the seed and equal in all replications")},
    {"time_compression", REAL(stream, changes.compress), DEFAULT(1), RANGE(1, 1e6),
     HELP("trace: divides the times between submits")},
    {"perturb", KEYS(stream, perturb_node, perturb_fields),
     HELP("trace: another log in every replication, drawn from the seed (default: none)")},
    {"assign", KEYS(stream, assign.node, assign_fields),
     HELP("trace: models, batches and users of jobs, drawn from the seed (default: none)")},
    {"warmup", NODE(stream, warmup), .forms = warmup_forms,
     HELP("of the section: metrics leave out earlier submits; no effect if a lead ends later")},
    {"rigid_costs", KEYS(stream, rigid_costs, cost_fields),
     HELP("of the section: set-up and checkpoints of rigid jobs")},
    FIELDS_END};
