/* Points on threads: workers take the next from a counter. Results are files of their own, so their order does not
   matter. */
#include "experiment/sweep_run.h"

#include <pthread.h>
#include <stdlib.h>

struct pool {
    const struct sweep_run *run;
    atomic_size_t next;
    pthread_mutex_t lock; /* guards error */
    struct error error;
};

int sweep_study(const struct sweep *sweep, size_t point, const struct trace_reader *const *readers,
                struct study *study, struct problems *problems) {
    size_t count;
    struct arena arena = {0};
    const char **sets = sweep_set_texts(sweep, point, &arena, &count);
    const struct scenario_overrides overrides = {.sets = sets, .set_count = count};
    int r = study_load(study, sweep->base, &overrides, readers, problems);
    if (r == 0 && scenario_hash(&study->scenario) != sweep->points[point].id) {
        problems_add(problems, (struct location){.file = sweep->base}, NULL, "changed while the sweep was running");
        r = ERROR_INPUT;
    }
    arena_finish(&arena);
    return r;
}

static int keep_nothing(void *context, uint32_t number, const struct summary *summary, void *rendered,
                        struct error *reterr) {
    (void)context, (void)number, (void)summary, (void)rendered, (void)reterr;
    return 0; /* the summaries are in the result */
}

static int run_loaded(const struct sweep_run *run, size_t point, const struct study *study, struct error *reterr) {
    const struct replicate_sink sink = {.emit = keep_nothing};
    struct replicate_options how = run->how;
    struct replicate_result result = {0};
    struct error failure = {0};
    how.threads = 1;
    how.done = NULL;
    int r = replicate_run(study, &how, &sink, &result, &failure);
    if (r == ERROR_CANCELLED)
        error_set(reterr, ERROR_CANCELLED, "interrupted: what was finished is kept");
    else if (r < 0)
        r = run->sink.emit(run->sink.context, point, study, NULL, failure.text, reterr);
    else
        r = run->sink.emit(run->sink.context, point, study, &result, NULL, reterr);
    replicate_result_finish(&result);
    return r;
}

static int run_point(const struct sweep_run *run, size_t point, struct error *reterr) {
    struct study study;
    struct problems problems = {0};
    int r;
    if (sweep_study(run->sweep, point, run->readers, &study, &problems) < 0) {
        struct str text = {0};
        for (size_t i = 0; i < problems.count; i++)
            str_addf(&text, "%s%s", i > 0 ? "; " : "", problems.texts[i]);
        r = run->sink.emit(run->sink.context, point, &study, NULL, text.text, reterr);
        str_finish(&text);
    } else {
        r = run_loaded(run, point, &study, reterr);
    }
    study_finish(&study);
    problems_finish(&problems);
    return r;
}

static bool cancelled(const struct sweep_run *run) {
    return run->how.cancel && atomic_load(run->how.cancel);
}

static void *work(void *context) {
    struct pool *pool = context;
    const struct sweep_run *run = pool->run;
    for (size_t i; !cancelled(run) && (i = atomic_fetch_add(&pool->next, 1)) < run->count;) {
        struct error error = {0};
        if (run_point(run, run->points[i], &error) < 0) {
            atomic_store(&pool->next, run->count);
            pthread_mutex_lock(&pool->lock);
            if (pool->error.code == 0 || pool->error.code == ERROR_CANCELLED)
                pool->error = error;
            pthread_mutex_unlock(&pool->lock);
        }
        if (run->how.done)
            atomic_fetch_add(run->how.done, 1);
    }
    return NULL;
}

int sweep_run(const struct sweep_run *run, struct error *reterr) {
    struct pool pool = {.run = run};
    size_t threads = run->how.threads < run->count ? run->how.threads : run->count;
    pthread_mutex_init(&pool.lock, NULL);
    pthread_t *ids = mem_zalloc(threads + 1, sizeof *ids);
    size_t started = 1; /* this thread is the first */
    while (started < threads && pthread_create(&ids[started], NULL, work, &pool) == 0)
        started++;
    work(&pool);
    for (size_t i = 1; i < started; i++)
        pthread_join(ids[i], NULL);
    free(ids);
    pthread_mutex_destroy(&pool.lock);
    if (pool.error.code == 0 && cancelled(run) && atomic_load(&pool.next) < run->count)
        error_set(&pool.error, ERROR_CANCELLED, "interrupted: what was finished is kept");
    if (pool.error.code < 0)
        *reterr = pool.error;
    return pool.error.code;
}
