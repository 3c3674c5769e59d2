/* Services over time: see service_curves.h. */
#include "output/html/service_curves.h"

#include "base/units.h"
#include "output/html/json_out.h"

#include <stdlib.h>

#define BINS 600

/* Of one service, by bin: sums over its time. */
struct curves {
    double served[BINS], capacity[BINS], replicas[BINS];
};

/* A segment gives each bin its part in time. */
static void add_segment(struct curves *curves, const struct recorded_run *run,
                        const struct recorded_segment *s, double step_s) {
    double from_s = units_s(s->start_ns), to_s = units_s(s->end_ns);
    double per_s = s->work / (to_s - from_s),
           most_per_s = recorded_run_config(run, s)->goodput[EASIM_ONE_NODE];
    for (int b = (int)(from_s / step_s); b < BINS && b * step_s < to_s; b++) {
        double begin_s = b * step_s > from_s ? b * step_s : from_s;
        double end_s = (b + 1) * step_s < to_s ? (b + 1) * step_s : to_s;
        double share = end_s > begin_s ? (end_s - begin_s) / step_s : 0;
        curves->served[b] += share * per_s;
        curves->capacity[b] += share * most_per_s;
        curves->replicas[b] += share;
    }
}

static void add_values(struct str *out, const char *key, const double *values) {
    json_out_key(out, key);
    json_out_open(out, '[');
    for (int b = 0; b < BINS; b++)
        json_out_short(out, values[b], 5);
    json_out_close(out, ']');
}

static void add_service(struct str *out, const struct recorded_run *run, uint32_t service,
                        double step_s) {
    const struct service *spec = run->services[service].spec;
    struct curves *curves = mem_zalloc(1, sizeof *curves);
    for (size_t i = 0; i < run->segments.count; i++) {
        const struct recorded_segment *s = &run->segments.at[i];
        if (s->kind == SEGMENT_SERVE && s->end_ns > s->start_ns &&
            run->replicas.at[s->job - run->first_replica].service == service)
            add_segment(curves, run, s, step_s);
    }
    bool outputs = run->folder->models.models[spec->model].serving.unit == UNIT_OUTPUT;
    json_out_open(out, '{');
    json_out_member_text(out, "name", spec->name);
    json_out_member_text(out, "unit", outputs ? "outputs" : "tokens");
    add_values(out, "replicas", curves->replicas);
    add_values(out, "served", curves->served);
    add_values(out, "capacity", curves->capacity);
    json_out_close(out, '}');
    free(curves);
}

void service_curves_add(struct str *out, const struct recorded_run *run) {
    double end_s = units_s(run->part->end_ns), step_s = end_s / BINS;
    json_out_key(out, "service_curves");
    if (run->service_count == 0 || !(end_s > 0)) {
        json_out_text(out, NULL);
        return;
    }
    json_out_open(out, '{');
    json_out_member_real(out, "end_s", end_s);
    json_out_member_real(out, "step_s", step_s);
    json_out_key(out, "services");
    json_out_open(out, '[');
    for (uint32_t s = 0; s < run->service_count; s++)
        add_service(out, run, s, step_s);
    json_out_close(out, ']');
    json_out_close(out, '}');
}
