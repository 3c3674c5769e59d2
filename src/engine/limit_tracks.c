/* Members that change together. What the members of a track do is kept once, as a list of changes;
   a member does its sums when somebody looks at it. Its work is a sum of doubles, term by term as
   at each change, and energy and times are whole numbers, so no result depends on when that is. */
#include "engine/limit_tracks.h"

#include "base/units.h"

/* With very many tracks few members share one. */
#define MOST_TRACKS 16384
/* Then all members catch up. */
#define MOST_CHANGES 64

/* --- one member --- */

void limits_catch_up(struct limits *l, size_t i) {
    const struct limit_track *t = &l->tracks.at[l->track_of.at[i]];
    const struct limit_class *c = &l->classes.at.at[t->class];
    const struct limit_change *change = &t->changes.at[l->seen.at[i]], *first = change,
                              *end = t->changes.at + t->changes.count, *last = end - 1;
    struct limit_member *m = &l->members.at[i];
    int64_t passed_ns = first->ns - m->since_ns;
    m->energy += (int128)m->hold.nw * passed_ns + (last->energy - first->energy);
    m->throttled_ns +=
        (m->hold.nw < c->full.nw ? passed_ns : 0) + (last->throttled_ns - first->throttled_ns);
    if (c->broken_nw < c->full.nw)
        l->rests.at[i].broken_ns += (limit_class_breaks(c, m->hold.nw) ? passed_ns : 0) +
                                    (last->broken_ns - first->broken_ns);
    while (change < end && !change->has_new_speed)
        change++;
    if (change < end) {
        double done = m->done + units_s(change->ns - m->done_ns) * m->hold.goodput;
        while (++change < end)
            done += change->work;
        m->done = done;
        m->done_ns = t->done_ns;
        l->flags.at[i] |= LIMIT_TOUCHED;
    }
    m->since_ns = last->ns;
    m->hold = t->hold;
    l->seen.at[i] = (uint32_t)t->changes.count;
    if (!(l->flags.at[i] & LIMIT_UNSHOWN))
        array_push(&l->unshown, l->jobs.at[i]);
    l->flags.at[i] |= LIMIT_UNSHOWN;
}

void limits_catch_up_all(struct limits *l) {
    for (size_t i = 0; i < l->jobs.count && l->is_behind; i++) {
        uint32_t track = l->track_of.at[i];
        if (track != EASIM_NONE && l->seen.at[i] < l->tracks.at[track].changes.count)
            limits_catch_up(l, i);
        l->seen.at[i] = 0;
    }
    for (size_t t = 0; t < l->tracks.count && l->is_behind; t++)
        l->tracks.at[t].changes.count = 0;
    l->is_behind = false;
}

size_t limits_part(const struct sim *sim, uint32_t job) {
    struct limits *l = sim->limits;
    size_t i = limits_index(sim, job);
    if (l->track_of.at[i] == EASIM_NONE)
        return i;
    struct limit_track *t = &l->tracks.at[l->track_of.at[i]];
    l->pending.at[i] = t->pending;
    l->track_of.at[i] = EASIM_NONE;
    t->members--;
    idset_insert(&l->apart, i);
    return i;
}

/* A member that does no more than go on, with no event of its own, joins the track of its class and
   group if it is where that is; false: not. */
static bool join_track(struct sim *sim, size_t i) {
    static const uint8_t simple = LIMIT_COMPUTES | LIMIT_METERED | LIMIT_ALONE;
    struct limits *l = sim->limits;
    const uint32_t key[] = {l->held.at[i], l->groups.at[i]};
    struct limit_hold hold = l->members.at[i].hold;
    if ((l->flags.at[i] & (simple | LIMIT_PERIODIC | LIMIT_FRESH)) != simple ||
        l->pending.at[i] >= 0 || l->wanted.at[i] != key[0] || key[1] == EASIM_NONE ||
        !l->classes.at.at[key[0]].steps)
        return false;
    uint32_t track = l->tracks.count < MOST_TRACKS ? intern(&l->track_keys, key, sizeof key, NULL)
                                                   : intern_find(&l->track_keys, key, sizeof key);
    if (track == INTERN_NONE)
        return false;
    if (track == l->tracks.count)
        array_push(&l->tracks, ((struct limit_track){.class = key[0], .group = key[1]}));
    struct limit_track *t = &l->tracks.at[track];
    if (t->members == 0) {
        t->changes.count = 0;
        t->hold = hold;
        t->pending = -1;
        t->total.ns = t->done_ns = sim->now_ns;
    }
    if (t->pending >= 0 || !limit_hold_is(&hold, &t->hold))
        return false;
    t->members++;
    l->track_of.at[i] = track;
    l->seen.at[i] = (uint32_t)t->changes.count;
    idset_remove(&l->apart, i);
    return true;
}

/* --- changes are asked for --- */

void limits_add_due(struct sim *sim, uint32_t gpu_type, uint32_t job) {
    struct limit_queue *queue = &sim->limits->queues[gpu_type];
    int64_t ns = sim->now_ns + queue->delay_ns;
    array_push(&queue->changes, ((struct limit_due){ns, job}));
    if (queue->last_ns == ns)
        return;
    queue->last_ns = ns;
    sim_push_background(sim, ns, EVENT_LIMIT, gpu_type);
}

void limits_set_class(struct sim *sim, uint32_t job, uint32_t class) {
    sim->limits->class_of[job] = class;
    if (limits_have(sim, job))
        sim->limits->wanted.at[limits_part(sim, job)] = class;
}

struct limit_hold limits_target(struct sim *sim, uint32_t job) {
    struct limits *l = sim->limits;
    struct limit_class *c = &l->classes.at.at[l->class_of[job]];
    if (l->group_of[job] == EASIM_NONE)
        return c->full;
    const struct limit_place *place = &l->places.at[l->group_of[job]];
    return limit_class_hold(&l->classes, l->class_of[job], place);
}

/* Whether the hold of a member apart, without a pending change, is to change. */
static bool moves(struct sim *sim, size_t i) {
    const struct limit_hold hold = limits_target(sim, sim->limits->jobs.at[i]);
    return !limit_hold_is(&hold, &sim->limits->members.at[i].hold);
}

static void ask_apart(struct sim *sim, const bool *changed) {
    struct limits *l = sim->limits;
    for (uint64_t i = idset_next(&l->apart, 0); i != IDSET_NONE; i = idset_next(&l->apart, i + 1)) {
        const struct limit_class *c = &l->classes.at.at[l->wanted.at[i]];
        uint32_t group = l->groups.at[i];
        if (join_track(sim, i) || group == EASIM_NONE || !changed[group] || l->pending.at[i] >= 0 ||
            l->flags.at[i] & LIMIT_FRESH || !moves(sim, i))
            continue;
        l->pending.at[i] = sim->now_ns + l->queues[c->gpu_type].delay_ns;
        l->queues[c->gpu_type].is_asked = true;
    }
}

void limits_ask_groups(struct sim *sim, const bool *changed) {
    struct limits *l = sim->limits;
    ask_apart(sim, changed);
    for (size_t i = 0; i < l->tracks.count; i++) {
        struct limit_track *t = &l->tracks.at[i];
        const struct limit_class *c = &l->classes.at.at[t->class];
        const struct limit_place *place = &l->places.at[t->group];
        if (t->members == 0 || !changed[t->group] || t->pending >= 0 ||
            limit_hold_is(&c->steps[place->step], &c->steps[place->step_before]))
            continue;
        t->pending = sim->now_ns + l->queues[c->gpu_type].delay_ns;
        l->queues[c->gpu_type].is_asked = true;
    }
    for (uint32_t h = 0; h < sim->cluster->gpu_type_count; h++) {
        if (l->queues[h].is_asked)
            limits_add_due(sim, h, EASIM_NONE);
        l->queues[h].is_asked = false;
    }
}

/* --- changes take place --- */

/* As set_hold of limits.c for all its members. */
static void change_track(struct sim *sim, struct limit_track *t) {
    struct limits *l = sim->limits;
    const struct limit_class *c = &l->classes.at.at[t->class];
    const struct limit_hold hold = c->steps[l->places.at[t->group].step], old = t->hold;
    int64_t passed_ns = sim->now_ns - t->total.ns;
    if (limit_hold_is(&hold, &old))
        return;
    if (t->changes.count == MOST_CHANGES)
        limits_catch_up_all(l);
    t->total.energy += (int128)old.nw * passed_ns;
    t->total.throttled_ns += old.nw < c->full.nw ? passed_ns : 0;
    t->total.broken_ns += limit_class_breaks(c, old.nw) ? passed_ns : 0;
    t->total.ns = sim->now_ns;
    t->total.has_new_speed = hold.goodput != old.goodput;
    t->total.work = 0;
    if (t->total.has_new_speed) {
        t->total.work = units_s(sim->now_ns - t->done_ns) * old.goodput;
        t->done_ns = sim->now_ns;
    }
    t->hold = hold;
    array_push(&t->changes, t->total);
    l->is_behind = true;
    sim->meter.types[c->gpu_type].computing.nw += (int64_t)t->members * (hold.nw - old.nw);
    l->throttled_gpus +=
        (uint64_t)t->members * c->k * (uint64_t)((hold.nw < c->full.nw) - (old.nw < c->full.nw));
}

void limits_change_all(struct sim *sim, uint32_t gpu_type,
                       void (*change)(struct sim *sim, uint32_t job)) {
    struct limits *l = sim->limits;
    for (uint64_t i = idset_next(&l->apart, 0); i != IDSET_NONE; i = idset_next(&l->apart, i + 1))
        if (l->pending.at[i] == sim->now_ns &&
            l->classes.at.at[l->held.at[i]].gpu_type == gpu_type) {
            l->pending.at[i] = -1;
            change(sim, l->jobs.at[i]);
        }
    for (size_t i = 0; i < l->tracks.count; i++) {
        struct limit_track *t = &l->tracks.at[i];
        if (t->members == 0 || t->pending != sim->now_ns ||
            l->classes.at.at[t->class].gpu_type != gpu_type)
            continue;
        t->pending = -1;
        change_track(sim, t);
    }
}
