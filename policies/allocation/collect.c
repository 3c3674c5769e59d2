/* Jobs and what they may have: see allocation.h. */
#include "allocation.h"

#include <string.h>

static void *scratch(const struct easim_pass *pass, size_t count, size_t size) {
    return pass->host->scratch(pass->plan, (count ? count : 1) * size);
}

/* The extension easim.power is the first of goodput and sia. */
static void find_power(struct allocation *a) {
    const struct easim_power *power = easim_power_of(a->pass, 0);
    if (power && a->pass->view->cap_is_enforced && power->room_nw < INT64_MAX) {
        a->power = power;
        a->nw = power->room_nw;
    }
}

/* Power of a job in one of its configurations, or in its present one; 0 without a cap. */
static int64_t power_nw(const struct allocation *a, const struct easim_job *job, uint32_t config) {
    return !a->power               ? 0
           : job->config == config ? easim_power_at(a->power, job->index)->entry_nw
                                   : a->power->start_nw(a->pass->plan, job->index, config);
}

/* GPUs that are free or held by running jobs: what writes a checkpoint still holds its own. */
static void count_capacity(struct allocation *a, const struct easim_view *view) {
    for (uint32_t t = 0; t < a->type_count; t++)
        a->capacity[t] = easim_view_gpu_type(view, t)->free;
    for (uint32_t i = 0; i < view->running_count; i++) {
        const struct easim_running *r = easim_view_running(view, i);
        a->capacity[r->gpu_type] += r->k;
        a->nw += power_nw(a, easim_view_job(view, r->job), easim_view_job(view, r->job)->config);
    }
}

/* Adds the most productive configuration of every type and number of GPUs. */
static void add_choices(const struct allocation *a, struct allocation_job *job) {
    const struct easim_view *view = a->pass->view;
    for (uint32_t i = 0; i < job->job->config_count; i++) {
        uint32_t config = job->job->first_config + i;
        const struct easim_config *c = easim_view_config(view, config);
        double goodput = c->goodput[c->empty_span];
        struct allocation_choice *last = &job->choices[job->count ? job->count - 1 : 0];
        if (c->milli > 0 || c->power_limit_w < INFINITY || goodput <= 0 ||
            c->k > a->capacity[c->gpu_type] ||
            (job->runs && c->gpu_type == job->choices->gpu_type && c->k == job->choices->k))
            continue;
        bool same = job->count > job->runs && last->gpu_type == c->gpu_type && last->k == c->k;
        if (!same)
            last = &job->choices[job->count++];
        if (!same || goodput > last->goodput)
            *last = (struct allocation_choice){
                .config = config, .gpu_type = c->gpu_type, .k = c->k, .goodput = goodput};
    }
}

/* Who may not be preempted, and who has not computed yet or still writes what a resize saved. */
static bool is_pinned(const struct easim_view *view, const struct easim_job *job) {
    return !job->preemptible || easim_job_computing_s(view, job) <= 0 ||
           job->saved_at_s > view->now_s;
}

/* Room for all choices that a job may have, while they are found; then it gets as many as it has.
 */
static struct allocation_choice *make_room(struct allocation *a, uint32_t count) {
    if (count > a->room_count) {
        a->room_count = 2 * count;
        a->room = scratch(a->pass, a->room_count, sizeof *a->room);
    }
    return a->room;
}

static void keep_choices(const struct allocation *a, struct allocation_job *job) {
    for (uint32_t c = 0; c < job->count; c++)
        a->room[c].nw = power_nw(a, job->job, a->room[c].config);
    job->choices = scratch(a->pass, job->count, sizeof *job->choices);
    memcpy(job->choices, a->room, job->count * sizeof *job->choices);
}

static void add_running(struct allocation *a, const struct easim_job *job) {
    const struct easim_view *view = a->pass->view;
    const struct easim_config *c = easim_view_config(view, job->config);
    struct allocation_job *j = &a->jobs[a->count++];
    j->job = job;
    j->runs = true;
    j->choices = make_room(a, job->config_count + 1);
    j->choices[j->count++] = (struct allocation_choice){.config = job->config,
                                                        .gpu_type = c->gpu_type,
                                                        .k = c->k,
                                                        .goodput = c->goodput[job->span]};
    j->pinned = is_pinned(view, job);
    add_choices(a, j);
    keep_choices(a, j);
}

/* GPUs and power of pinned jobs are not to be given. */
static void reserve_pinned(struct allocation *a) {
    for (uint32_t i = 0; i < a->count; i++)
        if (a->jobs[i].pinned) {
            a->capacity[a->jobs[i].choices->gpu_type] -= a->jobs[i].choices->k;
            a->nw -= a->jobs[i].choices->nw;
        }
}

/* Waiting jobs that have the same configurations and draw the same in them: the same choices. */
struct kind {
    uint32_t first, jobs; /* of the jobs: its first one; how many there are */
};

/* Its place in a hash table of as many kinds as `mask` has room for. */
static struct kind *find_kind(const struct allocation *a, struct kind *kinds, uint32_t mask,
                              const struct easim_job *job) {
    uint32_t at = (job->first_config * 2654435761u + job->config_count) & mask;
    for (; kinds[at].jobs > 0; at = (at + 1) & mask) {
        const struct easim_job *other = a->jobs[kinds[at].first].job;
        if (other->first_config == job->first_config && other->config_count == job->config_count &&
            power_nw(a, other, job->first_config) == power_nw(a, job, job->first_config))
            break;
    }
    return &kinds[at];
}

static void add_waiting(struct allocation *a, const struct easim_job *job, struct kind *kind) {
    struct allocation_job *j = &a->jobs[a->count];
    if (kind->jobs == 0)
        kind->first = a->count;
    a->count++;
    j->job = job;
    j->like = kind->first;
    if (kind->jobs++ > 0) {
        j->choices = a->jobs[kind->first].choices;
        j->count = a->jobs[kind->first].count;
        return;
    }
    j->choices = make_room(a, job->config_count);
    add_choices(a, j);
    keep_choices(a, j);
}

/* Of a kind as many as there are GPUs: those behind them get nothing. */
static void add_queue(struct allocation *a) {
    const struct easim_view *view = a->pass->view;
    uint32_t mask = 1, gpus = 0;
    while (mask < 2 * view->waiting_count)
        mask = 2 * mask + 1;
    struct kind *kinds = scratch(a->pass, mask + 1, sizeof *kinds);
    for (uint32_t t = 0; t < a->type_count; t++)
        gpus += a->capacity[t];
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        struct kind *kind = find_kind(a, kinds, mask, job);
        i = job->next_waiting;
        if (kind->jobs < gpus)
            add_waiting(a, job, kind);
    }
}

static int compare_jobs(const struct allocation_job *a, const struct allocation_job *b) {
    return (a->job->index > b->job->index) - (a->job->index < b->job->index);
}

/* By submission; the list is short: not more than there are GPUs, and nearly sorted. */
static void sort_running(struct allocation *a) {
    for (uint32_t i = 1; i < a->count; i++) {
        struct allocation_job job = a->jobs[i];
        uint32_t at = i;
        for (; at > 0 && compare_jobs(&a->jobs[at - 1], &job) > 0; at--)
            a->jobs[at] = a->jobs[at - 1];
        a->jobs[at] = job;
    }
}

void allocation_collect(struct allocation *a, const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    *a = (struct allocation){.pass = pass,
                             .type_count = view->gpu_type_count,
                             .everybody = view->waiting_count + view->running_count};
    a->capacity = scratch(pass, a->type_count, sizeof *a->capacity);
    a->jobs = scratch(pass, a->everybody, sizeof *a->jobs);
    find_power(a);
    count_capacity(a, view);
    for (uint32_t i = 0; i < view->running_count; i++)
        add_running(a, easim_view_job(view, easim_view_running(view, i)->job));
    sort_running(a);
    for (uint32_t i = 0; i < a->count; i++)
        a->jobs[i].like = i;
    reserve_pinned(a);
    add_queue(a);
}

double allocation_restart_factor(const struct easim_view *view, const struct easim_job *job) {
    double restart_s = job->restart_s + job->checkpoint_s, age_s = easim_job_age_s(view, job);
    double lost_s = restart_s * (job->preemptions + job->resizes);
    return restart_s > 0 ? fmax(0, age_s - lost_s) / (age_s + restart_s) : 1;
}
