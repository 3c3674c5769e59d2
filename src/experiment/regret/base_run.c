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

static int refuse_company(const struct base_run *base, struct error *reterr) {
    const char *what = !base->alone     ? NULL
                       : has_children() ? "a process"
                       : has_threads()  ? "a thread"
                                        : NULL;
    if (!what)
        return 0;
    return error_set(
        reterr, ERROR_INPUT,
        "policy %s runs %s of its own, which easim cannot copy with the simulation, so it cannot try other choices",
        base->study->policy, what);
}

/* ---- The run ---- */

static void begin_base_run(struct base_run *base) {
    size_t count = 0;
    metrics_init(&base->metrics, false);
    base->watch = crash_context_observer(base->crash);
    base->observers[count++] = &base->metrics.observer;
    base->observers[count++] = &base->watch;
    if (base->observer)
        base->observers[count++] = base->observer;
    base->sim = study_sim(base->study, base->workload);
    base->sim.observers = base->observers;
    base->sim.options.replication = base->replication;
    base->sim.options.check = base->how->check;
    base->sim.options.cancel = base->how->cancel;
    base->sim.options.progress = base->how->events;
    base->sim.options.changer = base->changer;
    base->crash->replication = base->replication + 1;
    base->crash->now_ns = 0;
    base->crash->decisions = 0;
    base->sim.options.calling = &base->crash->fault.calling;
    base->sim.options.original = base->crash->original;
}

int base_run_simulate(struct base_run *base, struct error *reterr) {
    begin_base_run(base);
    int r = loop_init(&base->sim, reterr);
    if (r == 0)
        r = refuse_company(base, reterr);
    if (r == 0)
        r = loop_run(&base->sim, reterr);
    crash_context_end_policy(base->crash);
    if (r == 0)
        r = refuse_company(base, reterr);
    if (r == 0)
        metrics_sum_up(&base->metrics, &base->sim);
    return r;
}

void base_run_rename(struct base_run *base, struct crash_context *crash, const char *calling) {
    crash->replication = base->replication + 1;
    crash->now_ns = base->sim.now_ns;
    crash->decisions = base->sim.decision_total - 1; /* before the present one */
    calling_note(&crash->fault.calling, calling);
    crash_context_policy(crash, &base->study->module);
    base->crash = crash;
    base->watch.context = crash;
    base->sim.options.calling = &crash->fault.calling;
    base->sim.options.original = crash->original;
}

void base_run_finish(struct base_run *base) {
    loop_finish(&base->sim);
    metrics_finish(&base->metrics);
}

/* ---- What it came to ---- */

const char *regret_metric_name(enum regret_metric metric, const struct scenario *scenario) {
    return metric == REGRET_MISSES
               ? "deadline_missed"
               : bound_metric_name(metric == REGRET_ENERGY ? BOUND_ENERGY : BOUND_TIME, scenario);
}

static uint64_t digest_of(const struct base_run *base) {
    const struct sim *sim = &base->sim;
    uint64_t digest = hash_words(HASH_START, &base->metrics.summary, SUMMARY_ALL * sizeof(double));
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

struct run_figures base_run_figures(const struct base_run *base) {
    const struct summary *summary = &base->metrics.summary;
    struct run_figures figures = {.deadlines = summary->deadline_jobs,
                                  .rejected = summary->jobs_rejected,
                                  .digest = digest_of(base)};
    for (enum regret_metric m = 0; m < REGRET_METRICS; m++)
        figures.of[m] = summary_value(
            summary, (unsigned)summary_find(regret_metric_name(m, &base->study->scenario)));
    return figures;
}
