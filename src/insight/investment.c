/* Investments: see investment.h. */
#include "insight/investment.h"

#include "base/units.h"
#include "io/json_text.h"
#include "study/replicate.h"

#include <math.h>
#include <stdlib.h>

static const char *const parameters[] = {"a_s", "c_s", "alpha_s"};
#define PARAMETERS (sizeof parameters / sizeof *parameters)

struct session {
    const struct recorded_run *run;
    const struct study_loader *loader;
    struct study_workloads drawn; /* the run's own jobs, at the place of its replication */
};

/* ---- One run ---- */

/* Prices that end with the recorded run would end this one, and energy does not depend on them. */
static void drop_prices(struct series *signals) {
    for (int i = SIGNAL_PRICE; i <= SIGNAL_CARBON; i++)
        if (series_last_ns(&signals[i]) != TIME_NONE_NS)
            signals[i] = (struct series){.constant = NAN};
}

static int run_study(const struct session *s, struct study *study, double *ret_kwh,
                     struct error *reterr) {
    uint32_t number = s->run->part->replication;
    struct replicate_result result = {.count = number - 1}; /* those before are as good as done */
    const struct replicate_options options = {.processes = 1};
    study->drawn = &s->drawn;
    study->scenario.horizon_ns = TIME_NONE_NS;
    drop_prices(study->scenario.signals);
    study_set_replications(study, number);
    int r = replicate_run(study, &options, &replicate_summaries_only, &result, reterr);
    if (r == 0)
        *ret_kwh = result.summaries[number - 1].energy_kwh;
    replicate_result_finish(&result);
    return r;
}

/* set: NULL: as it is. */
static int run_with(const struct session *s, const char *set, double *ret_kwh,
                    struct error *reterr) {
    struct study study = {.drawn = NULL};
    struct problems problems = {0};
    const struct scenario_overrides overrides = {.sets = &set, .set_count = set != NULL};
    int r = s->loader->load(s->loader->context, &overrides, &study, &problems);
    if (r < 0)
        r = error_set(reterr, ERROR_INPUT, "%s", problems.count > 0 ? problems.texts[0] : "");
    else
        r = run_study(s, &study, ret_kwh, reterr);
    study_finish(&study);
    problems_finish(&problems);
    return r;
}

/* ---- All of them ---- */

/* One more entry after those of the scenario, as --set takes it. */
static const char *override_of(const struct recorded_folder *folder, const char *model,
                               const char *parameter, struct arena *arena) {
    const struct yaml_node *entries = folder->scenario.model_overrides;
    struct str set = {0};
    if (entries)
        str_addf(&set, "model_overrides[%zu]=", entries->count);
    else
        str_add(&set, "model_overrides=[");
    str_add(&set, "{model: ");
    json_write_text(&set, model);
    str_addf(&set, ", set: {%s: {times: %.17g}}}%s", parameter, 1 / INVESTMENT_FACTOR,
             entries ? "" : "]");
    const char *text = arena_strdup(arena, set.text);
    str_finish(&set);
    return text;
}

static int try_investment(const struct session *s, struct investments *all, uint32_t model,
                          const char *parameter, struct error *reterr) {
    const struct recorded_folder *folder = s->run->folder;
    struct investment *i = array_add(&all->at);
    struct error error = {0};
    i->model = arena_strdup(&all->arena, folder->models.models[model].name);
    i->parameter = parameter;
    i->kwh = NAN;
    int r = run_with(s, override_of(folder, i->model, parameter, &all->arena), &i->kwh, &error);
    if (r == ERROR_CANCELLED || r == ERROR_MACHINE) { /* another time it may do */
        *reterr = error;
        return r;
    }
    i->reason = r < 0 ? arena_strdup(&all->arena, error.text) : NULL;
    return 0;
}

ORDER_BY(by_energy, struct investment,
         THEN(isnan(a->kwh) - isnan(b->kwh)) ASC(kwh) THEN(COMPARE(a, b)))

static bool *models_in_use(const struct recorded_run *run) {
    bool *in_use = mem_zalloc(run->folder->models.count + 1, sizeof *in_use);
    for (uint32_t j = 0; j < run->part->jobs_submitted; j++)
        if (run->workload.jobs.at[j].kind != JOB_KIND_RIGID)
            in_use[run->workload.jobs.at[j].model] = true;
    return in_use;
}

int investments_find(struct investments *investments, const struct recorded_run *run,
                     const struct study_loader *loader, struct error *reterr) {
    struct session session = {.run = run, .loader = loader};
    uint32_t number = run->part->replication;
    session.drawn.count = number;
    session.drawn.at = mem_zalloc(number, sizeof *session.drawn.at);
    struct workload *own = &session.drawn.at[number - 1];
    *own = run->workload; /* which owns all of it */
    own->jobs.count = run->part->jobs_submitted;
    own->warmup_ns = 0;
    bool *in_use = models_in_use(run);
    int r = run_with(&session, NULL, &investments->base_kwh, reterr);
    for (uint32_t m = 0; m < run->folder->models.count && r == 0; m++)
        for (size_t p = 0; in_use[m] && p < PARAMETERS && r == 0; p++)
            r = try_investment(&session, investments, m, parameters[p], reterr);
    if (r == 0)
        sort_array(investments->at.at, investments->at.count, by_energy);
    free(in_use);
    free(session.drawn.at);
    return r;
}

void investments_finish(struct investments *investments) {
    free(investments->at.at);
    arena_finish(&investments->arena);
    *investments = (struct investments){0};
}
