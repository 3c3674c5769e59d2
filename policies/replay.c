/* replay: a recorded schedule: who had how many GPUs from which instant on. Invariant: `active` are
   the jobs that are to run now, those of the present instant first, then those whose last row has
   passed. */
#include <easim/policy.h>
#include <stdlib.h>
#include <string.h>

struct params {
    const struct easim_table *file;
};

enum column { TIME, JOB, GPUS };

/* Why a row is not carried out at once. */
enum delay { DELAY_NONE, DELAY_SUBMIT, DELAY_GPUS, DELAY_CHECKPOINT, DELAY_CONFIG, DELAY_COUNT };
static const char *const late[] = {
    NULL, "rows carried out late, because the job was submitted later",
    "rows carried out late, because too few GPUs were free",
    "rows carried out late, because the job was still writing a checkpoint", NULL};
static const char *const never[] = {
    NULL, "rows not carried out, because the job was submitted later",
    "rows not carried out, because too few GPUs were free",
    "rows not carried out, because the job was still writing a checkpoint",
    "rows not carried out, because the job has no configuration with so many GPUs"};

/* A job of the file. Rows are numbered by time, those of an instant in file order. */
struct recorded {
    const char *id;
    uint32_t job;       /* EASIM_NONE: not submitted yet */
    uint32_t last;      /* its last row */
    uint32_t row;       /* by which it is to run now; EASIM_NONE: it is not */
    uint32_t missed;    /* rows that passed before it was submitted */
    enum delay delay;   /* of that row so far */
    bool carried, over; /* that row has been dealt with; running on after the last is counted */
};

struct state {
    uint32_t *order;       /* row of the file, by row */
    uint32_t *recorded_of; /* row -> place in jobs */
    struct recorded *jobs; /* by id */
    uint32_t count;
    uint32_t *known; /* job of the workload -> place in jobs, or EASIM_NONE */
    uint32_t *active, active_count;
    uint32_t next;      /* first row of the next instant */
    uint32_t asked_for; /* row whose instant a wake-up has been asked for; EASIM_NONE: none */
    bool open;          /* some active job does not run as it is to */
};

/* --- the file --- */

static const struct easim_table *file_of(const struct easim_pass *pass) {
    return ((const struct params *)pass->params)->file;
}

static double time_of(const struct easim_pass *pass, uint32_t row) {
    const struct state *s = pass->state;
    return ((const double *)file_of(pass)->columns[TIME])[s->order[row]];
}

static double gpus_of(const struct easim_pass *pass, uint32_t row) {
    const struct state *s = pass->state;
    return ((const double *)file_of(pass)->columns[GPUS])[s->order[row]];
}

static const char *id_of(const struct easim_table *file, uint32_t at) {
    return ((const char *const *)file->columns[JOB])[at];
}

static int compare_times(const void *left, const void *right, void *context) {
    const double *times = ((const struct easim_table *)context)->columns[TIME];
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return times[a] != times[b] ? (times[a] > times[b]) - (times[a] < times[b]) : (a > b) - (a < b);
}

static int compare_ids(const void *left, const void *right) {
    return strcmp(((const struct recorded *)left)->id, ((const struct recorded *)right)->id);
}

static struct recorded *find_id(const struct state *s, const char *id) {
    const struct recorded wanted = {.id = id};
    return bsearch(&wanted, s->jobs, s->count, sizeof wanted, compare_ids);
}

/* The jobs of the file, by id, each once. */
static void gather_jobs(struct state *s, const struct easim_table *file) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < file->row_count; i++)
        s->jobs[i] = (struct recorded){.id = id_of(file, i), .job = EASIM_NONE, .row = EASIM_NONE};
    qsort(s->jobs, file->row_count, sizeof *s->jobs, compare_ids);
    for (uint32_t i = 0; i < file->row_count; i++)
        if (i == 0 || strcmp(s->jobs[count - 1].id, s->jobs[i].id) != 0)
            s->jobs[count++] = s->jobs[i];
    s->count = count;
}

static void sort_rows(struct state *s, const struct easim_table *file) {
    for (uint32_t i = 0; i < file->row_count; i++)
        s->order[i] = i;
    qsort_r(s->order, file->row_count, sizeof *s->order, compare_times, (void *)file);
    for (uint32_t row = 0; row < file->row_count; row++) {
        struct recorded *r = find_id(s, id_of(file, s->order[row]));
        s->recorded_of[row] = (uint32_t)(r - s->jobs);
        r->last = row;
    }
}

static int init(const struct easim_pass *pass) {
    struct state *s = pass->state;
    const struct easim_table *file = file_of(pass);
    s->order = calloc(file->row_count, sizeof *s->order);
    s->recorded_of = calloc(file->row_count, sizeof *s->recorded_of);
    s->jobs = calloc(file->row_count, sizeof *s->jobs);
    s->active = calloc(2 * (size_t)file->row_count, sizeof *s->active);
    s->known = calloc(pass->view->job_count + 1, sizeof *s->known);
    if (!s->order || !s->recorded_of || !s->jobs || !s->active || !s->known) {
        pass->host->fail(pass->plan, "out of memory");
        return -1;
    }
    memset(s->known, 0xff, (pass->view->job_count + 1) * sizeof *s->known);
    gather_jobs(s, file);
    sort_rows(s, file);
    s->asked_for = EASIM_NONE;
    return 0;
}

/* --- what has happened --- */

static void count(const struct easim_pass *pass, const char *what, const char *name) {
    pass->host->count(pass->plan, what, name);
}

/* A job of the file is submitted. If its last row has passed, it is to run from now on. */
static void admit(struct state *s, struct recorded *r, uint32_t job) {
    r->job = job;
    s->known[job] = (uint32_t)(r - s->jobs);
    if (r->row != EASIM_NONE || r->last >= s->next)
        return;
    r->missed--;
    r->row = r->last;
    r->delay = DELAY_SUBMIT;
    s->active[s->active_count++] = s->known[job];
}

/* Returns whether somebody may start for a reason of his own: he is new, or a node has failed. */
static bool read_events(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    struct state *s = pass->state;
    bool changes = false;
    for (uint32_t i = 0; i < view->event_count; i++) {
        const struct easim_event *event = easim_view_event(view, i);
        const struct easim_job *job = easim_view_job(view, event->job);
        changes = changes || event->kind <= EASIM_EVENT_REPAIR;
        if (event->kind != EASIM_EVENT_ARRIVAL || !job || job->state > EASIM_JOB_CHECKPOINTING)
            continue;
        struct recorded *r = find_id(s, job->id);
        if (r)
            admit(s, r, job->index);
        else
            count(pass, "jobs that the file does not have, which wait for ever", job->id);
        changes = changes || r;
    }
    return changes;
}

/* NULL: not submitted, or over. */
static const struct easim_job *job_of(const struct easim_pass *pass, const struct recorded *r) {
    const struct easim_job *job = r->job == EASIM_NONE ? NULL : easim_view_job(pass->view, r->job);
    return job && job->state <= EASIM_JOB_CHECKPOINTING ? job : NULL;
}

static bool is_over(const struct easim_pass *pass, const struct recorded *r) {
    return r->job != EASIM_NONE && !job_of(pass, r);
}

/* --- instants --- */

/* A row whose time is over. */
static void leave_row(const struct easim_pass *pass, struct recorded *r) {
    if (!r->carried && r->job == EASIM_NONE)
        r->missed++; /* at the end it is known whether there is such a job */
    else if (!r->carried)
        count(pass, never[r->delay ? r->delay : DELAY_SUBMIT], r->id);
    r->row = EASIM_NONE;
}

/* Who was to run and has rows to come waits for those; the others are to run until they are done.
   Returns their number. */
static uint32_t leave_instant(const struct easim_pass *pass, uint32_t *kept) {
    struct state *s = pass->state;
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < s->active_count; i++) {
        struct recorded *r = &s->jobs[s->active[i]];
        const struct easim_job *job = job_of(pass, r);
        if (!job || r->row != r->last) {
            leave_row(pass, r);
            continue;
        }
        if (!r->over && job->state == EASIM_JOB_RUNNING) {
            count(pass, "jobs that run on after their last row, until they are done", r->id);
            r->over = true;
        }
        kept[kept_count++] = s->active[i];
    }
    return kept_count;
}

static void enter_instant(const struct easim_pass *pass) {
    struct state *s = pass->state;
    uint32_t *kept = s->active + file_of(pass)->row_count, kept_count = leave_instant(pass, kept);
    double time_s = time_of(pass, s->next);
    s->active_count = 0;
    for (; s->next < file_of(pass)->row_count && time_of(pass, s->next) == time_s; s->next++) {
        struct recorded *r = &s->jobs[s->recorded_of[s->next]];
        if (is_over(pass, r)) {
            count(pass, "rows of finished jobs are dropped", r->id);
            continue;
        }
        const struct easim_job *job = job_of(pass, r);
        r->row = s->next;
        r->carried = false;
        r->delay = job && job->submit_s > time_s + 1e-9 ? DELAY_SUBMIT : DELAY_NONE;
        s->active[s->active_count++] = s->recorded_of[s->next];
    }
    memmove(&s->active[s->active_count], kept, kept_count * sizeof *kept);
    s->active_count += kept_count;
}

/* Whoever runs and is not to. */
static void preempt_others(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    const struct state *s = pass->state;
    uint32_t running = view->running_count; /* which a preemption changes */
    uint32_t *jobs = pass->host->scratch(pass->plan, running * sizeof *jobs + 1);
    for (uint32_t i = 0; i < running; i++)
        jobs[i] = easim_view_running(view, i)->job;
    for (uint32_t i = 0; i < running; i++) {
        const struct recorded *r = &s->jobs[s->known[jobs[i]]];
        if (r->row != EASIM_NONE)
            continue;
        if (easim_view_job(view, jobs[i])->preemptible)
            pass->host->plan_preempt(pass->plan, jobs[i], false);
        else
            count(pass, "preemptions not carried out, because the job must not be preempted",
                  r->id);
    }
}

/* --- starts --- */

/* Of a GPU that others may share, the part that is held counts, or it counts as one. */
static bool has_gpus(const struct easim_config *config, double gpus) {
    return fabs(easim_config_gpus(config) - gpus) <= 0.0005 || (config->milli > 0 && gpus == 1);
}

/* The configuration with so many GPUs of least time that fits now; *ret_any: whether there is one
   at all. */
static uint32_t choose(const struct easim_pass *pass, const struct easim_job *job, double gpus,
                       bool *ret_any) {
    const struct easim_view *view = pass->view;
    uint32_t best = EASIM_NONE;
    double best_s = INFINITY;
    *ret_any = false;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        if (!has_gpus(easim_view_config(view, c), gpus))
            continue;
        *ret_any = true;
        int span = pass->host->try_config(pass->plan, job->index, c, NULL);
        if (span < 0)
            continue;
        double time_s = job->state == EASIM_JOB_RUNNING
                            ? easim_predict_resized(view, job, c, (uint32_t)span).time_s
                            : easim_predict(view, job, c, (uint32_t)span).time_s;
        best = time_s < best_s ? c : best;
        best_s = fmin(best_s, time_s);
    }
    return best;
}

static void carry_out(const struct easim_pass *pass, struct recorded *r) {
    if (!r->carried && r->delay != DELAY_NONE)
        count(pass, late[r->delay], r->id);
    else if (r->carried)
        count(pass, "starts after a failure, by the row of the time", r->id);
    r->carried = true;
}

static bool put_off(struct recorded *r, enum delay delay) {
    r->delay = r->delay == DELAY_NONE ? delay : r->delay;
    return false;
}

/* It stays as it is: where it runs, or in the queue. */
static bool give_up(const struct easim_pass *pass, struct recorded *r) {
    if (r->delay != DELAY_CONFIG)
        count(pass, never[DELAY_CONFIG], r->id);
    r->delay = DELAY_CONFIG;
    r->carried = true;
    return true;
}

/* Whether the job runs now as it is to, or nothing can be done about it. */
static bool run_job(const struct easim_pass *pass, struct recorded *r, bool shrink) {
    const struct easim_job *job = job_of(pass, r);
    if (!job)
        return is_over(pass, r) || !put_off(r, DELAY_SUBMIT); /* its arrival is an event */
    const struct easim_config *held =
        job->state == EASIM_JOB_RUNNING ? easim_view_config(pass->view, job->config) : NULL;
    double gpus = gpus_of(pass, r->row);
    bool any;
    if (held && has_gpus(held, gpus)) {
        if (!r->carried)
            carry_out(pass, r);
        return true;
    }
    if (shrink && (!held || easim_config_gpus(held) <= gpus))
        return false;
    if (job->state == EASIM_JOB_CHECKPOINTING)
        return put_off(r, DELAY_CHECKPOINT);
    uint32_t config = choose(pass, job, gpus, &any);
    if (config == EASIM_NONE)
        return any ? put_off(r, DELAY_GPUS) : give_up(pass, r);
    int answer = held ? pass->host->plan_resize(pass->plan, job->index, config)
                      : pass->host->plan_start(pass->plan, job->index, config);
    if (answer < 0)
        return put_off(r, DELAY_GPUS);
    carry_out(pass, r);
    return true;
}

/* Those first that give GPUs back. */
static void run_active(const struct easim_pass *pass) {
    struct state *s = pass->state;
    for (uint32_t i = 0; i < s->active_count; i++)
        run_job(pass, &s->jobs[s->active[i]], true);
    s->open = false;
    for (uint32_t i = 0; i < s->active_count; i++)
        s->open = !run_job(pass, &s->jobs[s->active[i]], false) || s->open;
}

static int decide(const struct easim_pass *pass) {
    struct state *s = pass->state;
    uint32_t rows = file_of(pass)->row_count;
    bool changes = read_events(pass), entered = false;
    while (s->next < rows && time_of(pass, s->next) <= pass->view->now_s) {
        enter_instant(pass);
        entered = true;
    }
    if (entered)
        preempt_others(pass);
    if (entered || s->open || changes)
        run_active(pass);
    if (s->next < rows && s->asked_for != s->next) {
        pass->host->plan_wake_at(pass->plan, time_of(pass, s->next));
        s->asked_for = s->next;
    }
    return 0;
}

/* --- the end --- */

static void count_rest(const struct easim_pass *pass) {
    const struct state *s = pass->state;
    for (uint32_t i = 0; i < s->active_count; i++)
        leave_row(pass, &s->jobs[s->active[i]]);
    for (uint32_t row = s->next; row < file_of(pass)->row_count; row++) {
        struct recorded *r = &s->jobs[s->recorded_of[row]];
        if (r->job == EASIM_NONE)
            r->missed++;
        else
            count(pass,
                  is_over(pass, r) ? "rows of finished jobs are dropped"
                                   : "rows later than the end of the run",
                  r->id);
    }
    for (uint32_t i = 0; i < s->count; i++)
        for (; s->jobs[i].missed > 0; s->jobs[i].missed--)
            count(pass,
                  s->jobs[i].job == EASIM_NONE
                      ? "rows of jobs that the workload does not have, or that were not admitted"
                      : never[DELAY_SUBMIT],
                  s->jobs[i].id);
}

static void finish(const struct easim_pass *pass) {
    struct state *s = pass->state;
    if (s->count > 0)
        count_rest(pass);
    free(s->order);
    free(s->recorded_of);
    free(s->jobs);
    free(s->active);
    free(s->known);
}

static const struct easim_param params[] = {
    {"file", "", "the schedule: time_s, job_id, gpus; required", EASIM_PARAM_TABLE,
     offsetof(struct params, file), 1, 1, 0, false, NULL, EASIM_ROLE_NONE},
};

static const struct easim_column columns[] = {
    [TIME] = {"file", "time_s", EASIM_PARAM_REAL, 0, 4e9, true},
    [JOB] = {"file", "job_id", EASIM_PARAM_TEXT, 0, 0, true},
    [GPUS] = {"file", "gpus", EASIM_PARAM_REAL, 0.001, 1e6, false},
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "replay",
    .version = "1.0",
    .summary = "a recorded schedule from a file",
    .help = "The rows of an instant are all who run from then until the next instant. "
            "Who keeps its GPUs pays nothing; who is\n"
            "not named is preempted; a first start pays start_s, a later one restart_s; "
            "another number of GPUs is a resize,\n"
            "which costs as much. After its last row a job keeps its GPUs until it is done. "
            "Of the configurations with the\n"
            "recorded number of GPUs a job gets the one of least time that fits. "
            "A row that cannot be carried out at once is\n"
            "tried again until the next instant, or if it is the job's last, until it can. "
            "Rows of finished jobs are dropped;\n"
            "that, and all else that is not as recorded, is counted, with the first names.",
    .capabilities = EASIM_CAPABILITY_PREEMPT | EASIM_CAPABILITY_RESIZE | EASIM_CAPABILITY_TICK |
                    EASIM_CAPABILITY_FRACTIONAL_GPU | EASIM_CAPABILITY_RECORDED,
    .state_size = sizeof(struct state),
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .decide = decide,
    .init = init,
    .finish = finish,
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
    .column_bytes = sizeof(struct easim_column),
    .reads = EASIM_READS_NOTHING,
};
