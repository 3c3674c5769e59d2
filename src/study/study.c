/* A loaded scenario: see study.h. */

#include "base/numfmt.h"
#include "base/units.h"
#include "engine/segments.h"
#include "study/internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int study_generate(const struct study *study, uint32_t replication, struct workload *workload,
                   struct problems *problems) {
    const struct config_extras extras = params_extras(&study->params);
    if (study->drawn)
        return drawn_jobs_place(&study->drawn->at[replication], &study->source, &extras, workload,
                                problems);
    return source_generate(&study->source, replication, &extras, workload, problems);
}

int study_await(const struct study *study, uint32_t replication, struct workload *workload,
                struct problems *problems) {
    const struct config_extras extras = params_extras(&study->params);
    return study->drawn ? study_generate(study, replication, workload, problems)
                        : source_await(&study->source, replication, &extras, workload, problems);
}

int study_draw(const struct study *study, uint32_t count, struct study_workloads *workloads,
               struct problems *problems) {
    int r = 0;
    workloads->at = mem_zalloc(count, sizeof *workloads->at);
    for (; workloads->count < count && r == 0; workloads->count++)
        r = study_generate(study, workloads->count, &workloads->at[workloads->count], problems);
    return r;
}

void study_workloads_finish(struct study_workloads *workloads) {
    for (uint32_t i = 0; i < workloads->count; i++)
        workload_finish(&workloads->at[i]);
    free(workloads->at);
}

struct sim study_sim(const struct study *study, const struct workload *workload) {
    return (struct sim){.cluster = &study->cluster,
                        .workload = workload,
                        .module = &study->module,
                        .params = &study->params,
                        .options = {.horizon_ns = study->scenario.horizon_ns,
                                    .engine = study->scenario.engine,
                                    .signals = study->scenario.signals,
                                    .wue_l_per_kwh = study->scenario.wue_l_per_kwh,
                                    .noise = study->scenario.noise,
                                    .forecast = study->scenario.forecast,
                                    .seed = (uint64_t)study->scenario.seed}};
}

unsigned study_metric_groups(const struct study *study) {
    return (study->source.services.count > 0 ? METRICS_OF_SERVICES : 0u) |
           (network_power_w(&study->cluster.network) > 0 ? METRICS_OF_NETWORK : 0u) |
           (study->cluster.cap_rules.enforce != ENFORCE_NONE ? METRICS_OF_LIMITS : 0u);
}

const char *study_services_text(const struct study *study, struct arena *arena) {
    const struct service *services = study->source.services.at;
    const size_t count = study->source.services.count;
    struct str text = {0};
    for (size_t s = 0; s < count; s++)
        str_addf(&text, "%s%s", s == 0 ? " (services: " : ", ", services[s].name);
    for (unsigned c = SUMMARY_COUNT, first = c; c < SUMMARY_ALL; c++)
        if (metric_table[c].group == METRICS_OF_SERVICES)
            str_addf(&text, "%s%s%s", c == first ? "; figures: " : ", ", metric_table[c].name,
                     c == SUMMARY_COLUMN(energy_all_per_work_kwh) ? " of all" : "");
    const char *all =
        count == 0 ? ": the scenario has no services" : arena_printf(arena, "%s)", text.text);
    str_finish(&text);
    return all;
}

void study_finish(struct study *study) {
    source_finish(&study->source);
    module_close(&study->module);
    params_finish(&study->params);
    free(study->warnings.at);
    scenario_finish(&study->scenario);
    arena_finish(&study->arena);
}

/* As --replications would. */
static void override_replications(struct scenario *scenario, const char *count) {
    static const char key[] = "replications=";
    const char *set = arena_printf(&scenario->doc.arena, "%s%s", key, count);
    size_t i = 0;
    while (i < scenario->overrides.count &&
           strncmp(scenario->overrides.at[i], key, sizeof key - 1) != 0)
        i++;
    if (i == scenario->overrides.count)
        array_push(&scenario->overrides, set);
    scenario->overrides.at[i] = set;
}

void study_set_replications(struct study *study, uint32_t count) {
    char text[NUMFMT_BYTES];
    struct problems problems = {0};
    numfmt_int(text, count);
    if (study->scenario.replications == count)
        return;
    study->scenario.replications = count;
    override_replications(&study->scenario, text);
    const struct yaml_step step = {.name = "replications"};
    int r = yaml_doc_set(&study->scenario.doc, &(struct yaml_path){&step, 1}, text, &problems);
    assert(r == 0); /* the scenario is bound, so it is a mapping */
    (void)r;
    problems_finish(&problems);
}

const struct series *study_next_repeated(const struct study *study, size_t *at) {
    const struct service *services = study->source.services.at;
    for (; *at < SIGNALS + study->source.services.count; ++*at) {
        const struct series *s =
            *at < SIGNALS ? &study->scenario.signals[*at] : &services[*at - SIGNALS].demand.series;
        if (s->kind && s->repeat)
            return s;
    }
    return NULL;
}

#define TENTH_H_S 360.0

void study_add_periods(const struct study *study, struct str *out) {
    const struct series *s;
    for (size_t at = 0; (s = study_next_repeated(study, &at)) != NULL; at++) {
        double period_s = units_s(s->end_ns - s->first_ns);
        bool in_hours = fmod(period_s, TENTH_H_S) == 0;
        str_addf(out, "%s%s every %.9g %s", out->length == 0 ? "repeated: " : ", ", s->kind->path,
                 in_hours ? period_s / S_PER_H : period_s, in_hours ? "h" : "s");
    }
}

#define MANY_JOBS   2e6  /* of a replication */
#define LEAST_JOB_S 4e-7 /* of processor time, at best: rigid jobs on few GPUs, fcfs */
/* While its replication is running, at best: made as it arrives; and kept for a record. */
#define LEAST_JOB_BYTES 8.0
#define KEPT_JOB_BYTES  270.0
#define BYTES_PER_GB    1e9

void study_announce(const struct study *study, struct str *out) {
    double jobs = study->source.expected_jobs;
    if (jobs < MANY_JOBS)
        return;
    long long replications = study->scenario.replications;
    str_addf(out, "about %.3g million jobs are expected", jobs / 1e6);
    if (replications > 1)
        str_addf(out, " in each of %lld replications", replications);
    if (study->scenario.horizon_ns != TIME_NONE_NS)
        str_addf(out, " up to the horizon of %.9g s", units_s(study->scenario.horizon_ns));
    str_addf(out, ": at least %.0f s of processor time and %.3g GB, %.3g GB if recorded%s",
             (double)replications * jobs * LEAST_JOB_S, jobs * LEAST_JOB_BYTES / BYTES_PER_GB,
             jobs * KEPT_JOB_BYTES / BYTES_PER_GB,
             replications > 1 ? ", for each replication that is running" : "");
}

/* --- work_bound --- */
/* The least energy of a finished replication's work: the bound under a horizon, where a schedule of
   less work takes less (semantics 27.1). */

static double *work_by_job(const struct sim *sim) {
    double *done = mem_zalloc(sim->workload->jobs.count, sizeof *done);
    for (uint32_t j = 0; j < sim->next_arrival; j++)
        if (sim_job_state(sim, j) != EASIM_JOB_REJECTED)
            done[j] = account_work_done(sim, j);
    return done;
}

/* kWh. sim: at its horizon. extras: the configurations that the schedules may use which it is
   compared with; those of this study's policy are among them. */
struct bound work_bound_find(const struct study *study, const struct config_extras *extras,
                             const struct sim *sim) {
    struct workload workload = {0};
    struct problems problems = {0};
    struct bound bound = {NAN, "no workload"};
    uint32_t replication = sim->options.replication;
    if (source_generate(&study->source, replication, extras, &workload, &problems) == 0) {
        double *done = work_by_job(sim);
        bound = bound_energy_of_work(&(struct bound_case){&workload, &study->scenario, replication},
                                     done);
        free(done);
    }
    workload_finish(&workload);
    problems_finish(&problems);
    return bound;
}
