/* One measured simulation: see base_run.h. */
#include "experiment/regret/base_run.h"

#include "base/hash.h"
#include "bounds/bound.h"
#include "engine/loop.h"
#include "io/files.h"
#include "metrics/job_record.h"

#include <errno.h>
#include <sys/wait.h>

/* ---- What a copy of the process would not have ---- */

static bool has_children(void) {
    siginfo_t info = {.si_pid = 0};
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

static bool has_threads(void) {
    DIR *folder = files_open_folder("/proc/self/task");
    size_t count = 0;
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    if (folder)
        closedir(folder);
    return count > 1;
}

static int refuse_company(const struct course *course, struct error *reterr) {
    const char *what = !course->alone   ? NULL
                       : has_children() ? "a process"
                       : has_threads()  ? "a thread"
                                        : NULL;
    if (!what)
        return 0;
    return error_set(
        reterr, ERROR_INPUT,
        "policy %s runs %s of its own, which copies of the simulation cannot have each "
        "for itself: no other choice of it can be tried",
        course->study->module.policy->name, what);
}

/* ---- The run ---- */

static void begin_course(struct course *course) {
    size_t count = 0;
    metrics_init(&course->metrics, false);
    course->watch = crash_context_observer(course->crash);
    course->observers[count++] = &course->metrics.observer;
    course->observers[count++] = &course->watch;
    if (course->observer)
        course->observers[count++] = course->observer;
    course->sim = study_sim(course->study, course->workload);
    course->sim.observers = course->observers;
    course->sim.options.replication = course->replication;
    course->sim.options.check = course->how->check;
    course->sim.options.cancel = course->how->cancel;
    course->sim.options.progress = course->how->events;
    course->sim.options.changer = course->changer;
    course->crash->replication = course->replication + 1;
    course->crash->now_ns = 0;
    course->crash->decisions = 0;
    course->sim.options.calling = &course->crash->calling;
    course->sim.options.original = course->crash->original;
}

int course_run(struct course *course, struct error *reterr) {
    begin_course(course);
    int r = loop_init(&course->sim, reterr);
    if (r == 0)
        r = refuse_company(course, reterr);
    if (r == 0)
        r = loop_run(&course->sim, reterr);
    crash_context_end_policy(course->crash);
    if (r == 0)
        r = refuse_company(course, reterr);
    if (r == 0)
        metrics_sum_up(&course->metrics, &course->sim);
    return r;
}

void course_rename(struct course *course, struct crash_context *crash, const char *calling) {
    crash->replication = course->replication + 1;
    crash->now_ns = course->sim.now_ns;
    crash->decisions = course->sim.decision_total - 1; /* before the present one */
    crash->calling = calling;
    crash_context_policy(crash, &course->study->module);
    course->crash = crash;
    course->watch.context = crash;
    course->sim.options.calling = &crash->calling;
    course->sim.options.original = crash->original;
}

void course_finish(struct course *course) {
    loop_finish(&course->sim);
    metrics_finish(&course->metrics);
}

/* ---- What it came to ---- */

const char *regret_metric_name(enum regret_metric metric, const struct scenario *scenario) {
    return metric == REGRET_MISSES
               ? "deadline_missed"
               : bound_metric_name(metric == REGRET_ENERGY ? BOUND_ENERGY : BOUND_TIME, scenario);
}

static uint64_t digest_of(const struct course *course) {
    const struct sim *sim = &course->sim;
    uint64_t digest =
        hash_words(HASH_START, &course->metrics.summary, sizeof course->metrics.summary);
    for (uint32_t j = 0; j < sim->next_arrival; j++) {
        const struct job_record record = job_record_of(sim, j);
        const int128 energies[] = {record.energy, record.lost_energy, record.gpu_ps};
        const int64_t times[] = {record.start_ns,    record.finish_ns,   record.exec_ns,
                                 record.state,       record.preemptions, record.resizes,
                                 sim->runs[j].config};
        digest = hash_words(digest, energies, sizeof energies);
        digest = hash_words(digest, times, sizeof times);
    }
    return digest;
}

struct run_figures course_figures(const struct course *course) {
    const struct summary *summary = &course->metrics.summary;
    struct run_figures figures = {.deadlines = summary->deadline_jobs,
                                  .rejected = summary->jobs_rejected,
                                  .digest = digest_of(course)};
    for (enum regret_metric m = 0; m < REGRET_METRICS; m++)
        figures.of[m] = summary_value(
            summary, (unsigned)summary_find(regret_metric_name(m, &course->study->scenario)));
    return figures;
}
