/* From a plan to actions: see allocation.h. First what frees GPUs, then what takes them. */
#include "allocation.h"

#include <string.h>

static const struct allocation_choice *wish(const struct allocation_job *job) {
    return job->chosen == EASIM_NONE ? NULL : &job->choices[job->chosen];
}

static void preempt_losers(const struct allocation *a) {
    for (uint32_t i = 0; i < a->count; i++)
        if (a->jobs[i].runs && a->jobs[i].chosen == EASIM_NONE)
            a->pass->host->plan_preempt(a->pass->plan, a->jobs[i].job->index, false);
}

/* Whether GPUs that lie as `span` tells are slower than planned, and no better for a running job
   than those it has. */
static bool are_worse(const struct allocation *a, const struct allocation_job *job,
                      const struct allocation_choice *c, int span) {
    double goodput = easim_view_config(a->pass->view, c->config)->goodput[span];
    return job->runs && goodput < c->goodput && goodput <= job->choices->goodput &&
           c->k >= job->choices->k;
}

/* Gives the job what it is to have, if that fits now. */
static bool try_choice(const struct allocation *a, const struct allocation_job *job,
                       const struct allocation_choice *c) {
    const struct easim_pass *pass = a->pass;
    uint32_t index = job->job->index;
    int span = pass->host->try_config(pass->plan, index, c->config, NULL);
    if (span < 0 || are_worse(a, job, c, span))
        return false;
    return (job->runs ? pass->host->plan_resize : pass->host->plan_start)(pass->plan, index,
                                                                          c->config) == EASIM_OK;
}

/* Running jobs that move, as long as one does: each leaves GPUs for the next. Who finds no place
   stays: two that were to exchange full types, for one. */
static void move_running(const struct allocation *a) {
    bool *moved = a->pass->host->scratch(a->pass->plan, a->count * sizeof *moved);
    for (bool any = true; any;) {
        any = false;
        for (uint32_t i = 0; i < a->count; i++) {
            const struct allocation_job *job = &a->jobs[i];
            if (!job->runs || moved[i] || job->chosen == EASIM_NONE || job->chosen == 0)
                continue;
            moved[i] = try_choice(a, job, wish(job));
            any = any || moved[i];
        }
    }
}

/* The allocation of least cost that fits now. */
static const struct allocation_choice *best_that_fits(const struct allocation *a,
                                                      const struct allocation_job *job) {
    const struct allocation_choice *best = NULL;
    for (uint32_t c = 0; c < job->count; c++) {
        if (easim_fits(a->pass, job->job, job->choices[c].config) >= 0 &&
            (!best || job->choices[c].gain > best->gain))
            best = &job->choices[c];
    }
    return best;
}

/* Whether a job may start in the next round, when those that have been preempted have stopped. If
   it took anything else until then, they would displace it in turn. A run in which power was never
   lacking goes as without a cap. */
static bool waits_for_others(const struct allocation *a, const struct allocation_job *job) {
    return a->has_lacked && a->pass->view->checkpointing_count > 0 &&
           easim_fits(a->pass, job->job, wish(job)->config) < 0;
}

/* Then those whose GPUs lie in pieces that they cannot use: others may do. */
static void start_waiting(const struct allocation *a) {
    bool *started = a->pass->host->scratch(a->pass->plan, a->count * sizeof *started);
    for (uint32_t i = 0; i < a->count; i++)
        if (!a->jobs[i].runs && wish(&a->jobs[i]))
            started[i] = try_choice(a, &a->jobs[i], wish(&a->jobs[i]));
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->jobs[i].runs || started[i] || !wish(&a->jobs[i]) || waits_for_others(a, &a->jobs[i]))
            continue;
        const struct allocation_choice *other = best_that_fits(a, &a->jobs[i]);
        if (other)
            try_choice(a, &a->jobs[i], other);
    }
}

/* --- power domains --- */
/* Where GPUs lie is not part of the plan, so a power domain may refuse a part of it. */

/* Parts of the plan, and whose. */
struct parts {
    struct easim_part *at;
    struct allocation_job **jobs;
    uint32_t count;
};

static void add_part(struct parts *p, struct allocation_job *job) {
    const struct allocation_choice *c = wish(job);
    uint32_t action = !c ? EASIM_PART_PREEMPT : job->runs ? EASIM_PART_RESIZE : EASIM_PART_START;
    p->jobs[p->count] = job;
    p->at[p->count++] =
        (struct easim_part){action, job->job->index, c ? c->config : EASIM_NONE, true};
}

static int try_parts(const struct allocation *a, const struct parts *p) {
    return easim_try_exchange(a->pass, p->at, p->count, NULL, NULL);
}

/* Adds those that stop, or move, or start, as long as power domains admit them; or all. */
static void add_parts(const struct allocation *a, struct parts *p, bool all) {
    p->count = 0;
    for (int kind = 0; kind < 3; kind++)
        for (uint32_t i = 0; i < a->count; i++) {
            struct allocation_job *job = &a->jobs[i];
            bool stays = job->runs ? job->chosen == 0 : job->chosen == EASIM_NONE;
            if (stays || kind != (!wish(job) ? 0 : job->runs ? 1 : 2))
                continue;
            add_part(p, job);
            if (all || kind == 0 || try_parts(a, p) == EASIM_OK)
                continue;
            job->chosen = job->runs ? 0 : EASIM_NONE;
            p->count--;
        }
}

/* Jobs that would stop, or get less, for one that does not start: they keep what they have. */
static void keep_needless(const struct allocation *a, struct parts *p) {
    for (uint32_t i = p->count; i-- > 0;) {
        struct allocation_job *job = p->jobs[i];
        struct easim_part part = p->at[i];
        if (!job->runs || (wish(job) && wish(job)->gain >= job->choices->gain))
            continue;
        p->count--;
        memmove(&p->at[i], &p->at[i + 1], (p->count - i) * sizeof *p->at);
        if (p->count == 0 || try_parts(a, p) == EASIM_OK) {
            memmove(&p->jobs[i], &p->jobs[i + 1], (p->count - i) * sizeof(void *));
            job->chosen = 0;
            continue;
        }
        memmove(&p->at[i + 1], &p->at[i], (p->count - i) * sizeof *p->at);
        p->at[i] = part;
        p->count++;
    }
}

/* Leaves out of the plan what power domains refuse, and what only that needs. */
static void fit_domains(const struct allocation *a) {
    const struct easim_power *power = easim_power_of(a->pass, 0);
    if (!power || power->domain_count == 0)
        return;
    struct parts p = {a->pass->host->scratch(a->pass->plan, (a->count + 1) * sizeof *p.at),
                      a->pass->host->scratch(a->pass->plan, (a->count + 1) * sizeof *p.jobs), 0};
    add_parts(a, &p, true);
    if (easim_power_admits(power, a->pass, p.at, p.count))
        return;
    add_parts(a, &p, false);
    keep_needless(a, &p);
}

void allocation_carry_out(const struct allocation *a) {
    fit_domains(a);
    preempt_losers(a);
    move_running(a);
    start_waiting(a);
}
