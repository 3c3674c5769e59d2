/* From replays to what stragglers cost. */
#include "ingest/stragglers/stragglers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOWEST_PERCENT 3

/* Where the cause is one: shares of the slowdown that go away, correlation, variation. */
#define LEAST_SHARE       0.5
#define LEAST_CORRELATION 0.9
#define LEAST_CV          0.05

struct session {
    struct stragglers *out;
    struct replay replay;
    struct replay_choice choice;
    size_t steps, workers;
};

double mean_of_steps(const double *steps_s, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += steps_s[i];
    return sum / (double)count;
}

/* ---- Replays ---- */

static void choose_all(struct session *session, bool types, bool workers) {
    for (size_t t = 0; t < OPERATION_TYPE_COUNT; t++)
        session->choice.types[t] = types;
    for (size_t w = 0; w < session->workers; w++)
        session->choice.workers[w] = workers;
}

static void run(struct session *session, struct straggler_replay *replay) {
    replay->steps_s = mem_alloc(session->steps * sizeof *replay->steps_s);
    replay_run(&session->replay, &session->choice, replay->steps_s);
    if (session->out->ideal.steps_s)
        replay->slowdown = mean_of_steps(replay->steps_s, session->steps) /
                           mean_of_steps(session->out->ideal.steps_s, session->steps);
}

/* S_t: sends and receives of a direction are one type. */
static void run_type(struct session *session, const char *name, uint32_t type, uint32_t other) {
    if (isnan(session->replay.ideal_s[type]))
        return;
    choose_all(session, false, true);
    session->choice.types[type] = session->choice.types[other] = true;
    struct straggler_replay *replay = array_add(&session->out->types);
    replay->name = name;
    run(session, replay);
}

static void run_types(struct session *session) {
    for (uint32_t t = 0; t < OPERATION_TYPE_COUNT; t++)
        if (!operation_is_transfer(t))
            run_type(session, operation_type_names[t], t, t);
    run_type(session, "forward-pp-comm", FORWARD_SEND, FORWARD_RECV);
    run_type(session, "backward-pp-comm", BACKWARD_SEND, BACKWARD_RECV);
}

static void run_workers(struct session *session) {
    struct stragglers *out = session->out;
    const struct operations *o = &out->operations;
    for (uint32_t dp = 0; dp < o->dp_count; dp++) {
        choose_all(session, true, false);
        for (size_t w = dp; w < session->workers; w += o->dp_count)
            session->choice.workers[w] = true;
        run(session, array_add(&out->dp_ranks));
    }
    for (uint32_t stage = 0; stage < o->stage_count; stage++) {
        choose_all(session, true, false);
        for (uint32_t dp = 0; dp < o->dp_count; dp++)
            session->choice.workers[stage * o->dp_count + dp] = true;
        run(session, array_add(&out->stages));
    }
    out->worker_slowdowns = mem_alloc(session->workers * sizeof *out->worker_slowdowns);
    for (size_t w = 0; w < session->workers; w++)
        out->worker_slowdowns[w] = fmin(out->dp_ranks.at[w % o->dp_count].slowdown,
                                        out->stages.at[w / o->dp_count].slowdown);
}

/* The share of the slowdown that goes away with the workers that are not chosen. */
static double share_without(struct session *session) {
    struct straggler_replay replay = {0};
    run(session, &replay);
    double own = mean_of_steps(session->out->own.steps_s, session->steps);
    double ideal = mean_of_steps(session->out->ideal.steps_s, session->steps);
    double share = (own - mean_of_steps(replay.steps_s, session->steps)) / (own - ideal);
    free(replay.steps_s);
    return own == ideal ? NAN : share;
}

struct ranked {
    double slowdown;
    uint32_t rank, worker;
};

ORDER_BY(by_slowdown, struct ranked, DESC(slowdown) ASC(rank))

static void blame_slowest(struct session *session) {
    struct stragglers *out = session->out;
    size_t count = (session->workers * SLOWEST_PERCENT + 99) / 100;
    struct ranked *ranked = mem_alloc(session->workers * sizeof *ranked);
    for (uint32_t w = 0; w < session->workers; w++)
        ranked[w] = (struct ranked){out->worker_slowdowns[w], out->operations.ranks[w], w};
    sort_array(ranked, session->workers, by_slowdown);
    choose_all(session, true, true);
    for (size_t i = 0; i < count; i++) {
        array_push(&out->slowest, ranked[i].worker);
        session->choice.workers[ranked[i].worker] = false;
    }
    free(ranked);
    out->workers_share = share_without(session);
    choose_all(session, true, true);
    for (size_t w = session->workers - out->operations.dp_count; w < session->workers; w++)
        session->choice.workers[w] = false;
    out->last_stage_share = share_without(session);
}

/* ---- Computing ---- */

/* Sums over pairs, each less the first pair, so that few digits are lost. */
struct sums {
    double n, x0, y0, x, y, xx, yy, xy;
};

static void add_point(struct sums *sums, double x, double y) {
    if (sums->n == 0) {
        sums->x0 = x;
        sums->y0 = y;
    }
    x -= sums->x0;
    y -= sums->y0;
    sums->n++;
    sums->x += x;
    sums->y += y;
    sums->xx += x * x;
    sums->yy += y * y;
    sums->xy += x * y;
}

static double correlation(const struct sums *s) {
    double of_x = s->xx - s->x * s->x / s->n, of_y = s->yy - s->y * s->y / s->n;
    return of_x > 0 && of_y > 0 ? (s->xy - s->x * s->y / s->n) / sqrt(of_x * of_y) : NAN;
}

/* Standard deviation (n - 1) over mean of x. */
static double variation(const struct sums *s) {
    double mean = s->x0 + s->x / s->n, squares = fmax(0, s->xx - s->x * s->x / s->n);
    return s->n > 1 && mean > 0 ? sqrt(squares / (s->n - 1)) / mean : NAN;
}

/* The forward-compute of the stage with the microbatch and chunk of a backward-compute in a lane,
   searched from `hint` on; SIZE_MAX: none. first..end-1 are the forward-computes. */
static size_t forward_of(const struct operations *o, size_t first, size_t end, size_t hint,
                         const struct operation_cell *backward) {
    size_t lane = (size_t)(backward - o->cells) % o->lanes;
    for (size_t k = 0; k < end - first; k++) {
        size_t forward = first + (hint + k) % (end - first);
        const struct operation_cell *cell = &o->cells[forward * o->lanes + lane];
        if (cell->chunk == backward->chunk && cell->microbatch == backward->microbatch)
            return forward;
    }
    return SIZE_MAX;
}

static void add_stage(const struct operations *o, uint32_t stage, struct sums *forwards,
                      struct sums *pairs) {
    size_t first = operations_find(o, stage, FORWARD_COMPUTE, 0), end = first;
    size_t backward = operations_find(o, stage, BACKWARD_COMPUTE, 0), hint = 0;
    while (end < o->all.count && o->all.at[end].stage == stage &&
           o->all.at[end].type == FORWARD_COMPUTE)
        end++;
    for (size_t at = first * o->lanes; first != SIZE_MAX && at < end * o->lanes; at++)
        add_point(forwards, o->cells[at].duration_s, 0);
    for (; first != SIZE_MAX && backward < o->all.count && o->all.at[backward].stage == stage &&
           o->all.at[backward].type == BACKWARD_COMPUTE;
         backward++)
        for (size_t lane = 0; lane < o->lanes; lane++) {
            const struct operation_cell *cell = &o->cells[backward * o->lanes + lane];
            size_t forward = forward_of(o, first, end, hint, cell);
            if (forward == SIZE_MAX)
                continue;
            hint = forward - first;
            add_point(pairs, o->cells[forward * o->lanes + lane].duration_s, cell->duration_s);
        }
}

static double median_of(double *values, size_t count) {
    sort_array(values, count, by_real);
    return count > 0 ? (values[(count - 1) / 2] + values[count / 2]) / 2 : NAN;
}

static void look_at_computing(struct stragglers *out) {
    size_t stages = out->operations.stage_count, correlated = 0, varied = 0;
    double *correlations = mem_alloc(stages * sizeof *correlations);
    double *variations = mem_alloc(stages * sizeof *variations);
    for (uint32_t stage = 0; stage < stages; stage++) {
        struct sums forwards = {0}, pairs = {0};
        add_stage(&out->operations, stage, &forwards, &pairs);
        correlations[correlated] = correlation(&pairs);
        variations[varied] = variation(&forwards);
        correlated += !isnan(correlations[correlated]);
        varied += !isnan(variations[varied]);
    }
    out->compute_correlation = median_of(correlations, correlated);
    out->compute_cv = median_of(variations, varied);
    free(correlations);
    free(variations);
}

/* ---- All of it ---- */

static void measure_steps(struct session *session) {
    const struct operations *o = &session->out->operations;
    double *first = mem_alloc(session->steps * sizeof *first), *last;
    last = session->out->base_s = mem_alloc(session->steps * sizeof *last);
    for (size_t step = 0; step < session->steps; step++) {
        first[step] = INFINITY;
        last[step] = -INFINITY;
    }
    for (size_t i = 0; i < o->all.count * o->lanes; i++) {
        size_t step = i % o->lanes % session->steps;
        first[step] = fmin(first[step], o->cells[i].start_s);
        last[step] = fmax(last[step], o->cells[i].start_s + o->cells[i].duration_s);
    }
    for (size_t step = 0; step < session->steps; step++)
        last[step] -= first[step];
    free(first);
}

static void find_cause(struct stragglers *out) {
    if (out->workers_share >= LEAST_SHARE)
        out->cause = CAUSE_WORKERS;
    else if (out->compute_correlation >= LEAST_CORRELATION && out->compute_cv >= LEAST_CV)
        out->cause = CAUSE_SEQUENCES;
    else if (out->last_stage_share >= LEAST_SHARE)
        out->cause = CAUSE_LAST_STAGE;
}

const char *straggler_cause_text(enum straggler_cause cause) {
    static const char *const texts[] = {[CAUSE_NONE] = "none",
                                        [CAUSE_WORKERS] = "slow workers",
                                        [CAUSE_SEQUENCES] = "sequence lengths",
                                        [CAUSE_LAST_STAGE] = "last stage"};
    return texts[cause];
}

static void compute(struct session *session, uint32_t gpus) {
    struct stragglers *out = session->out;
    measure_steps(session);
    choose_all(session, false, false);
    run(session, &out->ideal);
    choose_all(session, true, true);
    run(session, &out->own);
    out->ideal.slowdown = 1;
    double own_s = mean_of_steps(out->own.steps_s, session->steps);
    out->launch_slowdown = mean_of_steps(out->base_s, session->steps) / own_s;
    run_types(session);
    run_workers(session);
    blame_slowest(session);
    look_at_computing(out);
    find_cause(out);
    out->gpus = gpus > 0 ? gpus : (double)session->workers;
    out->lost_gpu_hours = out->gpus * (double)session->steps / 3600 *
                          (own_s - mean_of_steps(out->ideal.steps_s, session->steps));
}

int stragglers_load(struct stragglers *stragglers, const char *path, uint32_t gpus,
                    struct problems *problems) {
    struct session session = {.out = stragglers};
    struct operations *o = &stragglers->operations;
    int r = operations_load(o, path, problems);
    if (r == 0)
        r = replay_prepare(&session.replay, o, path, problems);
    session.steps = o->steps.count;
    session.workers = (size_t)o->stage_count * o->dp_count;
    session.choice.workers = mem_zalloc(session.workers + 1, sizeof *session.choice.workers);
    if (r == 0)
        compute(&session, gpus);
    if (r == 0 && !(mean_of_steps(stragglers->ideal.steps_s, session.steps) > 0))
        r = problems_say(problems, "%s: expected durations above 0, got steps of 0 s", path);
    free(session.choice.workers);
    replay_finish(&session.replay);
    return r;
}

static void finish_replays(struct straggler_replay *replays, size_t count) {
    for (size_t i = 0; i < count; i++)
        free(replays[i].steps_s);
    free(replays);
}

void stragglers_finish(struct stragglers *stragglers) {
    operations_finish(&stragglers->operations);
    free(stragglers->base_s);
    free(stragglers->own.steps_s);
    free(stragglers->ideal.steps_s);
    finish_replays(stragglers->types.at, stragglers->types.count);
    finish_replays(stragglers->dp_ranks.at, stragglers->dp_ranks.count);
    finish_replays(stragglers->stages.at, stragglers->stages.count);
    free(stragglers->worker_slowdowns);
    free(stragglers->slowest.at);
    *stragglers = (struct stragglers){0};
}
