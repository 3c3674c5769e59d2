/* Finds waiting that the power cap alone explains (semantics 26.1). Jobs of one set of
   configurations are alike, so time is counted by set; a wait gets what its set was given while it
   lasted. */
#include "insight/blame/internal.h"

#include "base/units.h"
#include "cluster/power_meter.h"

#include <stdlib.h>

/* Needs of a configuration: GPUs, and power. */
struct need {
    uint32_t set, gpu_type;
    int64_t milli;
    int64_t added_nw; /* to the power that counts against the cap */
};

struct sweep {
    const struct recorded_run *run;
    const struct cluster *cluster;
    struct power_meter meter;    /* of idle, failed and nodes; jobs are in counted_nw */
    int64_t counted_nw;          /* of jobs, at the higher of ctx_w and P, above idle power */
    int64_t *held_milli;         /* by GPU type */
    uint32_t *waiting;           /* jobs, by set */
    int64_t *capped_ns;          /* so far, by set */
    size_t *first_need;          /* by set, and one more */
    ARRAY_OF(struct need) needs; /* by set */
    ARRAY_OF(uint32_t) present;  /* sets in which somebody waits */
    int64_t most_added_nw;
    double cap_w;
};

/* Counted as policies count it: whether it computes or not. */
static int64_t counted_nw(const struct cluster *cluster, const struct easim_config *config,
                          uint32_t span) {
    const struct gpu_type *type = &cluster->gpu_types[config->gpu_type];
    double gpu_w = config->power_w[span] > type->ctx_w ? config->power_w[span] : type->ctx_w;
    int64_t milli = config->milli > 0 ? config->milli : (int64_t)config->k * WHOLE_GPU_MILLI;
    return power_of_gpus_nw(gpu_w, config->k, config->milli) -
           milli * power_nw(type->idle_w / WHOLE_GPU_MILLI);
}

/* The least that the node of a GPU of that type adds for a thousandth of it. */
static int64_t least_cpu_nw(const struct sweep *sweep, uint32_t gpu_type) {
    int64_t least_nw = INT64_MAX;
    for (uint32_t n = 0; n < sweep->cluster->node_count; n++)
        if (sweep->cluster->nodes[n].gpu_type == gpu_type &&
            sweep->meter.cpu_milli_nw[n] < least_nw)
            least_nw = sweep->meter.cpu_milli_nw[n];
    return least_nw == INT64_MAX ? 0 : least_nw;
}

static void add_needs(struct sweep *sweep, uint32_t set, const int64_t *cpu_nw) {
    const struct config_table *table = &sweep->run->workload.table;
    const struct config_set *s = &table->sets.at[set];
    sweep->first_need[set] = sweep->needs.count;
    for (uint32_t c = s->first; c < s->first + s->count; c++) {
        const struct easim_config *config = &table->configs.at[c];
        int64_t milli = config->milli > 0 ? config->milli : (int64_t)config->k * WHOLE_GPU_MILLI;
        int64_t added_nw = counted_nw(sweep->cluster, config, config->empty_span) +
                           milli * cpu_nw[config->gpu_type];
        array_push(&sweep->needs, ((struct need){set, config->gpu_type, milli, added_nw}));
        if (added_nw > sweep->most_added_nw)
            sweep->most_added_nw = added_nw;
    }
}

/* ---- What holds now ---- */

static int64_t free_milli(const struct sweep *sweep, uint32_t gpu_type) {
    const struct power_type *type = &sweep->meter.types[gpu_type];
    return (int64_t)(type->gpus - type->failed) * WHOLE_GPU_MILLI - sweep->held_milli[gpu_type];
}

/* Something of the set fits, and nothing that does keeps the cap. */
static bool is_capped(const struct sweep *sweep, uint32_t set, int64_t room_nw) {
    bool fits = false;
    for (size_t i = sweep->first_need[set]; i < sweep->first_need[set + 1]; i++) {
        const struct need *need = &sweep->needs.at[i];
        if (need->milli > free_milli(sweep, need->gpu_type))
            continue;
        if (need->added_nw <= room_nw)
            return false;
        fits = true;
    }
    return fits;
}

static void let_pass(struct sweep *sweep, int64_t duration_ns) {
    if (!(sweep->cap_w < INFINITY) || duration_ns == 0)
        return;
    int64_t room_nw =
        power_nw(sweep->cap_w) - power_meter_total_nw(&sweep->meter) - sweep->counted_nw;
    for (size_t i = 0; sweep->most_added_nw > room_nw && i < sweep->present.count; i++)
        if (is_capped(sweep, sweep->present.at[i], room_nw))
            sweep->capped_ns[sweep->present.at[i]] += duration_ns;
}

/* ---- Changes ---- */

static void hold(struct sweep *sweep, const struct recorded_segment *s, int sign) {
    const struct easim_config *config = recorded_run_config(sweep->run, s);
    const struct recorded_gpus *gpus = &sweep->run->gpus.at[s->gpus];
    sweep->counted_nw += sign * counted_nw(sweep->cluster, config, s->span);
    sweep->held_milli[config->gpu_type] += sign * recorded_run_milli(sweep->run, s);
    for (uint32_t i = 0; i < s->gpus_count; i++) {
        int64_t milli =
            config->milli > 0 ? config->milli : (int64_t)gpus[i].count * WHOLE_GPU_MILLI;
        if (sign > 0)
            power_meter_allocate(&sweep->meter, gpus[i].node, milli);
        else
            power_meter_release(&sweep->meter, gpus[i].node, milli);
    }
}

static void remove_present(struct sweep *sweep, uint32_t set) {
    size_t i = 0;
    while (sweep->present.at[i] != set)
        i++;
    sweep->present.at[i] = sweep->present.at[--sweep->present.count];
}

/* result: by segment; while the job waits, less what its set had before. */
static void wait_for(struct sweep *sweep, uint32_t segment, bool begins, int64_t *result) {
    const struct recorded_segment *s = &sweep->run->segments.at[segment];
    uint32_t set = sweep->run->workload.jobs.at[s->job].set + s->phase;
    if (begins) {
        result[segment] = -sweep->capped_ns[set];
        if (sweep->waiting[set]++ == 0)
            array_push(&sweep->present, set);
    } else {
        result[segment] += sweep->capped_ns[set];
        if (--sweep->waiting[set] == 0)
            remove_present(sweep, set);
    }
}

static void fail_or_repair(struct sweep *sweep, const struct node_change *change) {
    const struct node *node = &sweep->cluster->nodes[change->node];
    if (change->fails)
        power_meter_fail(&sweep->meter, node);
    else
        power_meter_repair(&sweep->meter, node);
}

/* ---- The sweep ---- */

static void sweep_init(struct sweep *sweep, const struct recorded_run *run) {
    const struct cluster *cluster = &run->folder->cluster;
    size_t sets = run->workload.table.sets.count;
    *sweep = (struct sweep){.run = run, .cluster = cluster, .cap_w = INFINITY};
    power_meter_init(&sweep->meter, cluster);
    sweep->held_milli = mem_zalloc(cluster->gpu_type_count, sizeof *sweep->held_milli);
    sweep->waiting = mem_zalloc(sets, sizeof *sweep->waiting);
    sweep->capped_ns = mem_zalloc(sets, sizeof *sweep->capped_ns);
    sweep->first_need = mem_zalloc(sets + 1, sizeof *sweep->first_need);
    int64_t *cpu_nw = mem_alloc(cluster->gpu_type_count * sizeof *cpu_nw);
    for (uint32_t h = 0; h < cluster->gpu_type_count; h++)
        cpu_nw[h] = least_cpu_nw(sweep, h);
    for (uint32_t set = 0; set < sets; set++)
        add_needs(sweep, set, cpu_nw);
    sweep->first_need[sets] = sweep->needs.count;
    free(cpu_nw);
}

static void sweep_finish(struct sweep *sweep) {
    power_meter_finish(&sweep->meter);
    free(sweep->held_milli);
    free(sweep->waiting);
    free(sweep->capped_ns);
    free(sweep->first_need);
    free(sweep->needs.at);
    free(sweep->present.at);
}

/* Where the sweep is in each of its lists. */
struct place {
    size_t event, change, step;
};

/* The next instant at which something happens, or INT64_MAX. */
static int64_t next_ns(const struct place *at, const struct recorded_run *run,
                       const struct node_changes *nodes) {
    const struct recorded_folder *folder = run->folder;
    int64_t next = INT64_MAX;
    if (at->event < run->events.count)
        next = run->events.at[at->event].time_ns;
    if (at->change < nodes->list.count && nodes->list.at[at->change].time_ns < next)
        next = nodes->list.at[at->change].time_ns;
    if (at->step < folder->steps.count && folder->steps.at[at->step].time_ns < next)
        next = folder->steps.at[at->step].time_ns;
    return next;
}

static bool any_cap(const struct recorded_folder *folder) {
    for (size_t i = 0; i < folder->steps.count; i++)
        if (folder->steps.at[i].cap_w < INFINITY)
            return true;
    return false;
}

int64_t *capped_waits_find(const struct recorded_run *run) {
    const struct recorded_folder *folder = run->folder;
    if (!folder->policies.at[run->part->policy].keeps_cap || !any_cap(folder) ||
        recorded_folder_enforces(folder)) /* the host refuses by entry draws, not by power */
        return NULL;
    struct sweep sweep;
    struct place at = {0};
    struct node_changes nodes = {0};
    int64_t *result = mem_zalloc(run->segments.count, sizeof *result), now_ns = 0, then_ns;
    sweep_init(&sweep, run);
    node_changes_find(&nodes, run);
    while ((then_ns = next_ns(&at, run, &nodes)) != INT64_MAX) {
        let_pass(&sweep, then_ns - now_ns);
        now_ns = then_ns;
        for (; at.step < folder->steps.count && folder->steps.at[at.step].time_ns == now_ns;
             at.step++)
            sweep.cap_w = folder->steps.at[at.step].cap_w;
        for (; at.change < nodes.list.count && nodes.list.at[at.change].time_ns == now_ns;
             at.change++)
            fail_or_repair(&sweep, &nodes.list.at[at.change]);
        for (; at.event < run->events.count && run->events.at[at.event].time_ns == now_ns;
             at.event++) {
            const struct segment_event *e = &run->events.at[at.event];
            const struct recorded_segment *s = &run->segments.at[e->segment];
            if (s->kind == SEGMENT_QUEUED)
                wait_for(&sweep, e->segment, e->begins, result);
            else if (!recorded_segment_waits(s))
                hold(&sweep, s, e->begins ? 1 : -1);
        }
    }
    sweep_finish(&sweep);
    node_changes_finish(&nodes);
    return result;
}
