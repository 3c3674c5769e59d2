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
    {"model", TEXT(mix_entry, model), REQUIRED},
    {"weight", REAL(mix_entry, weight), DEFAULT(1), ABOVE(0, 1e9)},
    FIELDS_END};

static const struct field size_fields[] = {
    {"law", CHOICE(size_spec, law, law_names), REQUIRED},
    {"mean", DURATION(size_spec, mean_s), REQUIRED, WORD("target"), ABOVE(0, TIME_MAX_S),
     HELP("GPU time on one reference GPU, or target: the model's samples_to_target; of rigid jobs "
          "the run time")},
    {"cv", REAL(size_spec, cv), DEFAULT(1), ABOVE(0, 1000),
     HELP("coefficient of variation (lognormal)")},
    FIELDS_END};

static const struct field request_fields[] = {
    {"k", CHOICE(request_spec, k, request_names),
     HELP("GPUs: any that are allowed, or each job one of them, drawn with equal chance")},
    FIELDS_END};

static const struct field deadline_fields[] = {
    {"share", REAL(deadline_spec, share), REQUIRED, RANGE(0, 1),
     HELP("of jobs that get a deadline")},
    {"slack", REALS(deadline_spec, slack), REQUIRED, RANGE(0, 1e6),
     HELP("[least, most]: deadline = submit + T* x U(least, most)")},
    FIELDS_END};

const struct field rigid_fields[] = {
    {"k", INTS(rigid_spec, k), REQUIRED, RANGE(1, CLUSTER_MAX_GPUS),
     HELP("GPUs of a job, drawn with equal chance")},
    FIELDS_END,
};

static const struct field work_fields[] = {
    {LOCATION(trace_work, where)},
    {"model", TEXT(trace_work, model), REQUIRED},
    {"samples", REAL(trace_work, samples), REQUIRED, ABOVE(0, 1e300)},
    FIELDS_END};

static const struct field slice_fields[] = {
    {"from", DURATION(trace_changes, from_s), RANGE(0, TIME_MAX_S),
     HELP("drop jobs submitted earlier, counted from the first")},
    {"until", DURATION(trace_changes, until_s), DEFAULT(INFINITY), ABOVE(0, TIME_MAX_S),
     HELP("drop jobs submitted then or later")},
    {"lead", DURATION(trace_changes, lead_s), RANGE(0, TIME_MAX_S),
     HELP("jobs of so long before `from` run too, as warm-up; t = 0 is where it begins")},
    {"first_row", INT(trace_changes, first_row), DEFAULT(1), RANGE(1, TRACE_CHANGE_MAX_ROW),
     HELP("of those that are left, in order of submit")},
    {"last_row", INT(trace_changes, last_row), DEFAULT(TRACE_CHANGE_MAX_ROW),
     RANGE(1, TRACE_CHANGE_MAX_ROW)},
    FIELDS_END};

const struct field assign_fields[] = {
    {"models", OBJECTS(assign_spec, models, mix_fields, mix_entry),
     HELP("model mix for jobs that name none")},
    {"batches", REALS(assign_spec, batches), ABOVE(0, BATCH_MOST),
     HELP("batches per GPU for jobs that name none, drawn with equal chance")},
    {"malleable", REAL(assign_spec, malleable_share), RANGE(0, 1),
     HELP("share of modelled jobs that may run in any configuration, with equal work")},
    {"overwrite", BOOL(assign_spec, overwrite),
     HELP("replace models, batches, users and deadlines that the log has")},
    FIELDS_END};

const struct field perturb_fields[] = {
    {"bootstrap_days", INT(trace_perturb, bootstrap_days), RANGE(1, 36500),
     HELP("blocks of so many days, drawn with replacement until there are as many days as in the "
          "log")},
    {"load_scale", REAL(trace_perturb, load_scale), DEFAULT(NAN), RANGE(1e-6, 1000),
     HELP("jobs for each job, drawn anew in every replication")},
    {"time_compression", REAL(trace_perturb, compress), DEFAULT(NAN), RANGE(0.01, 1e6),
     HELP("divides the times of submit; below 1 stretches them")},
    FIELDS_END};

const char *const trace_own_formats[] = {"workload", NULL};
static const char *const estimate_words[] = {"requested", "run", NULL};
const struct field warmup_forms[] = {{"", .type = FIELD_DURATION, RANGE(0, TIME_MAX_S)},
                                     FIELDS_END};
static const struct field until_fields[] = {
    {"jobs", .type = FIELD_INT, REQUIRED, RANGE(1, ARRIVALS_MOST_JOBS)}, FIELDS_END};
const struct field until_forms[] = {{"", .type = FIELD_DURATION, ABOVE(0, TIME_MAX_S)},
                                    {"", OBJECT_FORM(until_fields)},
                                    FIELDS_END};
const struct field user_forms[] = {{"", .type = FIELD_INT, RANGE(1, 1000000)},
                                   {"", LIST_OF({"", .type = FIELD_STRING})},
                                   FIELDS_END};
const struct field cost_fields[] = {
    {"start_s", DURATION(start_costs, start_s), RANGE(0, 1e6)},
    {"restart_s", DURATION(start_costs, restart_s), RANGE(0, 1e6)},
    {"checkpoint_s", DURATION(start_costs, checkpoint_s), RANGE(0, 1e6)},
    {"checkpoint_interval_s", DURATION(start_costs, checkpoint_interval_s), RANGE(0, 1e6)},
    FIELDS_END};

const struct field stream_fields[] = {
    {LOCATION(stream, where)},
    {"name", STRING(stream, name), HELP("prefix of job ids if there are several streams")},
    {"kind", CHOICE(stream, kind, kind_names), REQUIRED},
    {"rate_per_s", REAL(stream, rate_per_s), DEFAULT(NAN), ABOVE(0, 1e9), UNIT(RATE),
     HELP("mean arrivals")},
    {"load", REAL(stream, load), DEFAULT(NAN), ABOVE(0, 1000),
     HELP("instead of rate_per_s: offered work / capacity, every GPU at its best goodput alone (at "
          "the least k of the model)")},
    {"period", DURATION(stream, period_s), DEFAULT(NAN), ABOVE(0, TIME_MAX_S),
     HELP("periodic: between jobs; diurnal: of the cycle (default 24h)")},
    {"start", DURATION(stream, start_s), RANGE(0, TIME_MAX_S), HELP("no arrival before")},
    {"amplitude", REAL(stream, amplitude), DEFAULT(NAN), RANGE(0, 1),
     HELP("diurnal: rate * (1 + amplitude * cos(2 pi (t - peak) / period)); default 0.5")},
    {"peak", DURATION(stream, peak_s), DEFAULT(NAN), RANGE(0, TIME_MAX_S),
     HELP("diurnal: time of the highest rate (default 14h)")},
    {"mix", OBJECTS(stream, mix, mix_fields, mix_entry),
     HELP("models and weights (default: all models, equal weights)")},
    {"sizes", OBJECT(stream, sizes, size_fields)},
    {"k", INTS(stream, k), RANGE(1, CLUSTER_MAX_GPUS), HELP("allowed GPUs (default 1, 2, 4, 8)")},
    {"b", REALS(stream, b), ABOVE(0, BATCH_MOST),
     HELP("allowed batches per GPU (default: the model's)")},
    {"h", TEXTS(stream, h), HELP("allowed GPU types (default: all the model knows)")},
    {"request", OBJECT(stream, request, request_fields)},
    {"rigid", KEYS(stream, rigid.node, rigid_fields), HELP("jobs without a model: {k: [1, 2]}")},
    {"utilization", REAL(stream, rigid.utilization), DEFAULT(1), RANGE(0, 1),
     HELP("of rigid jobs: power = busy_w + utilization * (tdp_w - busy_w)")},
    {"users", NODE(stream, users), .forms = user_forms,
     HELP("a number, or a list of names (default: the users section)")},
    {"deadlines", OBJECT(stream, deadlines, deadline_fields)},
    {"preemptible", BOOL(stream, preemptible), DEFAULT(1)},
    {"until", NODE(stream, until), .forms = until_forms,
     HELP("a duration, or {jobs: N} (default: the horizon)")},
    {"format", STRING(stream, format), DEFAULT_TEXT("workload"), .choices = trace_own_formats,
     HELP("of a trace")},
    {"file", PATH(stream, file), HELP("of a trace")},
    {"utilization_file", PATH(stream, utilization_path),
     HELP("of rigid jobs of a trace, over their progress: job_id, from_s, utilization")},
    {"estimate", NODE(stream, estimate.node),
     ONE_OF({"", .type = FIELD_CHOICE, .choices = estimate_words, DEFAULT(NAN)},
            {"", OBJECT_FORM(estimate_fields)}),
     HELP("what policies take as run time of rigid jobs: requested, run, or {factor: LAW}")},
    {"models_of_trace", BOOL(stream, models_of_trace), HELP("take model and batch from the log")},
    {"time_zone", TEXT(stream, time_zone), HELP("of local times in the log")},
    {"work", OBJECTS(stream, work, work_fields, trace_work),
     HELP("samples of the jobs of a model, for logs that do not state them (pollux, sia)")},
    {"slice", OBJECT(stream, changes, slice_fields),
     HELP("of a trace: the part to keep; the first submit of it becomes 0")},
    {"kill_at_request", BOOL(stream, changes.kill_at_request),
     HELP("run times of a trace end at requested_s")},
    {"load_scale", REAL(stream, changes.load_scale), DEFAULT(1), RANGE(1e-6, 1000),
     HELP("jobs for each job of a trace, drawn from the seed, the same in all replications")},
    {"time_compression", REAL(stream, changes.compress), DEFAULT(1), RANGE(1, 1e6),
     HELP("divides the times between submits of a trace")},
    {"perturb", KEYS(stream, perturb_node, perturb_fields),
     HELP("of a trace: another log in every replication, drawn from the seed")},
    {"assign", KEYS(stream, assign.node, assign_fields),
     HELP("seeded assignment of models to a trace")},
    {"warmup", NODE(stream, warmup), .forms = warmup_forms,
     HELP("of the section: jobs submitted before it do not count")},
    {"rigid_costs", KEYS(stream, rigid_costs, cost_fields),
     HELP("of the section: start_s, restart_s, checkpoint_s, checkpoint_interval_s of rigid jobs")},
    FIELDS_END};
