/* Candidates for shrinking: see candidates.h. What is computed here are bounds, with more room than
   rounding takes; whether a job is shrunk is decided by shrink.c. */
#include "policy/list/candidates.h"

#include "policy/host_job.h"

#include <stdlib.h>

/* More than what rounding does to a gain and what it is compared with. */
#define SLACK_S 1e-4
#define SLACK   1e-6

void candidates_init(struct candidates *candidates, uint32_t job_count) {
    *candidates = (struct candidates){.jobs = mem_zalloc(job_count, sizeof *candidates->jobs)};
    candidates->all_places = mem_zalloc(job_count, sizeof *candidates->all_places);
    candidates->group_places = mem_zalloc(job_count, sizeof *candidates->group_places);
    candidates->all.places = candidates->all_places;
    for (size_t i = 0; i < CANDIDATE_GROUPS; i++)
        candidates->groups[i] =
            (struct candidate_group){INFINITY, INFINITY, {.places = candidates->group_places}};
}

void candidates_finish(struct candidates *candidates) {
    ends_finish(&candidates->all);
    for (size_t i = 0; i < CANDIDATE_GROUPS; i++)
        ends_finish(&candidates->groups[i].ends);
    free(candidates->jobs);
    free(candidates->all_places);
    free(candidates->group_places);
    free(candidates->noted.at);
    free(candidates->in_setup.at);
    free(candidates->found.at);
    *candidates = (struct candidates){0};
}

void candidates_note(struct candidates *candidates, uint32_t job) {
    if (!candidates->jobs || candidates->jobs[job].is_noted)
        return;
    candidates->jobs[job].is_noted = true;
    array_push(&candidates->noted, job);
}

/* --- where a job stands --- */

/* r - 1, or INFINITY if the job has no smaller configuration. */
static double find_excess(const struct easim_view *view, const struct easim_job *job) {
    const struct easim_config *now = easim_view_config(view, job->config);
    double fastest = 0;
    for (uint32_t i = job->first_config; i < job->first_config + job->config_count; i++) {
        const struct easim_config *c = easim_view_config(view, i);
        bool is_smaller = c->gpu_type == now->gpu_type && c->k < now->k;
        for (uint32_t span = 0; is_smaller && span < c->span_count; span++)
            fastest = fmax(fastest, c->goodput[span]);
    }
    return fastest > 0 ? now->goodput[job->span] / fastest - 1 : INFINITY;
}

/* Four groups for each doubling from 1/64 on; one for all below, one for jobs that would be faster.
 */
static uint8_t group_of(double excess) {
    double number = 2 + 4 * log2(excess * 64);
    if (excess < 1.0 / 64)
        return excess < 0 ? 0 : 1;
    return number < CANDIDATE_GROUPS - 1 ? (uint8_t)number : CANDIDATE_GROUPS - 1;
}

static double setup_left_s(const struct easim_view *view, const struct easim_job *job) {
    return job->start_s + job->setup_s - view->now_s;
}

static void enter_group(struct candidates *candidates, const struct easim_job *job) {
    struct candidate_job *own = &candidates->jobs[job->index];
    struct candidate_group *group = &candidates->groups[own->group = group_of(own->excess)];
    group->least_excess = fmin(group->least_excess, own->excess);
    group->least_restart_s = fmin(group->least_restart_s, job->restart_s);
    ends_add(&group->ends, job->index, job->predicted_end_ns);
}

static void enter_setup(struct candidates *candidates, uint32_t job) {
    array_push(&candidates->in_setup, job);
    candidates->jobs[job].setup_place = (uint32_t)candidates->in_setup.count;
}

static void leave_setup(struct candidates *candidates, uint32_t job) {
    uint32_t *place = &candidates->jobs[job].setup_place;
    uint32_t last = candidates->in_setup.at[--candidates->in_setup.count];
    candidates->in_setup.at[*place - 1] = last;
    candidates->jobs[last].setup_place = *place;
    *place = 0;
}

static void leave_all(struct candidates *candidates, uint32_t job) {
    struct candidate_job *own = &candidates->jobs[job];
    if (candidates->all_places[job] > 0)
        ends_remove(&candidates->all, job);
    if (candidates->group_places[job] > 0)
        ends_remove(&candidates->groups[own->group].ends, job);
    if (own->setup_place > 0)
        leave_setup(candidates, job);
}

static void sort_in(struct candidates *candidates, const struct easim_view *view, uint32_t index) {
    const struct easim_job *job = host_job(view, index);
    struct candidate_job *own = &candidates->jobs[index];
    own->is_noted = false;
    leave_all(candidates, index);
    if (job->state != EASIM_JOB_RUNNING)
        return;
    ends_add(&candidates->all, index, job->predicted_end_ns);
    own->excess = find_excess(view, job);
    if (own->excess == INFINITY)
        return;
    if (setup_left_s(view, job) > 0)
        enter_setup(candidates, index);
    else
        enter_group(candidates, job);
}

static void sort_in_noted(struct candidates *candidates, const struct easim_view *view) {
    for (size_t i = 0; i < candidates->noted.count; i++)
        sort_in(candidates, view, candidates->noted.at[i]);
    candidates->noted.count = 0;
}

/* --- the search --- */

double candidates_gain_s(struct candidates *candidates, const struct easim_view *view) {
    sort_in_noted(candidates, view);
    int64_t first_ns = ends_first_ns(&candidates->all);
    if (first_ns == INT64_MAX)
        return 0;
    return (double)(easim_predicted_end_ns(view, first_ns) - view->now_ns) / 1e9;
}

static void collect(uint32_t job, void *context) {
    struct candidates *candidates = context;
    array_push(&candidates->found, job);
}

/* Those in set-up, whose D is still to come as a whole: behind it they would be worth less. */
static void search_setup(struct candidates *candidates, const struct easim_view *view,
                         double most_s) {
    for (size_t i = candidates->in_setup.count; i-- > 0;) {
        uint32_t index = candidates->in_setup.at[i];
        const struct easim_job *job = host_job(view, index);
        double left_s = setup_left_s(view, job);
        double run_s = job->remaining / easim_view_config(view, job->config)->goodput[job->span];
        if (left_s <= 0) {
            leave_setup(candidates, index);
            enter_group(candidates, job);
        } else if (2 * job->restart_s + candidates->jobs[index].excess * run_s - left_s < most_s) {
            array_push(&candidates->found, index);
        }
    }
}

/* until_ns of ends_visit: by when a job of the group has to end so that the bound is below most_s.
 */
static int64_t last_end_ns(const struct candidate_group *group, const struct easim_view *view,
                           double most_s) {
    double left_s = most_s - 2 * group->least_restart_s;
    if (group->least_excess < 0 || (group->least_excess == 0 && left_s > 0))
        return INT64_MAX;
    if (left_s <= 0)
        return INT64_MIN;
    double until_ns = (double)view->now_ns + left_s / group->least_excess * 1e9 * (1 + SLACK);
    return until_ns < (double)INT64_MAX ? (int64_t)until_ns : INT64_MAX;
}

void candidates_find(struct candidates *candidates, const struct easim_view *view, double gain_s) {
    double most_s = gain_s + SLACK * gain_s + SLACK_S;
    candidates->found.count = 0;
    search_setup(candidates, view, most_s);
    for (size_t i = 0; i < CANDIDATE_GROUPS; i++) {
        const struct candidate_group *group = &candidates->groups[i];
        if (group->ends.heap.count > 0)
            ends_visit(&group->ends, last_end_ns(group, view, most_s), collect, candidates);
    }
}
