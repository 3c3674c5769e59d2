/* Bins of request logs: see service_bins.h. */
#include "study/service_bins.h"

#include "base/units.h"
#include "workload/service_load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BINS 1000000 /* a second or two of processor time */

static bool has_longer_bins(const struct service *service) {
    const struct service_demand *d = &service->demand;
    bool whole = isnan(d->series.period_s) || fmod(d->series.period_s, SERVICE_BINS_S) == 0;
    return d->series.file && d->format == DEMAND_AZURE_LLM && whole &&
           service_demand_bin_s(d) > SERVICE_BINS_S;
}

/* Energy per token and share within the objective of each service, as bytes. */
static void render_rows(void *context, const struct replication *replication, struct str *out) {
    (void)context;
    for (uint32_t s = 0; s < replication->sim->services.count; s++) {
        const struct service_row *row = &replication->metrics->summary.services[s];
        const double pair[2] = {row->j_per_token, row->slo_share};
        str_add_bytes(out, (const char *)pair, sizeof pair);
    }
}

struct rows {
    struct service_bins_result *result;
    const struct service *services;
    int column; /* of the two runs */
};

static int keep_rows(void *context, uint32_t number, const struct summary *summary,
                     struct slice rendered, struct error *reterr) {
    const struct rows *rows = context;
    struct service_bins_result *result = rows->result;
    (void)number, (void)summary, (void)reterr;
    for (size_t i = 0; i < result->at.count; i++) {
        struct service_bins *bins = &result->at.at[i];
        double pair[2];
        memcpy(pair, rendered.at + (size_t)(bins->service - rows->services) * sizeof pair,
               sizeof pair);
        bins->j_per_token[rows->column] = pair[0];
        bins->slo_share[rows->column] = pair[1];
    }
    return 0;
}

static int run_services(const struct study *alone, const struct replicate_options *how,
                        struct rows *rows, struct error *reterr) {
    const struct replicate_sink sink = {.context = rows, .render = render_rows, .emit = keep_rows};
    const struct replicate_options options = {.processes = how->processes, .cancel = how->cancel};
    struct replicate_result result = {0};
    int r = replicate_run(alone, &options, &sink, &result, reterr);
    replicate_result_finish(&result);
    return r;
}

/* The same services with logs in the shorter bins; their memory is the arena's. */
static int cut_bins(struct study *alone, const struct study *study, struct arena *arena,
                    struct error *reterr) {
    struct problems problems = {0};
    const struct binding binding = {.arena = arena, .problems = &problems};
    struct service *services = arena_alloc(arena, study->source.services.count * sizeof *services);
    int r = 0;
    memcpy(services, study->source.services.at, study->source.services.count * sizeof *services);
    for (size_t i = 0; r == 0 && i < study->source.services.count; i++)
        if (has_longer_bins(&services[i]))
            r = service_load_in_bins(&services[i], SERVICE_BINS_S, study->source.models, &binding);
    if (r < 0)
        error_set(reterr, ERROR_INPUT, "%s", problems.texts[0]);
    alone->source.services.at = services;
    problems_finish(&problems);
    return r;
}

static void list_services(const struct study *study, struct service_bins_result *result) {
    const struct service *services = study->source.services.at;
    for (size_t i = 0; i < study->source.services.count; i++)
        if (has_longer_bins(&services[i]))
            array_push(&result->at,
                       ((struct service_bins){.service = &services[i],
                                              .bin_s = service_demand_bin_s(&services[i].demand)}));
}

int service_bins_find(const struct study *study, const struct replicate_options *how, double most_s,
                      struct service_bins_result *result, struct error *reterr) {
    struct study alone = *study;
    struct arena arena = {0};
    struct rows rows = {result, study->source.services.at, 0};
    list_services(study, result);
    if (result->at.count == 0)
        return 0;
    result->until_s = fmin(most_s, MOST_BINS * SERVICE_BINS_S / (double)result->at.count);
    alone.scenario.horizon_ns = units_ns(result->until_s);
    alone.scenario.replications = 1;
    alone.source.streams = (struct schema_list){0};
    alone.source.expected_jobs = 0;
    alone.source.warmup_ns = 0;
    alone.drawn = NULL;
    int r = run_services(&alone, how, &rows, reterr);
    rows.column = 1;
    if (r == 0)
        r = cut_bins(&alone, study, &arena, reterr);
    if (r == 0)
        r = run_services(&alone, how, &rows, reterr);
    arena_finish(&arena);
    return r;
}

void service_bins_finish(struct service_bins_result *result) {
    free(result->at.at);
    *result = (struct service_bins_result){.until_s = 0};
}
