/* Copies a run at its decision points, once for each thing that its policy could have done instead
   (semantics 28). A copy returns from the very call in which it was made, answers the policy
   otherwise, and ends with its run. */
#include "experiment/regret/internal.h"

#include "base/units.h"
#include "easim/predict.h"
#include "engine/gpus.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDING 1e-9 /* share of a figure: energies are rounded to nW */

/* Results that a copy sends back. */
struct fork_end {
    struct run_figures figures;
    struct regret_others others;
    uint32_t most_sooner, most_later; /* jobs, or EASIM_NONE */
    struct error error;
};

struct decision_points {
    const struct decision_task *task;
    struct workload workload;
    struct base_run base;
    struct start_changer changer;
    struct forks forks;
    struct regret_rows *rows;
    struct decision_end *end;
    int64_t *finish_ns;           /* by job, of the schedule that the run would come to so far */
    ARRAY_OF(int64_t *) finishes; /* the same of each copy of the present point, if one is taken */
    size_t next_point;            /* of the task's list */
    size_t first_row;             /* of the present point */
    uint32_t held_job;            /* waits in this decision, even if the policy starts it */
    uint64_t held_decision;       /* 0: none does */
    uint32_t forked_job;          /* in a copy: whose action was replaced */
};

bool regret_is_better(double value, double other) {
    return value < other - ROUNDING * fabs(other);
}

/* ---- What else could be done ---- */

static struct regret_row row_of(struct decision_points *points, const struct sim *sim,
                                uint32_t job) {
    const struct easim_view *view = sim->view.v;
    const struct workload *workload = &points->workload;
    const struct job_spec *spec = &workload->jobs.at[job];
    struct regret_rows *rows = points->rows;
    return (struct regret_row){
        .replication = points->task->replication + 1,
        .point = points->end->points,
        .decision = sim->decision_total,
        .time_ns = sim->now_ns,
        .waiting = view->waiting_count,
        .running = view->running_count,
        .free_gpus = view->free_gpus,
        .job = text_places_add(&rows->texts, spec->id),
        .model = text_places_add(&rows->texts, workload_model_name(workload, spec)),
        .user = text_places_add(&rows->texts, workload->users.at[spec->user].name),
        .config = EASIM_NONE,
        .time_s = NAN,
        .energy_j = NAN};
}

static void add_start(struct decision_points *points, struct regret_row row, struct sim *sim,
                      enum regret_action action) {
    const struct easim_view *view = sim->view.v;
    const struct easim_config *c = easim_view_config(view, row.config);
    const struct easim_job *job = &sim->view.jobs[points->forked_job];
    int span = gpus_try_free(sim, job->index, row.config).span;
    const struct easim_choice choice = easim_predict(view, job, row.config, (uint32_t)span);
    row.action = action;
    row.gpu_type = c->gpu_type;
    row.k = c->k;
    row.milli = c->milli;
    row.batch = c->batch;
    row.power_limit_w = c->power_limit_w;
    row.time_s = choice.time_s;
    row.energy_j = choice.energy_j;
    array_push(&points->rows->at, row);
}

static bool can_start(struct sim *sim, uint32_t job, uint32_t config) {
    return !gpus_over_cap(sim, job, config) && gpus_try_free(sim, job, config).span >= 0;
}

static bool is_wished(const struct decision_points *points, const struct sim *sim,
                      uint32_t config) {
    const struct decision_wish *wish = points->task->wish;
    const struct easim_config *c = easim_view_config(sim->view.v, config);
    return !wish || (c->k == wish->k && c->milli == 0 && c->gpu_type == wish->gpu_type);
}

/* The chosen action, then all others. */
static void add_rows(struct decision_points *points, struct sim *sim,
                     const struct start_offer *offer) {
    const struct easim_job *job = &sim->view.jobs[offer->job];
    struct regret_row row = row_of(points, sim, offer->job);
    points->forked_job = offer->job;
    points->first_row = points->rows->at.count;
    row.config = offer->config;
    add_start(points, row, sim, REGRET_CHOSEN);
    for (row.config = job->first_config; row.config < job->first_config + job->config_count;
         row.config++)
        if (row.config != offer->config && is_wished(points, sim, row.config) &&
            can_start(sim, offer->job, row.config))
            add_start(points, row, sim, REGRET_OTHER);
    row.config = EASIM_NONE;
    row.action = REGRET_WAIT;
    if (offer->can_wait && (!points->task->wish || points->task->wish->waits))
        array_push(&points->rows->at, row);
}

/* ---- Copies ---- */

static uint32_t take_action(struct decision_points *points, const struct sim *sim,
                            const struct regret_row *row) {
    if (row->action == REGRET_WAIT) {
        points->held_job = points->forked_job;
        points->held_decision = sim->decision_total;
    }
    return row->config;
}

static void take_end(struct decision_points *points, struct regret_row *row,
                     const struct fork_end *end) {
    struct regret_rows *rows = points->rows;
    const struct workload *workload = &points->workload;
    if (end->error.code < 0) {
        row->failure = text_places_add(&rows->texts, end->error.text);
        return;
    }
    if (row->action == REGRET_CHOSEN && end->figures.digest != points->end->reached.digest)
        row->failure = text_places_add(
            &rows->texts, "check: a copy with the same decision ends differently from the run");
    memcpy(row->of, end->figures.of, sizeof row->of);
    row->digest = end->figures.digest;
    row->known = true;
    row->others = end->others;
    if (end->most_sooner != EASIM_NONE)
        row->most_sooner = text_places_add(&rows->texts, workload->jobs.at[end->most_sooner].id);
    if (end->most_later != EASIM_NONE)
        row->most_later = text_places_add(&rows->texts, workload->jobs.at[end->most_later].id);
}

static size_t finish_bytes(const struct decision_points *points) {
    return points->workload.jobs.count * sizeof *points->finish_ns;
}

static void keep_finishes(struct decision_points *points, size_t row, struct slice from) {
    if (from.length == 0 || from.length != finish_bytes(points))
        return;
    while (points->finishes.count <= row - points->first_row)
        array_push(&points->finishes, NULL);
    int64_t *finish_ns = mem_alloc(from.length);
    memcpy(finish_ns, from.at, from.length);
    points->finishes.at[row - points->first_row] = finish_ns;
}

static void drop_finishes(struct decision_points *points) {
    for (size_t i = 0; i < points->finishes.count; i++)
        free(points->finishes.at[i]);
    points->finishes.count = 0;
}

static void on_fork_end(void *context, size_t number, struct slice result, const char *failure) {
    struct decision_points *points = context;
    struct regret_row *row = &points->rows->at.at[number];
    struct fork_end end;
    if (!failure && result.length >= sizeof end) {
        memcpy(&end, result.at, sizeof end);
        take_end(points, row, &end);
        keep_finishes(points, number,
                      (struct slice){result.at + sizeof end, result.length - sizeof end});
    } else {
        row->failure =
            text_places_add(&points->rows->texts, failure ? failure : "its result cannot be read");
    }
}

static bool is_over(const struct regret_row *row) {
    return row->known || row->failure > 0;
}

/* The best action that is known; the chosen one unless another is better. */
static size_t best_row(const struct decision_points *points) {
    const struct regret_row *rows = points->rows->at.at;
    size_t best = points->first_row;
    for (size_t i = best + 1; i < points->rows->at.count; i++)
        if (rows[i].known &&
            regret_is_better(rows[i].of[points->task->by], rows[best].of[points->task->by]))
            best = i;
    return best;
}

static void keep_chosen(struct decision_points *points) {
    struct regret_row *chosen = &points->rows->at.at[points->first_row];
    memcpy(chosen->of, points->end->reached.of, sizeof chosen->of);
    chosen->known = chosen->taken = true;
}

/* Goes on with the best action. */
static uint32_t improve(struct decision_points *points, const struct sim *sim, uint32_t config) {
    struct regret_rows *rows = points->rows;
    if (forks_wait(&points->forks) < 0)
        return config;
    size_t best = best_row(points);
    bool taken = best != points->first_row;
    if (taken)
        memcpy(points->finish_ns, points->finishes.at[best - points->first_row],
               finish_bytes(points));
    drop_finishes(points);
    if (!taken)
        return config;
    rows->at.at[points->first_row].taken = false;
    rows->at.at[best].taken = true;
    memcpy(points->end->reached.of, rows->at.at[best].of, sizeof rows->at.at[best].of);
    points->end->reached.digest = rows->at.at[best].digest;
    return take_action(points, sim, &rows->at.at[best]);
}

static uint32_t look_at_point(struct decision_points *points, struct sim *sim,
                              const struct start_offer *offer) {
    const struct decision_task *task = points->task;
    const char *calling = points->base.crash->fault.calling.name;
    add_rows(points, sim, offer);
    keep_chosen(points);
    for (size_t i = points->first_row; i < points->rows->at.count; i++) {
        if (i == points->first_row && !task->checks)
            continue;
        if (forks_start(&points->forks, i) > 0) {
            base_run_rename(&points->base, points->forks.self->forked.crash, calling);
            return take_action(points, sim, &points->rows->at.at[i]);
        }
    }
    points->end->looked_at++;
    if (task->how->done)
        atomic_fetch_add(task->how->done, 1);
    return task->improves ? improve(points, sim, offer->config) : offer->config;
}

static bool is_wanted(struct decision_points *points, const struct start_offer *offer) {
    const struct decision_task *task = points->task;
    if (points->end->cut_short || (task->how->cancel && atomic_load(task->how->cancel)))
        return false;
    if (task->job)
        return strcmp(points->workload.jobs.at[offer->job].id, task->job) == 0;
    if (task->every)
        return true;
    if (points->next_point == task->point_count ||
        task->points[points->next_point] != points->end->points)
        return false;
    points->next_point++;
    return true;
}

static uint32_t on_start(void *context, struct sim *sim, const struct start_offer *offer) {
    struct decision_points *points = context;
    if (points->held_decision == sim->decision_total && points->held_job == offer->job)
        return EASIM_NONE;
    if (points->forks.self)
        return offer->config;
    points->end->points++;
    return is_wanted(points, offer) ? look_at_point(points, sim, offer) : offer->config;
}

/* ---- The end of a run ---- */

static int64_t end_ns(const struct sim *sim, uint32_t job) {
    bool finished = job < sim->next_arrival && sim->runs[job].finish_ns >= 0 &&
                    sim_job_state(sim, job) == EASIM_JOB_FINISHED;
    return finished ? sim->runs[job].finish_ns : sim->now_ns;
}

static void compare_jobs(const struct decision_points *points, struct fork_end *end) {
    const struct sim *sim = &points->base.sim;
    struct regret_others *others = &end->others;
    end->most_sooner = end->most_later = EASIM_NONE;
    for (uint32_t j = 0; j < points->workload.jobs.count; j++) {
        double later_s = units_s(end_ns(sim, j) - points->finish_ns[j]);
        if (j == points->forked_job) {
            others->own_s = later_s;
            continue;
        }
        others->sooner += later_s < 0;
        others->later += later_s > 0;
        if (-later_s > others->most_sooner_s) {
            others->most_sooner_s = -later_s;
            end->most_sooner = j;
        }
        if (later_s > others->most_later_s) {
            others->most_later_s = later_s;
            end->most_later = j;
        }
    }
}

/* In a copy: its process ends here. */
_Noreturn static void hand_in_fork(struct decision_points *points, const struct error *error) {
    struct fork_end end = {.error = *error};
    struct str bytes = {0};
    if (error->code == 0) {
        end.figures = base_run_figures(&points->base);
        compare_jobs(points, &end);
    }
    str_add_bytes(&bytes, (const char *)&end, sizeof end);
    for (uint32_t j = 0; j < points->workload.jobs.count && points->task->improves; j++) {
        const int64_t finish_ns = end_ns(&points->base.sim, j);
        str_add_bytes(&bytes, (const char *)&finish_ns, sizeof finish_ns);
    }
    forked_hand_in(&points->forks.self->forked, &bytes);
}

/* From the first point on whose copies have not all ended. */
static void drop_open_points(struct decision_points *points) {
    struct regret_rows *rows = points->rows;
    size_t end = 0;
    while (end < rows->at.count && is_over(&rows->at.at[end]))
        end++;
    while (end < rows->at.count && end > 0 && rows->at.at[end].action != REGRET_CHOSEN)
        end--;
    rows->at.count = end;
    points->end->looked_at = 0;
    for (size_t i = 0; i < end; i++)
        points->end->looked_at += rows->at.at[i].action == REGRET_CHOSEN;
}

static struct base_run base_run_of(const struct decision_points *points,
                                   struct crash_context *crash) {
    return (struct base_run){.study = points->task->study,
                             .workload = &points->workload,
                             .replication = points->task->replication,
                             .how = points->task->how,
                             .crash = crash};
}

/* The policy's own run, which copies are compared with. */
static int run_own(struct decision_points *points, struct crash_context *crash) {
    struct base_run own = base_run_of(points, crash);
    int r = base_run_simulate(&own, &points->end->error);
    if (r == 0) {
        points->end->own = points->end->reached = base_run_figures(&own);
        for (uint32_t j = 0; j < points->workload.jobs.count; j++)
            points->finish_ns[j] = end_ns(&own.sim, j);
    }
    base_run_finish(&own);
    return r;
}

/* The run must end as was foretold: as the policy's own, or as the copy whose action was taken. */
static void check_end(struct decision_points *points) {
    struct decision_end *end = points->end;
    if (end->cut_short || end->error.code < 0 ||
        base_run_figures(&points->base).digest == end->reached.digest)
        return;
    error_set(&end->error, ERROR_RUN,
              "policy %s: replication %u differs when it is repeated with the same random numbers, "
              "so other decisions cannot be tried",
              points->task->study->policy, points->task->replication + 1);
}

static void run_copied(struct decision_points *points, struct crash_context *crash) {
    struct error error = {0};
    points->changer = (struct start_changer){points, on_start};
    points->base = base_run_of(points, crash);
    points->base.changer = &points->changer;
    forks_init(&points->forks);
    int r = base_run_simulate(&points->base, &error);
    if (points->forks.self)
        hand_in_fork(points, &error);
    bool waited = forks_wait(&points->forks) == 0;
    points->end->cut_short = !waited || r == ERROR_CANCELLED;
    if (r < 0 && r != ERROR_CANCELLED)
        points->end->error = error;
    check_end(points);
    drop_open_points(points);
    forks_finish(&points->forks);
    base_run_finish(&points->base);
}

void decision_points_run(const struct decision_task *task, struct crash_context *crash,
                         struct regret_rows *rows, struct decision_end *ret_end) {
    struct decision_points points = {.task = task, .rows = rows, .end = ret_end};
    struct problems problems = {0};
    points.forks = (struct forks){.most = task->how->processes > 0 ? task->how->processes : 1,
                                  .cancel = task->how->cancel,
                                  .context = &points,
                                  .ended = on_fork_end};
    *ret_end = (struct decision_end){.points = 0};
    crash->generating = task->replication + 1;
    int r = study_generate(task->study, task->replication, &points.workload, &problems);
    crash->generating = 0;
    if (r < 0)
        error_set(&ret_end->error, ERROR_INPUT, "%s",
                  problems.count > 0 ? problems.texts[0] : "no workload");
    points.finish_ns = mem_zalloc(points.workload.jobs.count, sizeof *points.finish_ns);
    if (r == 0)
        r = run_own(&points, crash);
    if (r == 0)
        run_copied(&points, crash);
    else if (r == ERROR_CANCELLED)
        *ret_end = (struct decision_end){.cut_short = true};
    drop_finishes(&points);
    free(points.finishes.at);
    free(points.finish_ns);
    workload_finish(&points.workload);
    problems_finish(&problems);
}
