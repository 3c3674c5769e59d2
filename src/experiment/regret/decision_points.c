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

/* What a copy hands in. */
struct branch_end {
    struct run_figures figures;
    struct regret_others others;
    uint32_t most_sooner, most_later; /* jobs, or EASIM_NONE */
    struct error error;
};

struct trunk {
    const struct trunk_task *task;
    struct workload workload;
    struct course course;
    struct start_changer changer;
    struct branches branches;
    struct regret_rows *rows;
    struct trunk_end *end;
    int64_t *finish_ns;           /* by job, of the schedule that the run would come to so far */
    ARRAY_OF(int64_t *) finishes; /* the same of each copy of the present point, if one is taken */
    size_t next_point;            /* of the task's list */
    size_t first_row;             /* of the present point */
    uint32_t held_job;            /* waits in this decision, whatever the policy asks for */
    uint64_t held_decision;       /* 0: none does */
    uint32_t branch_job;          /* in a copy: whose action was replaced */
};

bool trunk_is_better(double value, double other) {
    return value < other - ROUNDING * fabs(other);
}

/* ---- What else could be done ---- */

static struct regret_row row_of(struct trunk *trunk, const struct sim *sim, uint32_t job) {
    const struct easim_view *view = sim->view.v;
    const struct workload *workload = &trunk->workload;
    const struct job_spec *spec = &workload->jobs.at[job];
    struct regret_rows *rows = trunk->rows;
    return (struct regret_row){
        .replication = trunk->task->replication + 1,
        .point = trunk->end->points,
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

static void add_start(struct trunk *trunk, struct regret_row row, struct sim *sim,
                      enum regret_action action) {
    const struct easim_view *view = sim->view.v;
    const struct easim_config *c = easim_view_config(view, row.config);
    const struct easim_job *job = &sim->view.jobs[trunk->branch_job];
    int64_t committed_nw;
    int span = gpus_try_free(sim, row.config, &committed_nw);
    const struct easim_choice choice = easim_predict(view, job, row.config, (uint32_t)span);
    row.action = action;
    row.gpu_type = c->gpu_type;
    row.k = c->k;
    row.milli = c->milli;
    row.batch = c->batch;
    row.power_limit_w = c->power_limit_w;
    row.time_s = choice.time_s;
    row.energy_j = choice.energy_j;
    array_push(&trunk->rows->at, row);
}

static bool can_start(struct sim *sim, uint32_t job, uint32_t config) {
    int64_t committed_nw;
    return !power_cap_forbids(sim, job, config) && gpus_try_free(sim, config, &committed_nw) >= 0;
}

static bool is_wished(const struct trunk *trunk, const struct sim *sim, uint32_t config) {
    const struct trunk_wish *wish = trunk->task->wish;
    const struct easim_config *c = easim_view_config(sim->view.v, config);
    return !wish || (c->k == wish->k && c->milli == 0 && c->gpu_type == wish->gpu_type);
}

/* The chosen action, then all others. */
static void add_rows(struct trunk *trunk, struct sim *sim, const struct start_offer *offer) {
    const struct easim_job *job = &sim->view.jobs[offer->job];
    struct regret_row row = row_of(trunk, sim, offer->job);
    trunk->branch_job = offer->job;
    trunk->first_row = trunk->rows->at.count;
    row.config = offer->config;
    add_start(trunk, row, sim, REGRET_CHOSEN);
    for (row.config = job->first_config; row.config < job->first_config + job->config_count;
         row.config++)
        if (row.config != offer->config && is_wished(trunk, sim, row.config) &&
            can_start(sim, offer->job, row.config))
            add_start(trunk, row, sim, REGRET_OTHER);
    row.config = EASIM_NONE;
    row.action = REGRET_WAIT;
    if (offer->can_wait && (!trunk->task->wish || trunk->task->wish->waits))
        array_push(&trunk->rows->at, row);
}

/* ---- Copies ---- */

static uint32_t take_action(struct trunk *trunk, const struct sim *sim,
                            const struct regret_row *row) {
    if (row->action == REGRET_WAIT) {
        trunk->held_job = trunk->branch_job;
        trunk->held_decision = sim->decision_total;
    }
    return row->config;
}

static void take_end(struct trunk *trunk, struct regret_row *row, const struct branch_end *end) {
    struct regret_rows *rows = trunk->rows;
    const struct workload *workload = &trunk->workload;
    if (end->error.code < 0) {
        row->failure = text_places_add(&rows->texts, end->error.text);
        return;
    }
    if (row->action == REGRET_CHOSEN && end->figures.digest != trunk->end->reached.digest)
        row->failure = text_places_add(
            &rows->texts, "check: with nothing replaced, a copy ends another way than the run");
    memcpy(row->of, end->figures.of, sizeof row->of);
    row->digest = end->figures.digest;
    row->known = true;
    row->others = end->others;
    if (end->most_sooner != EASIM_NONE)
        row->most_sooner = text_places_add(&rows->texts, workload->jobs.at[end->most_sooner].id);
    if (end->most_later != EASIM_NONE)
        row->most_later = text_places_add(&rows->texts, workload->jobs.at[end->most_later].id);
}

static size_t finish_bytes(const struct trunk *trunk) {
    return trunk->workload.jobs.count * sizeof *trunk->finish_ns;
}

static void keep_finishes(struct trunk *trunk, size_t row, struct slice from) {
    if (from.length == 0 || from.length != finish_bytes(trunk))
        return;
    while (trunk->finishes.count <= row - trunk->first_row)
        array_push(&trunk->finishes, NULL);
    int64_t *finish_ns = mem_alloc(from.length);
    memcpy(finish_ns, from.at, from.length);
    trunk->finishes.at[row - trunk->first_row] = finish_ns;
}

static void drop_finishes(struct trunk *trunk) {
    for (size_t i = 0; i < trunk->finishes.count; i++)
        free(trunk->finishes.at[i]);
    trunk->finishes.count = 0;
}

static void on_branch_end(void *context, size_t number, struct slice result, const char *failure) {
    struct trunk *trunk = context;
    struct regret_row *row = &trunk->rows->at.at[number];
    struct branch_end end;
    if (!failure && result.length >= sizeof end) {
        memcpy(&end, result.at, sizeof end);
        take_end(trunk, row, &end);
        keep_finishes(trunk, number,
                      (struct slice){result.at + sizeof end, result.length - sizeof end});
    } else {
        row->failure =
            text_places_add(&trunk->rows->texts, failure ? failure : "its result cannot be read");
    }
}

static bool is_over(const struct regret_row *row) {
    return row->known || row->failure > 0;
}

/* The best action that is known; the chosen one unless another is better. */
static size_t best_row(const struct trunk *trunk) {
    const struct regret_row *rows = trunk->rows->at.at;
    size_t best = trunk->first_row;
    for (size_t i = best + 1; i < trunk->rows->at.count; i++)
        if (rows[i].known &&
            trunk_is_better(rows[i].of[trunk->task->by], rows[best].of[trunk->task->by]))
            best = i;
    return best;
}

static void keep_chosen(struct trunk *trunk) {
    struct regret_row *chosen = &trunk->rows->at.at[trunk->first_row];
    memcpy(chosen->of, trunk->end->reached.of, sizeof chosen->of);
    chosen->known = chosen->taken = true;
}

/* Goes on with the best action. */
static uint32_t improve(struct trunk *trunk, const struct sim *sim, uint32_t config) {
    struct regret_rows *rows = trunk->rows;
    if (branches_wait(&trunk->branches) < 0)
        return config;
    size_t best = best_row(trunk);
    bool taken = best != trunk->first_row;
    if (taken)
        memcpy(trunk->finish_ns, trunk->finishes.at[best - trunk->first_row], finish_bytes(trunk));
    drop_finishes(trunk);
    if (!taken)
        return config;
    rows->at.at[trunk->first_row].taken = false;
    rows->at.at[best].taken = true;
    memcpy(trunk->end->reached.of, rows->at.at[best].of, sizeof rows->at.at[best].of);
    trunk->end->reached.digest = rows->at.at[best].digest;
    return take_action(trunk, sim, &rows->at.at[best]);
}

static uint32_t look_at_point(struct trunk *trunk, struct sim *sim,
                              const struct start_offer *offer) {
    const struct trunk_task *task = trunk->task;
    const char *calling = trunk->course.crash->calling;
    add_rows(trunk, sim, offer);
    keep_chosen(trunk);
    for (size_t i = trunk->first_row; i < trunk->rows->at.count; i++) {
        if (i == trunk->first_row && !task->checks)
            continue;
        if (branches_fork(&trunk->branches, i) > 0) {
            course_rename(&trunk->course, trunk->branches.self->forked.crash, calling);
            return take_action(trunk, sim, &trunk->rows->at.at[i]);
        }
    }
    trunk->end->looked_at++;
    if (task->how->done)
        atomic_fetch_add(task->how->done, 1);
    return task->improves ? improve(trunk, sim, offer->config) : offer->config;
}

static bool is_wanted(struct trunk *trunk, const struct start_offer *offer) {
    const struct trunk_task *task = trunk->task;
    if (trunk->end->cut_short || (task->how->cancel && atomic_load(task->how->cancel)))
        return false;
    if (task->job)
        return strcmp(trunk->workload.jobs.at[offer->job].id, task->job) == 0;
    if (task->every)
        return true;
    if (trunk->next_point == task->point_count ||
        task->points[trunk->next_point] != trunk->end->points)
        return false;
    trunk->next_point++;
    return true;
}

static uint32_t on_start(void *context, struct sim *sim, const struct start_offer *offer) {
    struct trunk *trunk = context;
    if (trunk->held_decision == sim->decision_total && trunk->held_job == offer->job)
        return EASIM_NONE;
    if (trunk->branches.self)
        return offer->config;
    trunk->end->points++;
    return is_wanted(trunk, offer) ? look_at_point(trunk, sim, offer) : offer->config;
}

/* ---- The end of a run ---- */

static int64_t end_ns(const struct sim *sim, uint32_t job) {
    bool finished = job < sim->next_arrival && sim->runs[job].finish_ns >= 0 &&
                    sim_job_state(sim, job) == EASIM_JOB_FINISHED;
    return finished ? sim->runs[job].finish_ns : sim->now_ns;
}

static void compare_jobs(const struct trunk *trunk, struct branch_end *end) {
    const struct sim *sim = &trunk->course.sim;
    struct regret_others *others = &end->others;
    end->most_sooner = end->most_later = EASIM_NONE;
    for (uint32_t j = 0; j < trunk->workload.jobs.count; j++) {
        double later_s = units_s(end_ns(sim, j) - trunk->finish_ns[j]);
        if (j == trunk->branch_job) {
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

/* Of a copy: its process ends here. */
_Noreturn static void hand_in_branch(struct trunk *trunk, const struct error *error) {
    struct branch_end end = {.error = *error};
    struct str bytes = {0};
    if (error->code == 0) {
        end.figures = course_figures(&trunk->course);
        compare_jobs(trunk, &end);
    }
    str_add_bytes(&bytes, (const char *)&end, sizeof end);
    for (uint32_t j = 0; j < trunk->workload.jobs.count && trunk->task->improves; j++) {
        const int64_t finish_ns = end_ns(&trunk->course.sim, j);
        str_add_bytes(&bytes, (const char *)&finish_ns, sizeof finish_ns);
    }
    forked_hand_in(&trunk->branches.self->forked, &bytes);
}

/* From the first point on whose copies have not all ended. */
static void drop_open_points(struct trunk *trunk) {
    struct regret_rows *rows = trunk->rows;
    size_t end = 0;
    while (end < rows->at.count && is_over(&rows->at.at[end]))
        end++;
    while (end < rows->at.count && end > 0 && rows->at.at[end].action != REGRET_CHOSEN)
        end--;
    rows->at.count = end;
    trunk->end->looked_at = 0;
    for (size_t i = 0; i < end; i++)
        trunk->end->looked_at += rows->at.at[i].action == REGRET_CHOSEN;
}

static struct course course_of(const struct trunk *trunk, struct crash_context *crash) {
    return (struct course){.study = trunk->task->study,
                           .workload = &trunk->workload,
                           .replication = trunk->task->replication,
                           .how = trunk->task->how,
                           .crash = crash};
}

/* The policy's own run, which copies are compared with. */
static int run_own(struct trunk *trunk, struct crash_context *crash) {
    struct course own = course_of(trunk, crash);
    int r = course_run(&own, &trunk->end->error);
    if (r == 0) {
        trunk->end->own = trunk->end->reached = course_figures(&own);
        for (uint32_t j = 0; j < trunk->workload.jobs.count; j++)
            trunk->finish_ns[j] = end_ns(&own.sim, j);
    }
    course_finish(&own);
    return r;
}

/* The run must end as was foretold: as the policy's own, or as the copy whose action was taken. */
static void check_end(struct trunk *trunk) {
    struct trunk_end *end = trunk->end;
    if (end->cut_short || end->error.code < 0 ||
        course_figures(&trunk->course).digest == end->reached.digest)
        return;
    error_set(&end->error, ERROR_RUN,
              "policy %s: replication %u, repeated with the same random numbers, goes another way: "
              "what else it could have done cannot be told",
              trunk->task->study->module.policy->name, trunk->task->replication + 1);
}

static void run_trunk(struct trunk *trunk, struct crash_context *crash) {
    struct error error = {0};
    trunk->changer = (struct start_changer){trunk, on_start};
    trunk->course = course_of(trunk, crash);
    trunk->course.changer = &trunk->changer;
    branches_init(&trunk->branches);
    int r = course_run(&trunk->course, &error);
    if (trunk->branches.self)
        hand_in_branch(trunk, &error);
    bool waited = branches_wait(&trunk->branches) == 0;
    trunk->end->cut_short = !waited || r == ERROR_CANCELLED;
    if (r < 0 && r != ERROR_CANCELLED)
        trunk->end->error = error;
    check_end(trunk);
    drop_open_points(trunk);
    branches_finish(&trunk->branches);
    course_finish(&trunk->course);
}

void trunk_run(const struct trunk_task *task, struct crash_context *crash, struct regret_rows *rows,
               struct trunk_end *ret_end) {
    struct trunk trunk = {.task = task, .rows = rows, .end = ret_end};
    struct problems problems = {0};
    trunk.branches = (struct branches){.most = task->how->processes > 0 ? task->how->processes : 1,
                                       .cancel = task->how->cancel,
                                       .context = &trunk,
                                       .ended = on_branch_end};
    *ret_end = (struct trunk_end){.points = 0};
    crash->generating = task->replication + 1;
    int r = study_generate(task->study, task->replication, &trunk.workload, &problems);
    crash->generating = 0;
    if (r < 0)
        error_set(&ret_end->error, ERROR_INPUT, "%s",
                  problems.count > 0 ? problems.texts[0] : "no workload");
    trunk.finish_ns = mem_zalloc(trunk.workload.jobs.count, sizeof *trunk.finish_ns);
    if (r == 0)
        r = run_own(&trunk, crash);
    if (r == 0)
        run_trunk(&trunk, crash);
    else if (r == ERROR_CANCELLED)
        *ret_end = (struct trunk_end){.cut_short = true};
    drop_finishes(&trunk);
    free(trunk.finishes.at);
    free(trunk.finish_ns);
    workload_finish(&trunk.workload);
    problems_finish(&problems);
}
