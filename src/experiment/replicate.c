/* Replications on threads, which take numbers from a counter, or in processes; results go out in order. */
#include "experiment/replicate.h"

#include <pthread.h>
#include <stdlib.h>

struct slot {
    bool done;
    struct summary summary;
    struct str rendered;
    struct tally refused, rejected;
    uint64_t decide_ns;
    struct error error;
};

struct pool {
    const struct study *study;
    const struct replicate_options *options;
    const struct replicate_sink *sink; /* NULL: nothing is to be run (replicate_try) */
    struct slot *slots;
    uint32_t count;
    atomic_uint next;
    pthread_mutex_t lock; /* guards what follows */
    uint32_t emitted;
    struct replicate_result *result;
    struct error error;
};

static void keep_counts(const struct sim *sim, struct slot *slot) {
    for (int i = 0; i < REFUSAL_COUNT; i++)
        tally_add(&slot->refused, refusal_names[i], sim->refused[i]);
    for (uint32_t j = 0; j < sim->next_arrival; j++)
        if (sim->reject_reasons[j])
            tally_add(&slot->rejected, sim->reject_reasons[j], 1);
    slot->decide_ns = sim->decide_ns;
}

static int simulate(struct pool *pool, uint32_t index, const struct workload *workload, struct slot *slot) {
    struct metrics metrics;
    metrics_init(&metrics, pool->options->record_power, pool->options->record_decisions);
    struct trail *trail = pool->options->trail;
    const struct observer watch = trail ? trail_observer(trail) : (struct observer){0};
    const struct observer *const observers[] = {&metrics.observer, trail ? &watch : NULL, NULL};
    struct sim sim = study_sim(pool->study, workload);
    sim.options.replication = index;
    sim.options.check = pool->options->check;
    sim.options.strict = pool->options->strict;
    sim.options.time_decisions = pool->options->time_decisions;
    sim.options.cancel = pool->options->cancel;
    sim.options.progress = pool->options->events;
    sim.observers = observers;
    if (trail)
        trail->replication = index + 1;
    int r = sim_init(&sim, &slot->error);
    if (r == 0 && pool->sink)
        r = sim_run(&sim, &slot->error);
    if (r == 0 && pool->sink) {
        metrics_sum_up(&metrics, &sim);
        slot->summary = metrics.summary;
        keep_counts(&sim, slot);
        if (pool->sink->render)
            pool->sink->render(pool->sink->context, &(struct replication){index + 1, &sim, &metrics},
                               &slot->rendered);
    }
    sim_finish(&sim);
    metrics_finish(&metrics);
    return r;
}

static int run_one(struct pool *pool, uint32_t index, struct slot *slot) {
    struct workload workload = {0};
    struct problems problems = {0};
    int r = study_generate(pool->study, index, &workload, &problems);
    if (r < 0)
        error_set(&slot->error, ERROR_INPUT, "%s", problems.count ? problems.texts[0] : "no workload");
    else
        r = simulate(pool, index, &workload, slot);
    workload_finish(&workload);
    problems_finish(&problems);
    return r;
}

/* Hands one finished replication over, or notes its error. None after one that has failed: which of them are there
   depends on the number of threads. */
static void emit(struct pool *pool, uint32_t number, struct slot *slot) {
    struct replicate_result *result = pool->result;
    struct error error = slot->error;
    bool failed = pool->error.code < 0 && pool->error.code != ERROR_CANCELLED;
    if (error.code == 0 && !failed) {
        const struct slice rendered = {slot->rendered.text, slot->rendered.length};
        (void)pool->sink->emit(pool->sink->context, number, &slot->summary, rendered, &error);
        result->summaries[result->count++] = slot->summary;
        result->decide_ns += slot->decide_ns;
        tally_add_all(&result->refused, &slot->refused);
        tally_add_all(&result->rejected, &slot->rejected);
    }
    if (error.code < 0 && !failed)
        pool->error = error;
    str_finish(&slot->rendered);
    tally_finish(&slot->refused);
    tally_finish(&slot->rejected);
}

/* Emits what is finished in order. At the end (`all`) unfinished numbers are passed over. */
static void emit_ready(struct pool *pool, bool all) {
    for (; pool->emitted < pool->count && (pool->slots[pool->emitted].done || all); pool->emitted++)
        if (pool->slots[pool->emitted].done)
            emit(pool, pool->emitted + 1, &pool->slots[pool->emitted]);
}

static void finish_one(struct pool *pool, uint32_t index, const struct slot *slot) {
    pthread_mutex_lock(&pool->lock);
    pool->slots[index] = *slot;
    pool->slots[index].done = true;
    emit_ready(pool, false);
    pthread_mutex_unlock(&pool->lock);
    if (pool->options->done)
        atomic_fetch_add(pool->options->done, 1);
}

/* ---- On threads ---- */

static void *work(void *context) {
    struct pool *pool = context;
    for (uint32_t index; (index = atomic_fetch_add(&pool->next, 1)) < pool->count;) {
        struct slot slot = {0};
        if (pool->options->cancel && atomic_load(pool->options->cancel))
            break;
        if (run_one(pool, index, &slot) < 0)
            atomic_store(&pool->next, pool->count); /* no further ones: the study has failed */
        finish_one(pool, index, &slot);
    }
    return NULL;
}

static void run_on_threads(struct pool *pool, uint32_t threads) {
    pthread_t *ids = mem_zalloc(threads, sizeof *ids);
    uint32_t started = 1; /* this thread is the first */
    while (started < threads && pthread_create(&ids[started], NULL, work, pool) == 0)
        started++;
    work(pool);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(ids[i], NULL);
    free(ids);
}

/* ---- In processes: a slot as bytes, then its reasons, then what was rendered ---- */

static void write_tally(const struct tally *tally, FILE *out) {
    fwrite(&tally->entries.count, sizeof tally->entries.count, 1, out);
    for (size_t i = 0; i < tally->entries.count; i++) {
        const struct tally_entry *entry = &tally->entries.at[i];
        fwrite(&entry->count, sizeof entry->count, 1, out);
        fwrite(entry->reason, strlen(entry->reason) + 1, 1, out);
    }
}

static void take(void *to, size_t bytes, struct slice *from) {
    memcpy(to, from->at, bytes);
    from->at += bytes;
    from->length -= bytes;
}

static struct tally take_tally(struct slice *from) {
    struct tally tally = {0};
    size_t entries;
    take(&entries, sizeof entries, from);
    while (entries-- > 0) {
        uint64_t count;
        take(&count, sizeof count, from);
        tally_add(&tally, from->at, count);
        size_t bytes = strlen(from->at) + 1;
        from->at += bytes;
        from->length -= bytes;
    }
    return tally;
}

static void run_apart(void *context, size_t task, struct trail *trail, FILE *out) {
    struct pool pool = *(const struct pool *)context;
    struct replicate_options options = *pool.options;
    struct slot slot = {0};
    options.trail = trail;
    pool.options = &options;
    trail_policy(trail, &pool.study->module);
    (void)run_one(&pool, pool.next + (uint32_t)task, &slot);
    fwrite(&slot, sizeof slot, 1, out);
    write_tally(&slot.refused, out);
    write_tally(&slot.rejected, out);
    if (slot.rendered.length > 0)
        fwrite(slot.rendered.text, 1, slot.rendered.length, out);
}

static int keep_apart(void *context, size_t task, struct slice result, const char *failure) {
    struct pool *pool = context;
    struct slot slot = {0};
    if (failure) {
        error_set(&slot.error, ERROR_RUN, "%s", failure);
    } else {
        take(&slot, sizeof slot, &result);
        slot.refused = take_tally(&result);
        slot.rejected = take_tally(&result);
        slot.rendered = (struct str){0}; /* those were pointers of the child */
        str_add_bytes(&slot.rendered, result.at, result.length);
    }
    finish_one(pool, pool->next + (uint32_t)task, &slot);
    return slot.error.code;
}

static void run_in_processes(struct pool *pool, uint32_t processes) {
    const struct replicate_options *options = pool->options;
    const struct isolated all = {.count = pool->count - pool->next,
                                 .processes = processes,
                                 .limit_s = options->limit_s,
                                 .cancel = options->cancel,
                                 .context = pool,
                                 .work = run_apart,
                                 .done = keep_apart};
    struct error error = {0};
    if (isolated_run(&all, &error) < 0)
        pool->error = error;
}

int replicate_run(const struct study *study, const struct replicate_options *options,
                  const struct replicate_sink *sink, struct replicate_result *result, struct error *reterr) {
    struct pool pool = {.study = study,
                        .options = options,
                        .sink = sink,
                        .count = (uint32_t)study->scenario.replications,
                        .next = result->count,
                        .emitted = result->count,
                        .result = result};
    uint32_t missing = pool.count - result->count;
    uint32_t threads = options->threads < missing ? options->threads : missing;
    pool.slots = mem_zalloc(pool.count, sizeof *pool.slots);
    result->summaries = mem_realloc(result->summaries, pool.count, sizeof *result->summaries);
    pthread_mutex_init(&pool.lock, NULL);
    (options->isolated ? run_in_processes : run_on_threads)(&pool, threads);
    emit_ready(&pool, true);
    if ((pool.error.code == 0 || pool.error.code == ERROR_CANCELLED) && result->count < pool.count)
        error_set(&pool.error, ERROR_CANCELLED, "interrupted: %u of %u replications are finished and kept",
                  result->count, pool.count);
    pthread_mutex_destroy(&pool.lock);
    free(pool.slots);
    if (pool.error.code < 0 && reterr)
        *reterr = pool.error;
    return pool.error.code;
}

static int emit_nothing(void *context, uint32_t number, const struct summary *summary, struct slice rendered,
                        struct error *reterr) {
    (void)context, (void)number, (void)summary, (void)rendered, (void)reterr;
    return 0;
}

const struct replicate_sink replicate_summaries_only = {.emit = emit_nothing};

int replicate_try(const struct study *study, struct error *reterr) {
    const struct replicate_options options = {.threads = 1};
    struct pool pool = {.study = study, .options = &options};
    struct slot slot = {0};
    int r = run_one(&pool, 0, &slot);
    if (r < 0)
        *reterr = slot.error;
    return r;
}

void replicate_result_finish(struct replicate_result *result) {
    free(result->summaries);
    tally_finish(&result->refused);
    tally_finish(&result->rejected);
}
