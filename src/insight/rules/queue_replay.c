/* Replays a recorded run, change by change: what is free, which jobs wait and could start, power
   and cap. */
#include "insight/rules/internal.h"

#include "cluster/power_meter.h"

#include <math.h>
#include <stdlib.h>

#define MANY_SETS 1024 /* from here on powers are told apart by whole watts */

/* ---- Groups ---- */

/* The configurations of a set, those with as many GPUs of a type together. */
static void add_choice(struct queue_replay *replay, size_t first, uint32_t config) {
    const struct easim_config *configs = replay->run->workload.table.configs.at;
    const struct easim_config *c = &configs[config];
    struct queue_choice choice = {.config = config};
    for (uint32_t span = 0; span <= EASIM_ACROSS_NODES; span++) {
        int64_t nw = power_steps_added_nw(&replay->run->folder->cluster, c, span);
        bool rounds = replay->run->workload.table.sets.count > MANY_SETS;
        choice.added_nw[span] = rounds ? nw / 1000000000 * 1000000000 : nw;
    }
    for (size_t i = first; i < replay->choices.count; i++) {
        struct queue_choice *other = &replay->choices.at[i];
        const struct easim_config *o = &configs[other->config];
        bool alike = o->gpu_type == c->gpu_type && o->k == c->k && o->milli == c->milli;
        for (uint32_t s = 0; s <= EASIM_ACROSS_NODES && alike; s++)
            alike = (o->goodput[s] > 0) == (c->goodput[s] > 0);
        if (!alike)
            continue;
        if (c->goodput[c->empty_span] > o->goodput[o->empty_span])
            other->config = config;
        for (uint32_t s = 0; s <= EASIM_ACROSS_NODES; s++)
            if (choice.added_nw[s] < other->added_nw[s])
                other->added_nw[s] = choice.added_nw[s];
        return;
    }
    array_push(&replay->choices, choice);
}

/* All that decides when jobs of a set could start, and how fast they are. */
static void add_key(struct str *key, const struct easim_config *config,
                    const struct queue_choice *choice) {
    str_add_bytes(key, (const char *)&config->gpu_type, sizeof config->gpu_type);
    str_add_bytes(key, (const char *)&config->k, sizeof config->k);
    str_add_bytes(key, (const char *)&config->milli, sizeof config->milli);
    str_add_bytes(key, (const char *)config->goodput, 2 * sizeof *config->goodput);
    str_add_bytes(key, (const char *)choice->added_nw, sizeof choice->added_nw);
}

static uint32_t make_group(struct queue_replay *replay, uint32_t set) {
    const struct config_table *table = &replay->run->workload.table;
    const struct config_set *s = &table->sets.at[set];
    size_t first = replay->choices.count;
    struct str key = {0};
    bool is_new;
    for (uint32_t c = s->first; c < s->first + s->count; c++)
        add_choice(replay, first, c);
    for (size_t i = first; i < replay->choices.count; i++)
        add_key(&key, &table->configs.at[replay->choices.at[i].config], &replay->choices.at[i]);
    uint32_t group = intern(&replay->keys, key.text ? key.text : "", key.length, &is_new);
    str_finish(&key);
    if (is_new)
        array_push(&replay->groups,
                   ((struct queue_group){.first = (uint32_t)first,
                                         .count = (uint32_t)(replay->choices.count - first)}));
    else
        replay->choices.count = first;
    return group;
}

static uint32_t group_of(struct queue_replay *replay, const struct recorded_segment *queued) {
    uint32_t set = replay->run->workload.jobs.at[queued->job].set + queued->phase;
    if (replay->group_of_set[set] == EASIM_NONE)
        replay->group_of_set[set] = make_group(replay, set);
    return replay->group_of_set[set];
}

/* ---- Who waits ---- */

static void begin_waiting(struct queue_replay *replay, const struct recorded_segment *queued) {
    uint32_t number = group_of(replay, queued);
    struct queue_group *group = &replay->groups.at[number];
    if (group->waiting++ == 0) {
        group->place = (uint32_t)replay->active.count;
        array_push(&replay->active, number);
    }
    idset_insert(&replay->waiting, queued->job);
    replay->waiting_count++;
    replay->waits_in[queued->job] = number;
    array_push(&replay->came, queued->job);
}

static void end_waiting(struct queue_replay *replay, const struct recorded_segment *queued) {
    struct queue_group *group = &replay->groups.at[group_of(replay, queued)];
    if (--group->waiting == 0) {
        uint32_t last = replay->active.at[--replay->active.count];
        replay->active.at[group->place] = last;
        replay->groups.at[last].place = group->place;
    }
    idset_remove(&replay->waiting, queued->job);
    replay->waiting_count--;
}

/* ---- Time ---- */

void queue_replay_init(struct queue_replay *replay, const struct rule_run *rule_run,
                       const struct power_steps *power) {
    const struct recorded_run *run = rule_run->run;
    size_t sets = run->workload.table.sets.count, jobs = run->workload.jobs.count;
    *replay = (struct queue_replay){.run = run, .power = power, .cap_w = INFINITY};
    replay->free = mem_zalloc(run->folder->cluster.gpu_type_count, sizeof *replay->free);
    replay->group_of_set = mem_zalloc(sets + 1, sizeof *replay->group_of_set);
    replay->waits_in = mem_zalloc(jobs + 1, sizeof *replay->waits_in);
    memset(replay->group_of_set, 0xff, (sets + 1) * sizeof *replay->group_of_set);
    idset_init(&replay->waiting, jobs + 1);
    instants_init(&replay->instants, run, &rule_run->waste->instants);
}

void queue_replay_finish(struct queue_replay *replay) {
    instants_finish(&replay->instants);
    idset_finish(&replay->waiting);
    intern_finish(&replay->keys);
    free(replay->free);
    free(replay->choices.at);
    free(replay->groups.at);
    free(replay->active.at);
    free(replay->came.at);
    free(replay->group_of_set);
    free(replay->waits_in);
    *replay = (struct queue_replay){0};
}

/* All instants up to now_ns. */
static bool apply_instants(struct queue_replay *replay, int64_t now_ns) {
    struct instants *instants = &replay->instants;
    struct error error = {0};
    while (instants_next_ns(instants) <= now_ns) {
        int64_t at_ns = instants_next_ns(instants);
        for (size_t i = instants->next; i < instants->count && instants->events[i].time_ns == at_ns;
             i++) {
            const struct instant_event *event = &instants->events[i];
            if (event->change == INSTANT_WAITS)
                begin_waiting(replay, &replay->run->segments.at[event->index]);
            else if (event->change == INSTANT_WAITS_NO_MORE)
                end_waiting(replay, &replay->run->segments.at[event->index]);
        }
        if (instants_step(instants, &error) < 0)
            return false;
    }
    for (uint32_t h = 0; h < replay->run->folder->cluster.gpu_type_count; h++)
        replay->free[h] = room_free_of(&instants->room, h);
    return true;
}

static void apply_steps(struct queue_replay *replay, int64_t now_ns) {
    const struct recorded_folder *folder = replay->run->folder;
    if (!replay->power)
        return;
    for (; replay->next_step < folder->steps.count &&
           folder->steps.at[replay->next_step].time_ns <= now_ns;
         replay->next_step++)
        replay->cap_w = folder->steps.at[replay->next_step].cap_w;
    for (; replay->next_power < replay->power->at.count &&
           replay->power->at.at[replay->next_power].time_ns <= now_ns;
         replay->next_power++)
        replay->drawn = replay->power->at.at[replay->next_power];
}

static int64_t next_change_ns(const struct queue_replay *replay) {
    const struct recorded_folder *folder = replay->run->folder;
    int64_t next = replay->run->part->end_ns, instant = instants_next_ns(&replay->instants);
    next = instant < next ? instant : next;
    if (!replay->power)
        return next;
    if (replay->next_step < folder->steps.count &&
        folder->steps.at[replay->next_step].time_ns < next)
        next = folder->steps.at[replay->next_step].time_ns;
    if (replay->next_power < replay->power->at.count &&
        replay->power->at.at[replay->next_power].time_ns < next)
        next = replay->power->at.at[replay->next_power].time_ns;
    return next;
}

bool queue_replay_next(struct queue_replay *replay) {
    int64_t now_ns = replay->to_ns;
    replay->came.count = 0;
    if (now_ns >= replay->run->part->end_ns || !apply_instants(replay, now_ns))
        return false;
    apply_steps(replay, now_ns);
    replay->from_ns = now_ns;
    replay->to_ns = next_change_ns(replay);
    return true;
}

/* ---- Looking ---- */

uint32_t queue_replay_head(const struct queue_replay *replay) {
    uint64_t head = idset_next(&replay->waiting, 0);
    return head == IDSET_NONE ? EASIM_NONE : (uint32_t)head;
}

uint32_t queue_replay_group(const struct queue_replay *replay, uint32_t job) {
    return replay->waits_in[job];
}

static void try_choice(const struct queue_replay *replay, const struct queue_choice *choice,
                       struct queue_fit *fit) {
    const struct easim_config *config = &replay->run->workload.table.configs.at[choice->config];
    const struct room_free *free_gpus = &replay->free[config->gpu_type];
    if (!room_fits(free_gpus, config))
        return;
    uint32_t span =
        config->milli > 0 || free_gpus->of_node >= config->k ? EASIM_ONE_NODE : EASIM_ACROSS_NODES;
    int64_t added_nw = choice->added_nw[span];
    fit->gpus = true;
    fit->least_added_nw = added_nw < fit->least_added_nw ? added_nw : fit->least_added_nw;
    if (isfinite(replay->cap_w) && replay->drawn.committed_nw + added_nw > power_nw(replay->cap_w))
        return;
    fit->power = true;
    fit->goodput = config->goodput[span] > fit->goodput ? config->goodput[span] : fit->goodput;
}

struct queue_fit queue_replay_fit(const struct queue_replay *replay, uint32_t group) {
    const struct queue_group *g = &replay->groups.at[group];
    struct queue_fit fit = {.least_added_nw = INT64_MAX};
    for (uint32_t i = 0; i < g->count; i++)
        try_choice(replay, &replay->choices.at[g->first + i], &fit);
    return fit;
}
