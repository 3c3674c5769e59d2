/* Replications in processes; results go out in order. */
#include "study/replicate.h"

#include "base/units.h"
#include "engine/loop.h"
#include "study/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- trend --- */

/* Of a finished run. NAN: drained (the queue ends empty), or nothing submitted. */
static struct trend trend_of(const struct metrics *metrics, const struct sim *sim) {
    const struct summary *s = &metrics->summary;
    double submitted_gpu_s = metrics->submitted_gpu_s;
    return (struct trend){
        .queue_per_h = queue_slope_per_h(&metrics->queue, sim),
        .work_unfinished =
            submitted_gpu_s > 0 ? s->work_unfinished_gpu_h * S_PER_H / submitted_gpu_s : NAN,
        .jobs_unfinished = s->jobs_submitted > 0 ? s->jobs_unfinished / s->jobs_submitted : NAN,
        .queued = metrics->extent.jobs_ns > 0
                      ? (double)metrics->extent.waiting_ns / (double)metrics->extent.jobs_ns
                      : NAN,
        .queue_most = metrics->extent.most,
        .queue_most_s = units_s(metrics->extent.most_since_ns),
        .idle_share = summary_ratio(s->energy_idle_kwh, s->energy_kwh),
        .base_share = summary_ratio(s->energy_base_kwh, s->energy_kwh),
        .lost_share = summary_ratio(s->energy_lost_kwh, s->energy_kwh),
        .free_gpu_h = s->sim_s / S_PER_H * sim->cluster->gpus * (1 - s->util_alloc),
        .lost_gpu_h = s->lost_gpu_h};
}

/* --- replicate --- */

/* What comes back as bytes. */
struct outcome {
    struct summary summary;
    struct trend trend;
    struct bound bound;
    uint64_t decide_ns, starts, jobs;
    struct error error;
};

struct slot {
    struct outcome outcome;
    struct tally refused, rejected, outside, counted;
    struct str rendered;
};

struct pool {
    const struct study *study;
    const struct replicate_options *options;
    const struct replicate_sink *sink; /* NULL: nothing is to be run (replicate_try) */
    struct slot **slots;               /* finished, but not in turn yet */
    struct str *early;                 /* pieces of those not in turn yet: see keep_piece */
    bool taken;                        /* the sink has pieces of the one in turn */
    struct error take_error;           /* by them */
    uint32_t first, count;             /* to be run: first..count - 1 */
    uint32_t emitted;
    struct replicate_result *result;
    struct error error;
};

/* Starts outside of the measured range, by model and GPU type. */
static void keep_outside(const struct sim *sim, struct slot *slot) {
    const struct model_set *models = sim->workload->table.models;
    struct str name = {0};
    for (uint32_t m = 0; m < models->count; m++)
        for (uint32_t h = 0; h < sim->cluster->gpu_type_count; h++) {
            name.length = 0;
            str_addf(&name, "%s on %s", models->models[m].name, sim->cluster->gpu_types[h].name);
            tally_add(&slot->outside, name.text,
                      sim->extrapolated_by[m * sim->cluster->gpu_type_count + h]);
        }
    str_finish(&name);
}

static void keep_counts(const struct sim *sim, struct slot *slot) {
    for (int i = 0; i < REFUSAL_COUNT; i++)
        tally_add(&slot->refused, refusal_names[i], sim->refused[i]);
    for (uint32_t j = 0; sim->rejected > 0 && j < sim->next_arrival; j++)
        if (sim->reject_reasons[j])
            tally_add(&slot->rejected, sim->reject_reasons[j], 1);
    slot->outcome.decide_ns = sim->decide_ns;
    slot->outcome.starts = sim->start_total;
    slot->outcome.jobs = sim->next_arrival;
    tally_add_all(&slot->counted, &sim->counted);
    keep_outside(sim, slot);
}

static int close_segments(const struct replicate_options *options, struct job_segments *segments,
                          const struct sim *sim, struct error *reterr) {
    if (options->check || options->record)
        job_segments_close(segments, sim);
    return options->check ? job_segments_check(segments, sim, reterr) : 0;
}

static bool has_failed(const struct pool *pool) {
    return pool->error.code < 0 && pool->error.code != ERROR_CANCELLED;
}

/* A piece of the replication in turn. */
static void take_piece(void *context, unsigned part, struct slice piece) {
    struct pool *pool = context;
    if (has_failed(pool) || pool->take_error.code < 0)
        return;
    pool->taken = true;
    (void)pool->sink->take(pool->sink->context, part, piece, &pool->take_error);
}

static void put_piece(void *context, unsigned part, struct slice piece) {
    shared_ring_put(context, part, piece);
}

/* Nobody asks for jobs that are over, or names one that is to come (as a refused action may). */
static bool takes_sums_alone(const struct pool *pool) {
    const struct replicate_options *options = pool->options;
    return pool->sink && pool->sink->takes_sums && !options->check && !options->record &&
           !options->bound_work && !options->strict;
}

static void set_options(const struct pool *pool, uint32_t index, struct sim_options *set) {
    const struct replicate_options *options = pool->options;
    set->replication = index;
    set->check = options->check;
    set->strict = options->strict;
    set->time_decisions = options->time_decisions;
    set->past_is_dropped = takes_sums_alone(pool);
    set->cancel = options->cancel;
    set->progress = options->events;
}

static int simulate_replication(struct pool *pool, uint32_t index, const struct workload *workload,
                                struct slot *slot) {
    struct metrics metrics;
    metrics_init(&metrics, pool->options->record_decisions);
    struct crash_context *crash = pool->options->crash;
    const struct observer watch = crash ? crash_context_observer(crash) : (struct observer){0};
    const struct replicate_sink *sink = pool->sink;
    struct job_segments segments;
    struct gpu_tracker tracker = {0};
    job_segments_init(&segments, pool->options->record ? &tracker : NULL);
    struct power_means means = {0};
    const struct outlet outlet = crash && crash->ring ? (struct outlet){put_piece, crash->ring}
                                                      : (struct outlet){take_piece, pool};
    const struct observer *observers[6 + REPLICATE_WATCHERS] = {&metrics.observer};
    size_t count = 1;
    struct decision_log log = {0};
    if (pool->options->check && sink && (pool->study->module.policy->list || index == 0))
        observers[count++] = decision_log_init(&log, crash);
    if (pool->options->check || pool->options->record)
        observers[count++] = &segments.observer;
    if (pool->options->meter_step_ns > 0) {
        power_means_init(&means, pool->options->meter_step_ns);
        observers[count++] = &means.observer;
    }
    if (crash)
        observers[count++] = &watch;
    if (sink && sink->watch)
        count += sink->watch(sink->context, index + 1, &outlet, observers + count);
    struct sim sim = study_sim(pool->study, workload);
    set_options(pool, index, &sim.options);
    sim.observers = observers;
    if (crash) {
        crash->replication = index + 1;
        sim.options.calling = &crash->fault.calling;
        sim.options.original = crash->original;
    }
    int r = loop_init(&sim, &slot->outcome.error);
    if (r == 0 && sink)
        r = loop_run(&sim, &slot->outcome.error);
    crash_context_end_policy(crash);
    if (r == 0 && sink)
        r = close_segments(pool->options, &segments, &sim, &slot->outcome.error);
    if (r == 0 && sink && means.step_ns > 0)
        r = power_means_close(&means, &slot->outcome.error);
    if (r == 0 && sink) {
        metrics_sum_up(&metrics, &sim);
        slot->outcome.trend = trend_of(&metrics, &sim);
        keep_counts(&sim, slot);
        if (pool->options->bound_work)
            slot->outcome.bound = work_bound_find(pool->study, pool->options->bound_work, &sim);
        if (sink->render)
            sink->render(sink->context,
                         &(struct replication){.number = index + 1,
                                               .policy = pool->study->policy,
                                               .sim = &sim,
                                               .metrics = &metrics,
                                               .segments = pool->options->record ? &segments : NULL,
                                               .means = means.step_ns > 0 ? &means : NULL},
                         &slot->rendered);
        slot->outcome.summary = metrics.summary;
        metrics.summary.services = NULL;
    }
    r = decision_log_close(&log, r, pool->study, &sim, &slot->counted, &slot->outcome.error);
    loop_finish(&sim);
    crash_context_end_policy(crash);
    if (r == 0 && sim.error.code < 0) { /* by what the policy does at the end */
        slot->outcome.error = sim.error;
        r = sim.error.code;
    }
    metrics_finish(&metrics);
    power_means_finish(&means);
    job_segments_finish(&segments);
    gpu_tracker_finish(&tracker);
    return r;
}

static int run_one(struct pool *pool, uint32_t index, struct slot *slot) {
    struct workload workload = {0};
    struct problems problems = {0};
    struct crash_context *crash = pool->options->crash;
    if (crash)
        crash->generating = index + 1;
    int r = (takes_sums_alone(pool) ? study_await : study_generate)(pool->study, index, &workload,
                                                                    &problems);
    if (crash)
        crash->generating = 0;
    if (r < 0)
        error_set(&slot->outcome.error, ERROR_INPUT, "%s",
                  problems.count ? problems.texts[0] : "no workload");
    else
        r = simulate_replication(pool, index, &workload, slot);
    jobs_to_come_finish(workload.to_come);
    workload_finish(&workload);
    problems_finish(&problems);
    return r;
}

static void slot_finish(struct slot *slot) {
    free(slot->outcome.summary.services);
    str_finish(&slot->rendered);
    tally_finish(&slot->refused);
    tally_finish(&slot->rejected);
    tally_finish(&slot->outside);
    tally_finish(&slot->counted);
}

/* How a piece that came early is kept, in front of its bytes. */
struct piece_head {
    unsigned part;
    size_t length;
};

static void take_early(struct pool *pool) {
    struct str *early = &pool->early[pool->emitted];
    struct piece_head head;
    for (size_t at = 0; at < early->length; at += head.length) {
        memcpy(&head, early->text + at, sizeof head);
        at += sizeof head;
        take_piece(pool, head.part, (struct slice){early->text + at, head.length});
    }
    str_finish(early);
}

static void keep_piece(void *context, size_t task, unsigned part, struct slice piece) {
    struct pool *pool = context;
    uint32_t index = pool->first + (uint32_t)task;
    const struct piece_head head = {part, piece.length};
    if (index == pool->emitted) {
        take_early(pool);
        take_piece(pool, part, piece);
    } else if (!has_failed(pool)) {
        str_add_bytes(&pool->early[index], (const char *)&head, sizeof head);
        str_add_bytes(&pool->early[index], piece.at, piece.length);
    }
}

/* What has come of a replication that failed, or begins once more. */
static void drop_pieces(struct pool *pool, uint32_t index) {
    struct error error = {0};
    str_finish(&pool->early[index]);
    if (index != pool->emitted || !pool->taken)
        return;
    pool->taken = false;
    pool->take_error = (struct error){0};
    if (pool->sink->drop(pool->sink->context, &error) < 0 && !has_failed(pool))
        pool->error = error;
}

static void begin_apart(void *context, size_t task) {
    struct pool *pool = context;
    drop_pieces(pool, pool->first + (uint32_t)task);
}

/* Hands one finished replication over, or notes its error. None after one that has failed: which of
   them are there depends on the number of processes. */
static void emit_slot(struct pool *pool, uint32_t number, struct slot *slot,
                      struct slice rendered) {
    struct replicate_result *result = pool->result;
    struct error error = slot->outcome.error;
    bool failed = has_failed(pool);
    if (error.code == 0 && !failed) {
        take_early(pool);
        error = pool->take_error;
    }
    if (error.code == 0 && !failed &&
        pool->sink->emit(pool->sink->context, number, &slot->outcome.summary, rendered, &error) ==
            0) {
        result->trends[result->count] = slot->outcome.trend;
        if (pool->options->bound_work)
            result->bounds[result->count] = slot->outcome.bound;
        result->summaries[result->count++] = slot->outcome.summary;
        if (slot->outcome.summary.services)
            array_push(&result->services, slot->outcome.summary.services);
        slot->outcome.summary.services = NULL;
        result->starts += slot->outcome.starts;
        result->jobs += slot->outcome.jobs;
        result->decide_ns += slot->outcome.decide_ns;
        tally_add_all(&result->refused, &slot->refused);
        tally_add_all(&result->rejected, &slot->rejected);
        tally_add_all(&result->outside, &slot->outside);
        tally_add_all(&result->counted, &slot->counted);
        pool->taken = false;
    }
    drop_pieces(pool, pool->emitted);
    if (error.code < 0 && !failed)
        pool->error = error;
}

/* Emits what has waited for its turn. At the end (`all`) unfinished numbers are passed over. */
static void emit_ready(struct pool *pool, bool all) {
    for (; pool->emitted < pool->count && (pool->slots[pool->emitted] || all); pool->emitted++) {
        struct slot *slot = pool->slots[pool->emitted];
        if (!slot) {
            drop_pieces(pool, pool->emitted);
            continue;
        }
        emit_slot(pool, pool->emitted + 1, slot,
                  (struct slice){slot->rendered.text, slot->rendered.length});
        slot_finish(slot);
        free(slot);
    }
}

/* Takes over what the slot owns. A result may be large: it is copied only if it has to wait. */
static void finish_one(struct pool *pool, uint32_t index, struct slot *slot,
                       struct slice rendered) {
    if (index == pool->emitted) {
        emit_slot(pool, index + 1, slot, rendered);
        slot_finish(slot);
        pool->emitted++;
        emit_ready(pool, false);
    } else {
        pool->slots[index] = mem_alloc(sizeof *slot);
        *pool->slots[index] = *slot;
        str_add_bytes(&pool->slots[index]->rendered, rendered.at, rendered.length);
    }
    if (pool->options->done)
        atomic_fetch_add(pool->options->done, 1);
}

/* ---- Here ---- */

static void run_here(struct pool *pool) {
    const atomic_bool *cancel = pool->options->cancel;
    int r = 0;
    for (uint32_t index = pool->first; index < pool->count && r == 0; index++) {
        struct slot slot = {0};
        if (cancel && atomic_load(cancel))
            break;
        r = run_one(pool, index, &slot);
        finish_one(pool, index, &slot, (struct slice){slot.rendered.text, slot.rendered.length});
    }
    if (pool->error.code == 0 && pool->emitted < pool->count)
        error_set(&pool->error, ERROR_CANCELLED, "interrupted");
}

/* ---- In processes: what was rendered, which may be long, then an outcome as bytes, its reasons,
   and how long the first part is ---- */

static void add_bytes(struct str *out, const void *from, size_t bytes) {
    str_add_bytes(out, from, bytes);
}

static void add_tally(struct str *out, const struct tally *tally) {
    add_bytes(out, &tally->entries.count, sizeof tally->entries.count);
    for (size_t i = 0; i < tally->entries.count; i++) {
        const struct tally_entry *entry = &tally->entries.at[i];
        add_bytes(out, &entry->count, sizeof entry->count);
        add_bytes(out, &entry->named, sizeof entry->named);
        add_bytes(out, entry->reason, strlen(entry->reason) + 1);
        for (uint32_t n = 0; n < entry->named && n < TALLY_NAMES; n++)
            add_bytes(out, entry->names[n], strlen(entry->names[n]) + 1);
    }
}

/* Readers of what comes back are false if it cannot be what the child wrote. */
static bool take_bytes(void *to, size_t bytes, struct slice *from) {
    if (from->length < bytes)
        return false;
    memcpy(to, from->at, bytes);
    from->at += bytes;
    from->length -= bytes;
    return true;
}

static bool take_text(const char **text, struct slice *from) {
    const char *end = memchr(from->at, '\0', from->length);
    if (!end)
        return false;
    *text = from->at;
    from->length -= (size_t)(end + 1 - from->at);
    from->at = end + 1;
    return true;
}

static bool take_tally_entry(struct tally *tally, struct slice *from) {
    uint64_t count;
    uint32_t named;
    const char *reason, *name;
    if (!take_bytes(&count, sizeof count, from) || !take_bytes(&named, sizeof named, from) ||
        !take_text(&reason, from))
        return false;
    tally_add(tally, reason, count);
    for (uint32_t n = 0; n < named && n < TALLY_NAMES; n++) {
        if (!take_text(&name, from))
            return false;
        tally_name(tally, reason, name);
    }
    if (named > TALLY_NAMES)
        tally_name(tally, reason, "");
    return true;
}

static bool take_tally(struct tally *tally, struct slice *from) {
    size_t entries;
    bool good = take_bytes(&entries, sizeof entries, from);
    while (good && entries-- > 0)
        good = take_tally_entry(tally, from);
    return good;
}

static size_t services_bytes(const struct slot *slot) {
    return slot->outcome.summary.service_count * sizeof *slot->outcome.summary.services;
}

static void run_apart(void *context, size_t task, struct crash_context *crash, struct str *out) {
    struct pool pool = *(const struct pool *)context;
    struct replicate_options options = *pool.options;
    struct slot slot = {0};
    options.crash = crash;
    pool.options = &options;
    crash_context_policy(crash, &pool.study->module);
    (void)run_one(&pool, pool.first + (uint32_t)task, &slot);
    *out = slot.rendered;
    const size_t length = out->length;
    add_bytes(out, &slot.outcome, sizeof slot.outcome);
    add_tally(out, &slot.refused);
    add_tally(out, &slot.rejected);
    add_tally(out, &slot.outside);
    add_tally(out, &slot.counted);
    add_bytes(out, slot.outcome.summary.services, services_bytes(&slot));
    add_bytes(out, &length, sizeof length);
    slot.rendered = (struct str){0}; /* which is out now */
    slot_finish(&slot);
}

/* Parts what came back; false if it cannot be what the child wrote. */
static bool take_slot(struct slot *slot, struct slice *ret_rendered, struct slice from) {
    size_t length;
    if (from.length < sizeof length)
        return false;
    memcpy(&length, from.at + from.length - sizeof length, sizeof length);
    if (length > from.length - sizeof length)
        return false;
    struct slice rest = {from.at + length, from.length - sizeof length - length};
    *ret_rendered = (struct slice){from.at, length};
    bool good = take_bytes(&slot->outcome, sizeof slot->outcome, &rest);
    slot->outcome.summary.services = NULL; /* of the child's */
    good = good && take_tally(&slot->refused, &rest) && take_tally(&slot->rejected, &rest) &&
           take_tally(&slot->outside, &rest) && take_tally(&slot->counted, &rest) &&
           rest.length == services_bytes(slot);
    if (good)
        memcpy(slot->outcome.summary.services = mem_alloc(rest.length), rest.at, rest.length);
    return good;
}

/* What a child says of itself; whoever sent the signal that interrupted it, easim did not. */
static void read_slot(const struct pool *pool, uint32_t number, struct slice *result,
                      struct slot *slot) {
    struct error *error = &slot->outcome.error;
    const char *policy = pool->study->policy;
    const atomic_bool *cancel = pool->options->cancel;
    if (!take_slot(slot, result, *result))
        error_set(error, ERROR_RUN, "what policy %s left of replication %u cannot be read", policy,
                  number);
    else if (error->code == ERROR_CANCELLED && !(cancel && atomic_load(cancel)))
        error_set(error, ERROR_RUN,
                  "policy %s: replication %u was interrupted by a signal that easim has not sent",
                  policy, number);
}

static int keep_apart(void *context, size_t task, struct slice result, const char *failure) {
    struct pool *pool = context;
    struct slot slot = {0};
    if (failure)
        error_set(&slot.outcome.error, ERROR_RUN, "%s", failure);
    else
        read_slot(pool, pool->first + (uint32_t)task + 1, &result, &slot);
    int code = slot.outcome.error.code;
    finish_one(pool, pool->first + (uint32_t)task, &slot, result);
    return code < 0 ? code : pool->error.code;
}

static int lose_apart(void *context, size_t task, const char *failure) {
    struct pool *pool = context;
    struct slot slot = {0};
    error_set(&slot.outcome.error, ERROR_MACHINE, "%s", failure);
    finish_one(pool, pool->first + (uint32_t)task, &slot, (struct slice){0});
    return ERROR_MACHINE;
}

static void run_in_processes(struct pool *pool) {
    const struct replicate_options *options = pool->options;
    uint32_t missing = pool->count - pool->first;
    const struct isolated all = {
        .count = missing,
        .processes = options->processes < missing ? options->processes : missing,
        .limit_s = options->limit_s,
        .cancel = options->cancel,
        .context = pool,
        .work = run_apart,
        .begun = begin_apart,
        .piece = pool->sink->take ? keep_piece : NULL,
        .done = keep_apart,
        .lost = lose_apart,
        .shares = !options->alone && module_leaves_nothing(&pool->study->module)};
    struct error error = {0};
    int r = isolated_run(&all, &error);
    emit_ready(pool, true);
    if (r < 0 && (pool->error.code == 0 || pool->error.code == ERROR_CANCELLED))
        pool->error = error;
}

int replicate_run(const struct study *study, const struct replicate_options *options,
                  const struct replicate_sink *sink, struct replicate_result *result,
                  struct error *reterr) {
    struct pool pool = {.study = study,
                        .options = options,
                        .sink = sink,
                        .count = (uint32_t)study->scenario.replications,
                        .first = result->count,
                        .emitted = result->count,
                        .result = result};
    pool.slots = mem_zalloc(pool.count, sizeof *pool.slots);
    pool.early = mem_zalloc(pool.count, sizeof *pool.early);
    result->summaries = mem_realloc(result->summaries, pool.count, sizeof *result->summaries);
    result->trends = mem_realloc(result->trends, pool.count, sizeof *result->trends);
    if (options->bound_work)
        result->bounds = mem_realloc(result->bounds, pool.count, sizeof *result->bounds);
    (options->processes > 0 ? run_in_processes : run_here)(&pool);
    free(pool.slots);
    for (uint32_t i = 0; i < pool.count; i++)
        str_finish(&pool.early[i]);
    free(pool.early);
    if (pool.error.code < 0 && reterr)
        *reterr = pool.error;
    return pool.error.code;
}

static int emit_nothing(void *context, uint32_t number, const struct summary *summary,
                        struct slice rendered, struct error *reterr) {
    (void)context, (void)number, (void)summary, (void)rendered, (void)reterr;
    return 0;
}

const struct replicate_sink replicate_summaries_only = {.takes_sums = true, .emit = emit_nothing};

int replicate_try(const struct study *study, struct error *reterr) {
    const struct replicate_options options = {.crash = NULL};
    struct pool pool = {.study = study, .options = &options};
    struct slot slot = {0};
    int r = run_one(&pool, 0, &slot);
    if (r < 0)
        *reterr = slot.outcome.error;
    return r;
}

void replicate_result_finish(struct replicate_result *result) {
    for (size_t i = 0; i < result->services.count; i++)
        free(result->services.at[i]);
    free(result->services.at);
    free(result->summaries);
    free(result->trends);
    free(result->bounds);
    tally_finish(&result->refused);
    tally_finish(&result->rejected);
    tally_finish(&result->outside);
    tally_finish(&result->counted);
}
