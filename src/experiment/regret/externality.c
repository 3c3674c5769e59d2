/* The cost of one job for the others: each replication with it and without it, in a process of its
   own: see externality.h. */
#include "experiment/regret/externality.h"

#include "base/units.h"
#include "experiment/regret/forks.h"
#include "metrics/job_record.h"

#include <stdlib.h>
#include <string.h>

/* Results of a replication, before its rows and their texts. */
struct outcome {
    struct run_figures of[2];
    bool cut_short;
    struct error error;
    uint64_t rows, text_bytes;
};

struct imposing {
    struct externality *all;
    uint32_t replication; /* from 0 */
    struct crash_context *crash;
    struct workload workload;
    uint32_t job; /* its index */
    ARRAY_OF(struct imposed_row) rows;
    struct str texts;
    struct outcome outcome;
};

/* ---- One replication ---- */

static int find_job(struct imposing *one) {
    const struct workload *workload = &one->workload;
    const char **names = mem_alloc(workload->jobs.count * sizeof *names);
    uint32_t j = 0, count = (uint32_t)workload->jobs.count;
    struct arena arena = {0};
    for (uint32_t i = 0; i < count; i++)
        names[i] = workload->jobs.at[i].id;
    while (j < count && strcmp(names[j], one->all->job) != 0)
        j++;
    one->job = j;
    if (j == count)
        error_set(&one->outcome.error, ERROR_INPUT,
                  "no job \"%.80s\" is submitted in replication %u%s", one->all->job,
                  one->replication + 1, str_suggestion(&arena, one->all->job, names, count));
    arena_finish(&arena);
    free(names);
    return one->outcome.error.code;
}

static int refuse_job(struct imposing *one, const struct sim *sim) {
    struct error *error = &one->outcome.error;
    if (one->job >= sim->next_arrival)
        return error_set(error, ERROR_INPUT, "job \"%.80s\" is not submitted within replication %u",
                         one->all->job, one->replication + 1);
    if (sim->reject_reasons[one->job])
        return error_set(error, ERROR_INPUT,
                         "job \"%.80s\" is rejected in replication %u (%s): it imposes "
                         "nothing on others",
                         one->all->job, one->replication + 1, sim->reject_reasons[one->job]);
    return 0;
}

static void fill_row(struct imposed_row *row, const struct sim *sim, uint32_t job, int run) {
    const struct job_record record = job_record_of(sim, job);
    bool finished = record.state == EASIM_JOB_FINISHED;
    row->submit_ns = record.spec->submit_ns;
    row->finish_ns[run] = finished ? record.finish_ns : -1;
    row->jct_s[run] = units_s((finished ? record.finish_ns : sim->now_ns) - record.spec->submit_ns);
    row->energy_j[run] = record.energy_j;
    row->missed[run] = record.deadline_is_due && record.deadline == DEADLINE_MISSED;
}

static struct imposed_row row_of(struct imposing *one, uint32_t job) {
    const struct job_spec *spec = &one->workload.jobs.at[job];
    return (struct imposed_row){
        .replication = one->replication + 1,
        .job = text_places_add(&one->texts, spec->id),
        .model = text_places_add(&one->texts, workload_model_name(&one->workload, spec)),
        .user = text_places_add(&one->texts, one->workload.users.at[spec->user].name)};
}

/* The job itself, then the others in order. */
static void keep_with(struct imposing *one, const struct sim *sim) {
    struct imposed_row own = row_of(one, one->job);
    fill_row(&own, sim, one->job, 0);
    own.finish_ns[1] = TIME_NONE_NS;
    array_push(&one->rows, own);
    for (uint32_t j = 0; j < sim->next_arrival; j++) {
        if (j == one->job)
            continue;
        struct imposed_row row = row_of(one, j);
        fill_row(&row, sim, j, 0);
        array_push(&one->rows, row);
    }
}

static void keep_without(struct imposing *one, const struct sim *sim) {
    for (uint32_t j = 0; j < sim->next_arrival; j++)
        fill_row(&one->rows.at[1 + j], sim, j, 1);
}

static int run_one(struct imposing *one, int run) {
    struct base_run base = {.study = one->all->study,
                            .workload = &one->workload,
                            .replication = one->replication,
                            .how = one->all->how,
                            .crash = one->crash};
    int r = base_run_simulate(&base, &one->outcome.error);
    if (r == 0 && run == 0)
        r = refuse_job(one, &base.sim);
    if (r == 0) {
        one->outcome.of[run] = base_run_figures(&base);
        (run == 0 ? keep_with : keep_without)(one, &base.sim);
    }
    base_run_finish(&base);
    return r;
}

static int run_both(struct imposing *one) {
    const struct study *study = one->all->study;
    struct problems problems = {0};
    one->crash->generating = one->replication + 1;
    int r = study_generate(study, one->replication, &one->workload, &problems);
    one->crash->generating = 0;
    if (r < 0)
        r = error_set(&one->outcome.error, ERROR_INPUT, "%s",
                      problems.count > 0 ? problems.texts[0] : "no workload");
    if (r == 0)
        r = find_job(one);
    if (r == 0)
        r = run_one(one, 0);
    if (r == 0) {
        workload_remove_job(&one->workload, one->job);
        r = run_one(one, 1);
    }
    problems_finish(&problems);
    return r;
}

struct imposings {
    struct externality *all;
    struct outcome *outcomes; /* by replication */
    struct str *bytes;        /* rows and texts of each, which go into the result in order */
    struct error error;
    size_t failed; /* the replication of the error */
};

static void impose(void *context, size_t task, struct crash_context *crash, struct str *out) {
    struct imposing one = {.all = ((const struct imposings *)context)->all,
                           .replication = (uint32_t)task,
                           .crash = crash};
    crash_context_policy(crash, &one.all->study->module);
    int r = run_both(&one);
    one.outcome.cut_short = r == ERROR_CANCELLED;
    one.outcome.rows = r == 0 ? one.rows.count : 0;
    one.outcome.text_bytes = r == 0 ? one.texts.length : 0;
    str_add_bytes(out, (const char *)&one.outcome, sizeof one.outcome);
    str_add_bytes(out, (const char *)one.rows.at, one.outcome.rows * sizeof *one.rows.at);
    str_add_bytes(out, one.texts.text, one.outcome.text_bytes);
    free(one.rows.at);
    str_finish(&one.texts);
    workload_finish(&one.workload);
}

/* ---- All of them ---- */

static int keep_outcome(void *context, size_t task, struct slice result, const char *failure) {
    struct imposings *all = context;
    struct outcome *outcome = &all->outcomes[task];
    if (!failure && result.length >= sizeof *outcome)
        memcpy(outcome, result.at, sizeof *outcome);
    if (failure)
        error_set(&outcome->error, ERROR_RUN, "%s", failure);
    else if (result.length !=
             sizeof *outcome + outcome->rows * sizeof(struct imposed_row) + outcome->text_bytes)
        error_set(&outcome->error, ERROR_RUN, "a result cannot be read");
    else
        str_add_bytes(&all->bytes[task], result.at + sizeof *outcome,
                      result.length - sizeof *outcome);
    if (outcome->error.code < 0 && !outcome->cut_short &&
        (all->error.code == 0 || task < all->failed)) {
        all->error = outcome->error;
        all->failed = task;
    }
    if (all->all->how->done)
        atomic_fetch_add(all->all->how->done, 1);
    return outcome->error.code;
}

static void take_rows(struct externality *all, uint32_t replication, const struct outcome *outcome,
                      const struct str *bytes) {
    const char *at = bytes->text;
    size_t by = all->texts.length;
    for (uint64_t i = 0; i < outcome->rows; i++, at += sizeof(struct imposed_row)) {
        struct imposed_row *row = array_add(&all->rows);
        memcpy(row, at, sizeof *row);
        size_t *const places[] = {&row->job, &row->model, &row->user};
        text_places_move(places, sizeof places / sizeof *places, by);
    }
    str_add_bytes(&all->texts, at, outcome->text_bytes);
    memcpy(all->replications[replication].of, outcome->of, sizeof outcome->of);
    all->replications[replication].known = true;
    all->known++;
}

int externality_run(struct externality *externality, struct error *reterr) {
    externality->count = (uint32_t)externality->study->scenario.replications;
    size_t count = externality->count;
    externality->replications = mem_zalloc(count, sizeof *externality->replications);
    struct imposings all = {.all = externality,
                            .outcomes = mem_zalloc(count, sizeof *all.outcomes),
                            .bytes = mem_zalloc(count, sizeof *all.bytes)};
    const struct isolated tasks = {.count = count,
                                   .processes = externality->how->processes,
                                   .cancel = externality->how->cancel,
                                   .context = &all,
                                   .work = impose,
                                   .done = keep_outcome};
    int r = isolated_run(&tasks, reterr);
    if (all.error.code < 0) {
        *reterr = all.error;
        r = all.error.code;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (all.outcomes[i].rows > 0)
            take_rows(externality, i, &all.outcomes[i], &all.bytes[i]);
        str_finish(&all.bytes[i]);
    }
    free(all.outcomes);
    free(all.bytes);
    return r;
}

void externality_finish(struct externality *externality) {
    free(externality->rows.at);
    str_finish(&externality->texts);
    free(externality->replications);
}
