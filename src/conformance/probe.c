/* Observed simulations. The record is kept up to date while the run goes: of a run that hangs or
   crashes it tells how far it came. */
#include "conformance/probe.h"

#include "base/hash.h"
#include "base/units.h"
#include "engine/loop.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Decisions by wake-ups of a policy, without a job arriving or finishing, that are no progress. */
#define QUIET_DECISIONS 100000

/* Whose turn it is of two runs. */
struct baton {
    pthread_mutex_t lock;
    pthread_cond_t passed;
    int turn;
    bool over[2];
};

struct probe {
    const struct study *study;
    struct probe_how how;
    struct probe_record *record;
    struct baton *baton; /* NULL: alone */
    int number;          /* of the two */
    atomic_bool give_up;
};

/* --- turns --- */

static void wait_for_turn(struct baton *baton, int number) {
    while (baton->turn != number && !baton->over[!number])
        pthread_cond_wait(&baton->passed, &baton->lock);
}

static void hand_over(struct baton *baton, int number, bool over) {
    pthread_mutex_lock(&baton->lock);
    baton->over[number] = baton->over[number] || over;
    baton->turn = !number;
    pthread_cond_broadcast(&baton->passed);
    if (!over)
        wait_for_turn(baton, number);
    pthread_mutex_unlock(&baton->lock);
}

static void begin_turns(struct baton *baton, int number) {
    pthread_mutex_lock(&baton->lock);
    wait_for_turn(baton, number);
    pthread_mutex_unlock(&baton->lock);
}

/* --- observer --- */

static void keep_row(struct probe_record *record, const struct probe_row *row) {
    if (record->row_count < PROBE_ROWS)
        record->rows[record->row_count] = *row;
    record->row_count++;
    record->row_hash = hash_bytes(record->row_hash, row, sizeof *row);
}

static void note_action(void *context, const struct sim *sim, const struct action_record *action) {
    struct probe_record *record = ((struct probe *)context)->record;
    const struct probe_row row = {sim->now_ns, (uint32_t)action->kind, (uint32_t)action->refusal,
                                  action->job, action->config,         action->limit_w};
    if (action->kind != ACTION_WAKE || !sim->module->policy->list)
        keep_row(record, &row);
    if (action->refusal < REFUSAL_COUNT)
        record->refused[action->refusal]++;
    else
        record->done[action->kind]++;
}

static void note_job(void *context, const struct sim *sim, uint32_t job, enum job_change change) {
    struct probe_record *record = ((struct probe *)context)->record;
    (void)job;
    if (change != JOB_SUBMITTED && change != JOB_FINISHED && change != JOB_REJECTED)
        return;
    record->decisions_at_progress = sim->decision_total;
    memset(record->done, 0, sizeof record->done);
}

static void note_time(void *context, const struct sim *sim, int64_t from_ns, int64_t to_ns) {
    struct probe *p = context;
    struct probe_record *record = p->record;
    (void)from_ns;
    record->now_ns = to_ns;
    record->decisions = sim->decision_total;
    if (sim->decision_total - record->decisions_at_progress <= QUIET_DECISIONS ||
        record->failure[0])
        return;
    snprintf(
        record->failure, sizeof record->failure,
        "no job has arrived or finished during %d decisions: %llu starts, %llu preemptions, %llu resizes, %llu limits, %llu wake-ups (at t = %.9g s)",
        QUIET_DECISIONS, (unsigned long long)record->done[ACTION_START],
        (unsigned long long)record->done[ACTION_PREEMPT],
        (unsigned long long)record->done[ACTION_RESIZE],
        (unsigned long long)record->done[ACTION_LIMIT],
        (unsigned long long)record->done[ACTION_WAKE], units_s(to_ns));
    atomic_store(&p->give_up, true);
}

/* The first running job that a policy may preempt, or EASIM_NONE. */
static uint32_t first_preemptible(const struct sim *sim) {
    const struct easim_view *view = sim->view.v;
    for (uint32_t r = 0; r < view->running_count; r++) {
        uint32_t job = easim_view_running(view, r)->job;
        if (easim_view_job(view, job)->preemptible)
            return job;
    }
    return EASIM_NONE;
}

static void note_instant(void *context, const struct sim *sim) {
    struct probe *p = context;
    double over_w = power_w(sim->committed_nw) - sim->view.v->power_cap_w;
    p->record->over_cap_w = over_w > p->record->over_cap_w ? over_w : p->record->over_cap_w;
    if (over_w > CAP_TOLERANCE_W && p->record->kept_over_ns == 0 &&
        (p->record->kept_job = first_preemptible(sim)) != EASIM_NONE)
        p->record->kept_over_ns = sim->now_ns;
    if (p->baton)
        hand_over(p->baton, p->number, false);
}

/* --- runs --- */

static void keep_failure(struct probe_record *record, const char *text) {
    if (!record->failure[0])
        snprintf(record->failure, sizeof record->failure, "%s", text);
}

static bool may_reject(const struct sim *sim) {
    return sim->module->policy->capabilities & EASIM_CAPABILITY_REJECT;
}

static void check_finished(const struct sim *sim, struct probe_record *record) {
    char text[200];
    size_t jobs = sim->workload->jobs.count;
    uint32_t over = sim->finished + (may_reject(sim) ? sim->rejected : 0);
    if (sim->options.horizon_ns != TIME_NONE_NS || over == jobs)
        return;
    snprintf(text, sizeof text, "%u of %zu jobs finished, %u were rejected", sim->finished, jobs,
             sim->rejected);
    keep_failure(record, text);
}

static void simulate_jobs(struct probe *p, const struct workload *workload) {
    const struct observer observer = {.context = p,
                                      .advance = note_time,
                                      .instant = note_instant,
                                      .job = note_job,
                                      .action = note_action};
    const struct observer *const observers[] = {&observer, NULL};
    struct error error = {0};
    struct sim sim = study_sim(p->study, workload);
    sim.options.check = p->how.check;
    sim.options.plain = p->how.plain;
    sim.options.grown = p->how.grown;
    sim.options.calling = p->how.calling;
    sim.options.cancel = &p->give_up;
    sim.observers = observers;
    if (loop_init(&sim, &error) < 0 || loop_run(&sim, &error) < 0)
        keep_failure(p->record, error.text);
    else
        check_finished(&sim, p->record);
    p->record->decisions = sim.decision_total;
    p->record->drew = sim.list.drew;
    loop_finish(&sim);
}

static void run_probe(struct probe *p) {
    struct workload workload = {0};
    struct problems problems = {0};
    memset(p->record, 0, sizeof *p->record);
    p->record->over_cap_w = -INFINITY;
    p->record->row_hash = HASH_START;
    if (study_generate(p->study, 0, &workload, &problems) < 0)
        keep_failure(p->record, problems.count ? problems.texts[0] : "no workload");
    else
        simulate_jobs(p, &workload);
    workload_finish(&workload);
    problems_finish(&problems);
}

void probe_run(const struct study *study, struct probe_how how, struct probe_record *record) {
    struct probe p = {.study = study, .how = how, .record = record};
    run_probe(&p);
}

static void *run_in_turns(void *context) {
    struct probe *p = context;
    begin_turns(p->baton, p->number);
    run_probe(p);
    hand_over(p->baton, p->number, true);
    return NULL;
}

void probe_pair(const struct study *const studies[2], struct probe_record *const records[2]) {
    struct baton baton = {.lock = PTHREAD_MUTEX_INITIALIZER, .passed = PTHREAD_COND_INITIALIZER};
    struct probe probes[2];
    pthread_t other;
    for (int i = 0; i < 2; i++)
        probes[i] =
            (struct probe){.study = studies[i], .record = records[i], .baton = &baton, .number = i};
    if (pthread_create(&other, NULL, run_in_turns, &probes[1]) != 0) {
        keep_failure(records[1], "no second thread");
        return;
    }
    run_in_turns(&probes[0]);
    pthread_join(other, NULL);
}

/* --- differences --- */

static void add_row(struct str *out, const struct probe_record *record, uint64_t at) {
    if (at >= record->row_count) {
        str_add(out, "the end");
        return;
    }
    const struct probe_row *row = &record->rows[at];
    str_add(out, action_names[row->kind]);
    if (row->job != EASIM_NONE)
        str_addf(out, " job %u", row->job);
    if (row->config != EASIM_NONE)
        str_addf(out, " in configuration %u", row->config);
    if (row->kind == ACTION_LIMIT)
        str_addf(out, " to %g W", row->limit_w);
    str_addf(out, " at t = %.9g s (%s)", units_s(row->time_ns), refusal_names[row->refusal]);
}

void probe_add_difference(const struct probe_record *before, const struct probe_record *after,
                          struct str *out) {
    if (before->row_count == after->row_count && before->row_hash == after->row_hash)
        return;
    uint64_t at = 0;
    while (at < PROBE_ROWS && at < before->row_count && at < after->row_count &&
           memcmp(&before->rows[at], &after->rows[at], sizeof before->rows[at]) == 0)
        at++;
    str_addf(out, "action %llu was ", (unsigned long long)at + 1);
    if (at == PROBE_ROWS) {
        str_add(out, "the same, but a later one was not");
        return;
    }
    add_row(out, before, at);
    str_add(out, ", now it is ");
    add_row(out, after, at);
}

/* --- run_effects --- */

static const char *const stream_names[] = {"standard output", "standard error"};

void run_effects_open(struct run_effects *effects) {
    for (int i = 0; i < 2; i++) {
        effects->streams[i] = memfd_create(stream_names[i], MFD_CLOEXEC);
        if (effects->streams[i] >= 0)
            (void)fcntl(effects->streams[i], F_SETFL, O_APPEND);
    }
}

void run_effects_close(struct run_effects *effects) {
    for (int i = 0; i < 2; i++)
        if (effects->streams[i] >= 0)
            close(effects->streams[i]);
    str_finish(&effects->changes);
}

void run_effects_take_streams(const struct run_effects *effects) {
    for (int i = 0; i < 2; i++)
        if (effects->streams[i] >= 0 && ftruncate(effects->streams[i], 0) == 0)
            (void)TEMP_FAILURE_RETRY(dup2(effects->streams[i], STDOUT_FILENO + i));
}

/* The beginning of what is in a file. */
static size_t read_start(int fd, char *text, size_t bytes) {
    ssize_t got = fd < 0 ? 0 : TEMP_FAILURE_RETRY(pread(fd, text, bytes, 0));
    return got > 0 ? (size_t)got : 0;
}

void run_effects_show_errors(const struct run_effects *effects) {
    char text[4096];
    size_t length = read_start(effects->streams[1], text, sizeof text);
    if (length > 0)
        (void)!write(STDERR_FILENO, text, length);
}

static void add_change(struct run_effects *effects, const char *what, const char *detail,
                       const char *scenario) {
    if (strstr(effects->changes.length ? effects->changes.text : "", what))
        return;
    str_addf(&effects->changes, "%s%s%s in \"%s\"", effects->changes.length ? "; " : "", what,
             detail, scenario);
}

static void note_output(struct run_effects *effects, int stream, const char *scenario) {
    char text[60], what[40];
    struct str detail = {0};
    size_t length = read_start(effects->streams[stream], text, sizeof text - 1);
    if (length == 0)
        return;
    text[length] = '\0';
    text[strcspn(text, "\n")] = '\0';
    snprintf(what, sizeof what, "writes to %s", stream_names[stream]);
    str_add(&detail, " \"");
    str_add_visible(&detail, text);
    str_add(&detail, "\"");
    add_change(effects, what, detail.text, scenario);
    str_finish(&detail);
}

void run_effects_note(struct run_effects *effects, unsigned changes, const char *scenario) {
    static const char *const names[] = {"changes its working folder", "changes its umask",
                                        "changes its locale", "changes the handlers of signals",
                                        "changes which signals are blocked"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (changes & 1u << i)
            add_change(effects, names[i], "", scenario);
    for (int i = 0; i < 2; i++)
        note_output(effects, i, scenario);
}
