/* Energy of replicas: see serving.h. */
#include "insight/waste/serving.h"

#include <math.h>
#include <stdlib.h>

/* What a token costs in full use. */
static struct waste_amount token_costs(const struct replica_config *c) {
    return (struct waste_amount){replica_power_w(c, 1) / c->most_per_s, c->k / c->most_per_s};
}

struct serving_parts serving_divide(const struct recorded_run *run,
                                    const struct recorded_segment *segment,
                                    struct waste_amount spent, double tokens) {
    const struct recorded_replica *replica = &run->replicas.at[segment->job - run->first_replica];
    const struct recorded_service *service = &run->services[replica->service];
    const struct service *spec = service->spec;
    uint32_t first = run->workload.table.sets.at[service->set].first;
    const struct waste_amount own = token_costs(&spec->configs[segment->config - first]);
    struct waste_amount least = own;
    for (uint32_t c = 0; c < spec->config_count; c++) {
        const struct waste_amount of = token_costs(&spec->configs[c]);
        least = of.energy_j < least.energy_j ? of : least;
    }
    struct serving_parts parts = {.underused = {fmax(0, spent.energy_j - tokens * own.energy_j),
                                                spent.gpu_s - tokens * own.gpu_s},
                                  .misplaced = {tokens * (own.energy_j - least.energy_j),
                                                tokens * (own.gpu_s - least.gpu_s)}};
    parts.useful =
        (struct waste_amount){spent.energy_j - parts.underused.energy_j - parts.misplaced.energy_j,
                              spent.gpu_s - parts.underused.gpu_s - parts.misplaced.gpu_s};
    return parts;
}

/* ---- Failures ---- */

/* A replica is ended by a failure, or gets its GPUs; services apart, in order of time. */
struct turn {
    int64_t time_ns;
    uint32_t service, job;
    bool fails; /* before others start */
};

ORDER_BY(compare_turns, struct turn, ASC(service) ASC(time_ns) DESC(fails) ASC(job))

void serving_find_replacements(const struct recorded_run *run, uint8_t *classes) {
    ARRAY_OF(struct turn) turns = {0};
    for (size_t i = 0; i < run->replicas.count; i++) {
        uint32_t job = run->first_replica + (uint32_t)i, service = run->replicas.at[i].service;
        const struct recorded_job *j = &run->jobs[job];
        const struct recorded_segment *all = recorded_run_segments(run, j);
        for (uint32_t s = 0; s < j->segment_count; s++) {
            if (all[s].began == CAUSE_STARTED)
                array_push(&turns, ((struct turn){all[s].start_ns, service, job, false}));
            if (all[s].ended == CAUSE_NODE_FAILED && !recorded_segment_waits(&all[s]))
                array_push(&turns, ((struct turn){all[s].end_ns, service, job, true}));
        }
    }
    sort_array(turns.at, turns.count, compare_turns);
    uint32_t lost = 0;
    for (size_t i = 0; i < turns.count; i++) {
        lost = i > 0 && turns.at[i].service != turns.at[i - 1].service ? 0 : lost;
        if (turns.at[i].fails)
            lost++;
        else if (lost > 0) {
            classes[turns.at[i].job] = WASTE_FAILED;
            lost--;
        }
    }
    free(turns.at);
}
