/* Power limits of running jobs: see limits.h. Invariant: hold has held since since_ns, and its
   goodput since done_ns. */
#include "engine/limits.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>

/* --- set-up --- */

void limits_init(struct sim *sim) {
    size_t count = sim->workload->jobs.count;
    const struct cap_rules *rules = &sim->cluster->cap_rules;
    bool may_set =
        params_have(sim->params, EASIM_CAPABILITY_FREQUENCY) || params_set_limits(sim->params);
    if (sim->contention || (rules->enforce == ENFORCE_NONE && !may_set))
        return;
    struct limits *l = sim->limits = mem_zalloc(1, sizeof *sim->limits);
    l->class_of = mem_alloc(count * sizeof *l->class_of);
    l->group_of = mem_alloc(count * sizeof *l->group_of);
    l->place_of = mem_zalloc(count, sizeof *l->place_of);
    l->totals = mem_zalloc(count, sizeof *l->totals);
    l->queues = mem_zalloc(sim->cluster->gpu_type_count, sizeof *l->queues);
    l->classes = (struct limit_classes){.cluster = sim->cluster,
                                        .workload = sim->workload,
                                        .configs = sim->view.configs,
                                        .steps = (uint32_t)rules->steps};
    idset_init(&l->apart, count);
    for (size_t j = 0; j < count; j++)
        l->class_of[j] = l->group_of[j] = EASIM_NONE;
    for (uint32_t h = 0; h < sim->cluster->gpu_type_count; h++)
        l->queues[h] = (struct limit_queue){
            .last_ns = -1, .delay_ns = units_ns(sim->cluster->gpu_types[h].limit_delay_s)};
}

void limits_finish(struct sim *sim) {
    struct limits *l = sim->limits;
    if (!l)
        return;
    limit_classes_finish(&l->classes);
    for (uint32_t h = 0; h < sim->cluster->gpu_type_count; h++)
        free(l->queues[h].changes.at);
    for (size_t t = 0; t < l->tracks.count; t++)
        free(l->tracks.at[t].changes.at);
    intern_finish(&l->track_keys);
    idset_finish(&l->apart);
    void *const all[] = {l->class_of,   l->group_of,  l->place_of,    l->totals,   l->jobs.at,
                         l->wanted.at,  l->held.at,   l->groups.at,   l->flags.at, l->pending.at,
                         l->members.at, l->rests.at,  l->places.at,   l->queues,   l->fresh.at,
                         l->unshown.at, l->tracks.at, l->track_of.at, l->seen.at,  l->followed.at,
                         l->line.at};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    timeheap_finish(&l->wakes);
    free(l);
    sim->limits = NULL;
}

/* --- what a member is at --- */

double limits_stretch_work(const struct sim *sim, uint32_t job, int64_t at_ns, double factor,
                           double speed) {
    const struct limit_member *m = limits_member(sim, job);
    const struct limit_rest *rest = &sim->limits->rests.at[limits_index(sim, job)];
    if (at_ns < m->done_ns)
        return (rest->kept_done - rest->stretch_done) * factor;
    return (m->done - rest->stretch_done) * factor + units_s(at_ns - m->done_ns) * speed;
}

int128 limits_energy(const struct sim *sim, uint32_t job, int64_t at_ns) {
    const struct limit_member *m = limits_member(sim, job);
    if (at_ns < m->since_ns)
        return sim->limits->rests.at[limits_index(sim, job)].kept_energy;
    return m->energy + (int128)m->hold.nw * (at_ns - m->since_ns);
}

int128 limits_segment_energy(const struct sim *sim, uint32_t job) {
    return limits_energy(sim, job, sim->now_ns) -
           sim->limits->rests.at[limits_index(sim, job)].segment_energy;
}

int64_t limits_reach_ns(const struct sim *sim, uint32_t job, double work) {
    const struct limit_member *m = limits_member(sim, job);
    const struct limit_rest *rest = &sim->limits->rests.at[limits_index(sim, job)];
    const struct progress *p = &sim->progress[job];
    double done = p->stretch_work + (m->done - rest->stretch_done) * p->factor;
    return m->done_ns + units_duration_ns(fmax(0, work - done) / (m->hold.goodput * p->factor));
}

/* Time since the last periodic checkpoint of a computing member; -1: there is none after
   from_ns. */
static int64_t checkpoint_ago_ns(const struct sim *sim, size_t i, int64_t from_ns) {
    int64_t interval_ns = sim->limits->rests.at[i].interval_ns;
    if (interval_ns < 0)
        return -1;
    int64_t run_ns = sim->now_ns - sim->progress[sim->limits->jobs.at[i]].began_ns;
    int64_t ago_ns = interval_ns > 0 ? run_ns % interval_ns : 0;
    return sim->now_ns - ago_ns >= from_ns ? ago_ns : -1;
}

/* Bring it up to now. */
static void flush_energy(struct sim *sim, size_t i) {
    struct limits *l = sim->limits;
    struct limit_member *m = &l->members.at[i];
    const struct limit_class *held = &l->classes.at.at[l->held.at[i]];
    int64_t passed_ns = sim->now_ns - m->since_ns, ago_ns;
    if (l->flags.at[i] & LIMIT_COMPUTES) {
        bool is_throttled = m->hold.nw < held->full.nw;
        if ((ago_ns = checkpoint_ago_ns(sim, i, m->since_ns)) >= 0) {
            l->rests.at[i].kept_energy = m->energy + (int128)m->hold.nw * (passed_ns - ago_ns);
            l->rests.at[i].kept_throttled_ns =
                m->throttled_ns + (is_throttled ? passed_ns - ago_ns : 0);
        }
        m->energy += (int128)m->hold.nw * passed_ns;
        m->throttled_ns += is_throttled ? passed_ns : 0;
        if (limit_class_breaks(held, m->hold.nw))
            l->rests.at[i].broken_ns += passed_ns;
    }
    m->since_ns = sim->now_ns;
}

static void flush_work(struct sim *sim, size_t i) {
    struct limits *l = sim->limits;
    struct limit_member *m = &l->members.at[i];
    int64_t passed_ns = sim->now_ns - m->done_ns, ago_ns;
    if (l->flags.at[i] & LIMIT_COMPUTES) {
        if ((ago_ns = checkpoint_ago_ns(sim, i, m->done_ns)) >= 0)
            l->rests.at[i].kept_done = m->done + units_s(passed_ns - ago_ns) * m->hold.goodput;
        m->done += units_s(passed_ns) * m->hold.goodput;
    }
    m->done_ns = sim->now_ns;
}

/* GPUs of a member that computes and draws less than at its wish. */
static uint32_t throttled_gpus(const struct limits *l, size_t i) {
    const struct limit_class *held = &l->classes.at.at[l->held.at[i]];
    bool is_throttled =
        (l->flags.at[i] & LIMIT_COMPUTES) && l->members.at[i].hold.nw < held->full.nw;
    return is_throttled ? held->k : 0;
}

/* Time below its flex that is not in the totals of its job yet: where it may lose nothing, all that
   it is throttled, which costs no sum of its own. */
static int64_t broken_ns(const struct limits *l, size_t i, int64_t throttled_ns) {
    const struct limit_class *held = &l->classes.at.at[l->held.at[i]];
    return l->rests.at[i].broken_ns + (held->broken_nw < held->full.nw ? 0 : throttled_ns);
}

/* Time that a member was throttled since that was counted last, up to at_ns, from since_ns on. */
static int64_t uncounted_throttled_ns(const struct limits *l, size_t i, int64_t at_ns) {
    const struct limit_member *m = &l->members.at[i];
    bool is_throttled = m->hold.nw < l->classes.at.at[l->held.at[i]].full.nw;
    return m->throttled_ns + (is_throttled ? at_ns - m->since_ns : 0);
}

/* Work that it could have done at its wish, likewise, from counted_ns on, in seconds. */
static double uncounted_lost_s(const struct limits *l, size_t i, int64_t at_ns,
                               int64_t throttled_ns) {
    const struct limit_member *m = &l->members.at[i];
    const struct limit_rest *rest = &l->rests.at[i];
    double done = at_ns < m->done_ns ? rest->kept_done
                                     : m->done + units_s(at_ns - m->done_ns) * m->hold.goodput;
    double lost_s = units_s(at_ns - rest->counted_ns) -
                    (done - rest->counted_done) / l->classes.at.at[l->held.at[i]].full.goodput;
    return throttled_ns > 0 ? fmax(0, lost_s) : 0;
}

double limits_lost_gpu_s(const struct sim *sim) {
    struct limits *l = sim->limits;
    double sum = l->lost_gpu_s;
    limits_catch_up_all(l);
    for (size_t i = 0; i < l->jobs.count; i++)
        if (l->flags.at[i] & LIMIT_COMPUTES)
            sum += l->classes.at.at[l->held.at[i]].k *
                   uncounted_lost_s(l, i, sim->now_ns, uncounted_throttled_ns(l, i, sim->now_ns));
    return sum;
}

struct limit_totals limits_totals_at(const struct sim *sim, uint32_t job, int64_t at_ns) {
    const struct limits *l = sim->limits;
    struct limit_totals totals = l->totals[job];
    size_t i = limits_index(sim, job);
    const struct limit_rest *rest = &l->rests.at[i];
    int64_t throttled_ns = at_ns < l->members.at[i].since_ns ? rest->kept_throttled_ns
                                                             : uncounted_throttled_ns(l, i, at_ns);
    totals.throttled_ns += throttled_ns;
    if (at_ns < rest->counted_ns)
        totals.lost_s = rest->kept_lost_s;
    else
        totals.lost_s += uncounted_lost_s(l, i, at_ns, throttled_ns);
    return totals;
}

struct limit_totals limits_totals_of(const struct sim *sim, uint32_t job) {
    const struct limits *l = sim->limits;
    if (!limits_has_flag(sim, job, LIMIT_COMPUTES))
        return l->totals[job];
    struct limit_totals totals = limits_totals_at(sim, job, sim->now_ns);
    size_t i = limits_index(sim, job);
    const struct limit_class *held = &l->classes.at.at[l->held.at[i]];
    const struct limit_member *m = &l->members.at[i];
    bool is_broken = limit_class_breaks(held, m->hold.nw);
    totals.broken_ns += broken_ns(l, i, totals.throttled_ns - l->totals[job].throttled_ns) +
                        (is_broken ? sim->now_ns - m->since_ns : 0);
    return totals;
}

int64_t limits_wish_nw(const struct sim *sim, uint32_t job) {
    const struct limits *l = sim->limits;
    return l->classes.at.at[l->held.at[limits_index(sim, job)]].full.nw;
}

/* Work that it could have done at its wish, in seconds; up to done_ns. */
static void count_lost(struct sim *sim, size_t i) {
    struct limits *l = sim->limits;
    struct limit_rest *rest = &l->rests.at[i];
    const struct limit_member *m = &l->members.at[i];
    const struct limit_class *held = &l->classes.at.at[l->held.at[i]];
    double passed_s = units_s(m->done_ns - rest->counted_ns),
           kept_s = (m->done - rest->counted_done) / held->full.goodput;
    int64_t ago_ns = checkpoint_ago_ns(sim, i, rest->counted_ns);
    if (ago_ns >= 0)
        rest->kept_lost_s = limits_totals_at(sim, l->jobs.at[i], sim->now_ns - ago_ns).lost_s;
    if (m->throttled_ns > 0 && kept_s < passed_s) {
        l->totals[l->jobs.at[i]].lost_s += passed_s - kept_s;
        l->lost_gpu_s += held->k * (passed_s - kept_s);
    }
    rest->counted_ns = m->done_ns;
    rest->counted_done = m->done;
}

static void show_later(struct limits *l, size_t i) {
    if (!(l->flags.at[i] & LIMIT_UNSHOWN))
        array_push(&l->unshown, l->jobs.at[i]);
    l->flags.at[i] |= LIMIT_UNSHOWN;
}

void limits_show_later(struct sim *sim, uint32_t job) {
    show_later(sim->limits, limits_index(sim, job));
}

/* --- its life --- */

void limits_join(struct sim *sim, uint32_t job) {
    struct limits *l = sim->limits;
    const struct start_costs *costs = workload_costs(sim->workload, &sim->workload->jobs.at[job]);
    if (l->class_of[job] == EASIM_NONE)
        return;
    array_push(&l->jobs, job);
    array_push(&l->wanted, l->class_of[job]);
    array_push(&l->held, l->class_of[job]);
    array_push(&l->groups, l->group_of[job]);
    array_push(&l->flags, LIMIT_FRESH | (costs->checkpoint_interval_s == 0 ? 0 : LIMIT_PERIODIC));
    array_push(&l->pending, -1);
    array_push(&l->track_of, EASIM_NONE);
    array_push(&l->seen, 0);
    idset_insert(&l->apart, l->jobs.count - 1);
    *array_add(&l->members) = (struct limit_member){
        .done_ns = sim->now_ns, .since_ns = sim->now_ns, .hold = limits_target(sim, job)};
    array_add(&l->rests)->interval_ns =
        costs->checkpoint_interval_s == 0 ? -1 : units_ns(costs->checkpoint_interval_s);
    l->place_of[job] = (uint32_t)l->jobs.count;
    array_push(&l->fresh, job);
    if (limits_member(sim, job)->hold.nw < l->classes.at.at[l->class_of[job]].full.nw)
        limits_show_later(sim, job);
}

void limits_leave(struct sim *sim, uint32_t job) {
    struct limits *l = sim->limits;
    if (!limits_have(sim, job))
        return;
    size_t i = limits_part(sim, job), last = l->jobs.count - 1;
    sim->node_batches.members -= (l->flags.at[i] & LIMIT_ALONE) != 0;
    l->throttled_gpus -= throttled_gpus(l, i);
    l->jobs.at[i] = l->jobs.at[last];
    l->wanted.at[i] = l->wanted.at[last];
    l->held.at[i] = l->held.at[last];
    l->groups.at[i] = l->groups.at[last];
    l->flags.at[i] = l->flags.at[last];
    l->pending.at[i] = l->pending.at[last];
    l->track_of.at[i] = l->track_of.at[last];
    l->seen.at[i] = l->seen.at[last];
    if (l->track_of.at[last] != EASIM_NONE)
        idset_remove(&l->apart, i);
    idset_remove(&l->apart, last);
    l->members.at[i] = l->members.at[last];
    l->rests.at[i] = l->rests.at[last];
    l->jobs.count = l->wanted.count = l->held.count = l->groups.count = l->flags.count = last;
    l->pending.count = l->members.count = l->rests.count = last;
    l->track_of.count = l->seen.count = last;
    l->place_of[l->jobs.at[i]] = (uint32_t)i + 1;
    l->place_of[job] = 0;
}

void limits_begin(struct sim *sim, uint32_t job) {
    size_t i = limits_part(sim, job);
    struct limit_member *m = &sim->limits->members.at[i];
    struct limit_rest *rest = &sim->limits->rests.at[i];
    *m = (struct limit_member){.done_ns = sim->now_ns, .since_ns = sim->now_ns, .hold = m->hold};
    *rest = (struct limit_rest){.interval_ns = rest->interval_ns,
                                .counted_ns = sim->now_ns,
                                .predicted = sim->view.jobs[job].remaining,
                                .kept_lost_s = sim->limits->totals[job].lost_s};
    sim->limits->flags.at[i] &= (uint8_t)~LIMIT_TOUCHED;
}

void limits_compute(struct sim *sim, uint32_t job) {
    size_t i = limits_part(sim, job);
    sim->limits->throttled_gpus -= throttled_gpus(sim->limits, i);
    sim->limits->flags.at[i] |= LIMIT_COMPUTES | LIMIT_METERED;
    sim->limits->throttled_gpus += throttled_gpus(sim->limits, i);
    sim->limits->rests.at[i].segment_energy = limits_energy(sim, job, sim->now_ns);
}

void limits_pause(struct sim *sim, uint32_t job, bool goes_on) {
    size_t i = limits_part(sim, job);
    struct limit_totals *totals = &sim->limits->totals[job];
    sim->limits->flags.at[i] &= (uint8_t)~LIMIT_METERED;
    if (goes_on)
        return;
    flush_energy(sim, i);
    flush_work(sim, i);
    count_lost(sim, i);
    totals->throttled_ns += sim->limits->members.at[i].throttled_ns;
    totals->broken_ns += broken_ns(sim->limits, i, sim->limits->members.at[i].throttled_ns);
    sim->limits->members.at[i].throttled_ns = sim->limits->rests.at[i].broken_ns = 0;
    sim->limits->throttled_gpus -= throttled_gpus(sim->limits, i);
    sim->limits->flags.at[i] &= (uint8_t)~LIMIT_COMPUTES;
}

void limits_begin_stretch(struct sim *sim, uint32_t job) {
    size_t i = limits_part(sim, job);
    flush_work(sim, i);
    sim->limits->rests.at[i].stretch_done = sim->limits->members.at[i].done;
    sim->limits->flags.at[i] &= (uint8_t)~LIMIT_TOUCHED;
}

/* --- changes --- */

void limits_ask(struct sim *sim, uint32_t job) {
    struct limits *l = sim->limits;
    size_t i = limits_part(sim, job);
    uint32_t h = l->classes.at.at[l->wanted.at[i]].gpu_type;
    if (l->pending.at[i] >= 0 || l->flags.at[i] & LIMIT_FRESH)
        return;
    l->pending.at[i] = sim->now_ns + l->queues[h].delay_ns;
    limits_add_due(sim, h, job);
}

void limits_pass_due(struct sim *sim, uint32_t gpu_type,
                     void (*change)(struct sim *sim, uint32_t job)) {
    struct limits *l = sim->limits;
    struct limit_queue *queue = &l->queues[gpu_type];
    while (queue->next < queue->changes.count && queue->changes.at[queue->next].ns <= sim->now_ns) {
        const struct limit_due due = queue->changes.at[queue->next++];
        if (due.job == EASIM_NONE) {
            limits_change_all(sim, gpu_type, change);
        } else if (limits_have(sim, due.job) &&
                   l->pending.at[limits_index(sim, due.job)] == due.ns) {
            l->pending.at[limits_index(sim, due.job)] = -1;
            change(sim, due.job);
        } /* else it is of before it lost its GPUs */
    }
    if (queue->next == queue->changes.count)
        queue->next = queue->changes.count = 0;
}

bool limits_is_wish(const struct sim *sim, uint32_t job) {
    return sim->limits->class_of[job] != sim->limits->held.at[limits_index(sim, job)];
}

bool limits_take_flag(struct sim *sim, uint32_t job, enum limit_flag flag) {
    if (!limits_has_flag(sim, job, flag))
        return false;
    size_t i = flag == LIMIT_UNSHOWN ? limits_index(sim, job) : limits_part(sim, job);
    sim->limits->flags.at[i] &= (uint8_t) ~(unsigned)flag;
    return true;
}

void limits_set_shown(struct sim *sim, uint32_t job) {
    sim->limits->flags.at[limits_index(sim, job)] |= LIMIT_SHOWN;
}

double limits_predicted(const struct sim *sim, uint32_t job) {
    return sim->limits->rests.at[limits_index(sim, job)].predicted;
}

double limits_predicted_now(const struct sim *sim, uint32_t job) {
    const struct limit_member *m = limits_member(sim, job);
    double done = m->done + units_s(sim->now_ns - m->done_ns) * m->hold.goodput;
    return fmax(0, limits_predicted(sim, job) - done);
}

/* Sets what holds, in members and meter, and the class of it. */
static void set_hold(struct sim *sim, size_t i, uint32_t class, struct limit_hold hold) {
    struct limits *l = sim->limits;
    struct limit_member *m = &l->members.at[i];
    bool speeds_change =
        hold.goodput != m->hold.goodput ||
        l->classes.at.at[class].full.goodput != l->classes.at.at[l->held.at[i]].full.goodput;
    flush_energy(sim, i);
    if (speeds_change)
        flush_work(sim, i);
    if (speeds_change && class != l->held.at[i])
        count_lost(sim, i);
    if (l->flags.at[i] & LIMIT_METERED)
        sim->meter.types[l->classes.at.at[class].gpu_type].computing.nw += hold.nw - m->hold.nw;
    /* of a utilization that changes policies know the mean, until they have been shown a draw */
    bool is_to_be_shown =
        hold.goodput != m->hold.goodput ||
        (hold.nw != m->hold.nw &&
         (!sim->workload->jobs.at[l->jobs.at[i]].utilization || l->flags.at[i] & LIMIT_SHOWN));
    l->throttled_gpus -= throttled_gpus(l, i);
    int64_t broken_before_ns = broken_ns(l, i, m->throttled_ns);
    m->hold = hold;
    l->held.at[i] = class;
    l->rests.at[i].broken_ns += broken_before_ns - broken_ns(l, i, m->throttled_ns);
    l->throttled_gpus += throttled_gpus(l, i);
    l->flags.at[i] |= speeds_change ? LIMIT_TOUCHED : 0;
    if (is_to_be_shown)
        show_later(l, i);
}

void limits_follow(struct sim *sim, uint32_t job) {
    struct limits *l = sim->limits;
    const struct job_run *run = &sim->runs[job];
    size_t i = limits_part(sim, job);
    const struct limit_class *old = &l->classes.at.at[l->held.at[i]];
    const struct limit_hold now = l->members.at[i].hold;
    double wish_w = old->wish_w;
    bool is_full = limit_hold_is(&now, &old->full),
         is_own = wish_w == sim->view.configs[old->config].power_limit_w;
    uint32_t class = limits_class(sim, job, run->config, run->span, is_own ? INFINITY : wish_w);
    const struct limit_class *c = &l->classes.at.at[class];
    int64_t least_nw = power_nw(limit_curve_least_w(&c->curve)), gpu_nw = now.nw / c->k;
    const struct limit_hold hold =
        is_full ? c->full : limit_class_at(c, gpu_nw > least_nw ? gpu_nw : least_nw);
    if (class != l->held.at[i] || !limit_hold_is(&hold, &now))
        set_hold(sim, i, class, hold);
    array_push(&l->followed, job);
}

void limits_ask_followed(struct sim *sim) {
    struct limits *l = sim->limits;
    for (size_t n = 0; n < l->followed.count; n++) {
        uint32_t job = l->followed.at[n];
        if (!limits_have(sim, job))
            continue;
        const struct limit_hold target = limits_target(sim, job);
        if (!limit_hold_is(&target, &limits_member(sim, job)->hold) || limits_is_wish(sim, job))
            limits_ask(sim, job);
    }
    l->followed.count = 0;
}

bool limits_apply(struct sim *sim, uint32_t job) {
    struct limits *l = sim->limits;
    size_t i = limits_part(sim, job);
    const struct limit_hold hold = limits_target(sim, job);
    if (l->class_of[job] == l->held.at[i] && limit_hold_is(&hold, &l->members.at[i].hold))
        return false;
    set_hold(sim, i, l->class_of[job], hold);
    return true;
}

/* --- ends of members that have no event --- */
/* A change of their speed costs no event. They are looked at when they might end, at the speed of
   their full power. */

/* A member with less to go, or with less than a part of its run, has an event: few are changed with
   an event of their own, and few are looked at again and again. */
#define SOON_NS   1000000000
#define SOON_PART 32
/* More than what rounding does to the time to go. */
#define SLACK    1e-6
#define SLACK_NS 4096

/* When it ends if nothing holds it back from from_ns on. */
static void wake_later(struct sim *sim, size_t i, int64_t from_ns, int64_t end_ns) {
    struct limits *l = sim->limits;
    double speed = l->members.at[i].hold.goodput / l->classes.at.at[l->held.at[i]].fastest;
    double least_ns = (double)(end_ns - from_ns) * speed * (1 - SLACK) - SLACK_NS;
    l->rests.at[i].wake_ns = from_ns + (int64_t)fmax(0, least_ns);
    timeheap_push(&l->wakes, (double)l->rests.at[i].wake_ns, l->jobs.at[i]);
}

void limits_end_alone(struct sim *sim, uint32_t job, double end_work, enum event_kind kind) {
    struct limits *l = sim->limits;
    size_t i = limits_part(sim, job);
    int64_t end_ns = limits_reach_ns(sim, job, end_work);
    if (sim->runs[job].event != EVENT_NONE)
        eventq_cancel(&sim->events, sim->runs[job].event);
    sim->runs[job].event = EVENT_NONE;
    l->rests.at[i].end_work = end_work;
    l->rests.at[i].end_kind = (uint8_t)kind;
    l->flags.at[i] |= LIMIT_ALONE;
    sim->node_batches.members++;
    wake_later(sim, i, sim->now_ns, end_ns);
}

bool limits_may_wait(struct sim *sim, uint32_t job, int64_t end_ns) {
    if (sim->options.changer || end_ns <= sim->now_ns || !limits_has_flag(sim, job, LIMIT_FRESH) ||
        sim->workload->jobs.at[job].utilization)
        return false;
    size_t i = limits_part(sim, job);
    sim->limits->flags.at[i] |= LIMIT_ALONE;
    sim->limits->rests.at[i].wake_ns = -1;
    sim->node_batches.members++;
    return true;
}

void limits_end_with_event(struct sim *sim, uint32_t job) {
    if (!limits_has_flag(sim, job, LIMIT_ALONE))
        return;
    sim->limits->flags.at[limits_part(sim, job)] &= (uint8_t)~LIMIT_ALONE;
    sim->node_batches.members--;
}

/* With more of them, what comes next is far apart in memory. */
#define MOST_IN_HEAP 4096

ORDER_BY(by_time, struct timeheap_entry, ASC(time_s))

/* Takes the first wake up to a time. Those of many jobs that start together are sorted. */
static bool take_wake(struct limits *l, double most_ns, struct timeheap_entry *ret) {
    const struct timeheap_entry *first = l->wakes.entries.at, *line;
    uint32_t job;
    if (l->line_next == l->line.count && l->wakes.entries.count > MOST_IN_HEAP) {
        l->line.count = l->line_next = 0;
        for (size_t i = 0; i < l->wakes.entries.count; i++)
            array_push(&l->line, first[i]);
        sort_array(l->line.at, l->line.count, by_time);
        l->wakes.entries.count = 0;
    }
    line = l->line_next < l->line.count ? &l->line.at[l->line_next] : NULL;
    if (line && (l->wakes.entries.count == 0 || line->time_s <= first->time_s)) {
        *ret = *line;
        l->line_next += ret->time_s <= most_ns;
        return ret->time_s <= most_ns;
    }
    if (l->wakes.entries.count == 0)
        return false;
    *ret = *first;
    return timeheap_pop_due(&l->wakes, most_ns, &job);
}

int64_t limits_next_event_ns(struct sim *sim) {
    struct limits *l = sim->limits;
    struct timeheap_entry wake;
    while (take_wake(l, (double)eventq_next_ns(&sim->events), &wake)) {
        uint32_t job = wake.id;
        if (!limits_has_flag(sim, job, LIMIT_ALONE) ||
            wake.time_s != (double)l->rests.at[limits_index(sim, job)].wake_ns)
            continue; /* of before */
        struct limit_rest *rest = &l->rests.at[limits_index(sim, job)];
        int64_t end_ns = limits_reach_ns(sim, job, rest->end_work);
        int64_t part_ns = (rest->wake_ns - sim->progress[job].began_ns) / SOON_PART;
        if (end_ns - rest->wake_ns >= (part_ns > SOON_NS ? part_ns : SOON_NS)) {
            wake_later(sim, limits_index(sim, job), rest->wake_ns, end_ns);
            continue;
        }
        limits_end_with_event(sim, job);
        sim->runs[job].event = sim_push(sim, end_ns, rest->end_kind, job);
    }
    return eventq_next_ns(&sim->events);
}
