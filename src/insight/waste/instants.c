/* The order of what happened: see instants.h. */
#include "insight/waste/instants.h"

#include "base/mem.h"
#include "base/sort_doubles.h"
#include "base/units.h"

#include <stdlib.h>

bool instants_is_first_of_hold(const struct recorded_segment *segment,
                               const struct recorded_segment *before) {
    return !recorded_segment_waits(segment) &&
           (!before || recorded_segment_waits(before) || segment->began == CAUSE_RESIZED);
}

static void add_event(struct instant_events *events, int64_t time_ns, enum instant_change change,
                      size_t index) {
    array_push(&events->list, ((struct instant_event){time_ns, change, (uint32_t)index}));
}

/* A job's segments on GPUs come in holds: all that it did on the same ones. */
static void add_job(struct instant_events *events, const struct recorded_run *run,
                    const struct recorded_job *job) {
    const struct recorded_segment *all = run->segments.at;
    size_t end = (size_t)job->segments + job->segment_count;
    for (size_t i = job->segments, next; i < end; i = next) {
        bool waits = recorded_segment_waits(&all[i]);
        next = i + 1;
        while (!waits && next < end && !recorded_segment_waits(&all[next]) &&
               !instants_is_first_of_hold(&all[next], &all[next - 1]))
            next++;
        bool of_job = all[i].kind != SEGMENT_RESERVED; /* a replica wants nothing else */
        if (all[next - 1].end_ns == all[i].start_ns || !of_job)
            continue;
        add_event(events, all[i].start_ns, waits ? INSTANT_WAITS : INSTANT_TAKE, i);
        add_event(events, all[next - 1].end_ns, waits ? INSTANT_WAITS_NO_MORE : INSTANT_GIVE_BACK,
                  i);
    }
}

ORDER_BY(compare_events, struct instant_event, ASC(time_ns) ASC(change))

void instant_events_find(struct instant_events *events, const struct recorded_run *run) {
    for (size_t j = 0; j < run->workload.jobs.count; j++)
        add_job(events, run, &run->jobs[j]);
    for (size_t i = 0; i < run->rests.count; i++) {
        const struct recorded_rest *rest = &run->rests.at[i];
        if (rest->state == RECORDED_FREE)
            continue;
        add_event(events, rest->start_ns, INSTANT_REST_BEGINS, i);
        add_event(events, rest->end_ns, INSTANT_REST_ENDS, i);
    }
    sort_array_by(events->list.at, events->list.count, time_ns, compare_events);
}

void instant_events_finish(struct instant_events *events) {
    free(events->list.at);
    *events = (struct instant_events){0};
}

void instants_init(struct instants *instants, const struct recorded_run *run,
                   const struct instant_events *events) {
    uint32_t types = run->folder->cluster.gpu_type_count;
    *instants =
        (struct instants){.run = run, .events = events->list.at, .count = events->list.count};
    room_init(&instants->room, &run->folder->cluster);
    wanted_init(&instants->wanted, &run->workload.table);
    instants->asleep_milli = mem_zalloc(types, sizeof *instants->asleep_milli);
}

void instants_finish(struct instants *instants) {
    room_finish(&instants->room);
    wanted_finish(&instants->wanted);
    free(instants->asleep_milli);
    *instants = (struct instants){0};
}

int64_t instants_next_ns(const struct instants *instants) {
    return instants->next < instants->count ? instants->events[instants->next].time_ns : INT64_MAX;
}

static bool take_gpus(struct instants *instants, const struct recorded_segment *segment) {
    uint32_t milli = recorded_run_config(instants->run, segment)->milli;
    bool taken = true;
    for (uint32_t i = 0; i < segment->gpus_count && taken; i++) {
        const struct recorded_gpus *gpus = &instants->run->gpus.at[segment->gpus + i];
        taken = milli > 0 ? room_take_share(&instants->room, gpus->node, gpus->first, milli)
                          : room_take(&instants->room, gpus->node, gpus->count);
    }
    return taken;
}

static void give_gpus_back(struct instants *instants, const struct recorded_segment *segment) {
    uint32_t milli = recorded_run_config(instants->run, segment)->milli;
    for (uint32_t i = 0; i < segment->gpus_count; i++) {
        const struct recorded_gpus *gpus = &instants->run->gpus.at[segment->gpus + i];
        if (milli > 0)
            room_give_back_share(&instants->room, gpus->node, gpus->first, milli);
        else
            room_give_back(&instants->room, gpus->node, gpus->count);
    }
}

/* GPUs that rest begin or cease to: those that failed or are reserved are not free. */
static bool change_rest(struct instants *instants, const struct recorded_rest *rest, bool begins) {
    uint32_t gpu_type = instants->run->folder->cluster.nodes[rest->node].gpu_type;
    uint64_t milli = (uint64_t)rest->count * WHOLE_GPU_MILLI;
    if (rest->state == RECORDED_FAILED || rest->state == RECORDED_RESERVED) {
        if (begins)
            return room_take(&instants->room, rest->node, rest->count);
        room_give_back(&instants->room, rest->node, rest->count);
        return true;
    }
    instants->asleep_milli[gpu_type] += begins ? milli : -milli;
    return true;
}

/* The configurations of a job that waits. */
static uint32_t set_of(const struct instants *instants, const struct recorded_segment *segment) {
    return instants->run->workload.jobs.at[segment->job].set + segment->phase;
}

static bool apply_event(struct instants *instants, const struct instant_event *event) {
    const struct recorded_run *run = instants->run;
    bool of_rest = event->change == INSTANT_REST_ENDS || event->change == INSTANT_REST_BEGINS;
    if (of_rest)
        return change_rest(instants, &run->rests.at[event->index],
                           event->change == INSTANT_REST_BEGINS);
    const struct recorded_segment *segment = &run->segments.at[event->index];
    if (event->change == INSTANT_TAKE)
        return take_gpus(instants, segment);
    if (event->change == INSTANT_GIVE_BACK)
        give_gpus_back(instants, segment);
    else if (event->change == INSTANT_WAITS)
        wanted_add(&instants->wanted, set_of(instants, segment));
    else
        wanted_remove(&instants->wanted, set_of(instants, segment));
    return true;
}

/* Files of a run can state it, but no run can be so. */
static int refuse_instant(const struct instants *instants, int64_t now_ns, const char *what,
                          struct error *reterr) {
    return error_set(reterr, ERROR_INPUT, "%s: at %.9g s %s", instants->run->folder->path,
                     units_s(now_ns), what);
}

static bool rests_are_free(const struct instants *instants) {
    bool all = true;
    for (uint32_t h = 0; h < instants->run->folder->cluster.gpu_type_count; h++)
        all = all && instants->asleep_milli[h] <= room_free_milli(&instants->room, h);
    return all;
}

int instants_step(struct instants *instants, struct error *reterr) {
    int64_t now_ns = instants_next_ns(instants);
    const struct instant_event *end = instants->events + instants->count,
                               *event = instants->events + instants->next;
    instants->first_taken = SIZE_MAX;
    for (; event < end && event->time_ns == now_ns; event++) {
        size_t place = (size_t)(event - instants->events);
        if (event->change == INSTANT_TAKE && instants->first_taken == SIZE_MAX)
            instants->first_taken = place;
        if (!apply_event(instants, event))
            return refuse_instant(instants, now_ns, "more GPUs of a node are held than it has",
                                  reterr);
    }
    instants->next = instants->taken_end = (size_t)(event - instants->events);
    if (instants->first_taken == SIZE_MAX)
        instants->first_taken = instants->next;
    if (!rests_are_free(instants))
        return refuse_instant(instants, now_ns, "GPUs are held and asleep at once", reterr);
    return 0;
}

void instants_room_for(const struct instants *instants, const struct recorded_segment *segment,
                       struct room_free *ret_free) {
    const struct recorded_run *run = instants->run;
    for (uint32_t h = 0; h < run->folder->cluster.gpu_type_count; h++)
        ret_free[h] = room_free_of(&instants->room, h);
    struct room_free *own = &ret_free[recorded_run_config(run, segment)->gpu_type];
    const struct recorded_gpus *gpus = &run->gpus.at[segment->gpus];
    for (uint32_t i = 0, held = 0; i < segment->gpus_count; i++) { /* of a node side by side */
        held = i > 0 && gpus[i].node == gpus[i - 1].node ? held + gpus[i].count : gpus[i].count;
        uint32_t of_node = instants->room.node_free[gpus[i].node] + held;
        own->gpus += gpus[i].count;
        own->of_node = of_node > own->of_node ? of_node : own->of_node;
    }
}

uint64_t instants_awake_milli(const struct instants *instants, uint32_t gpu_type) {
    return room_free_milli(&instants->room, gpu_type) - instants->asleep_milli[gpu_type];
}
