/* Shrinking of running jobs: see shrink.h. At most one job per pass gives GPUs back. */
#include "policy/list/shrink.h"

#include "base/timeheap.h"
#include "policy/interface.h"
#include "policy/list/grow.h"
#include "policy/list/start.h"

#include <stdlib.h>

/* --- ends --- */
/* Invariant: places[heap[i].job] == i + 1, and none ends before its parent. */

void ends_finish(struct ends *ends) {
    free(ends->heap.at);
    *ends = (struct ends){0};
}

static void put(struct ends *ends, size_t at, struct ends_entry entry) {
    ends->heap.at[at] = entry;
    ends->places[entry.job] = (uint32_t)at + 1;
}

#define EARLIER(a, b)  ((a).end_ns < (b).end_ns)
#define PUT(at, entry) put(ends, at, entry)

void ends_add(struct ends *ends, uint32_t job, int64_t end_ns) {
    struct ends_entry entry = {end_ns, job};
    array_push(&ends->heap, entry);
    HEAP_UP(ends->heap.at, ends->heap.count - 1, entry, EARLIER, PUT);
}

void ends_remove(struct ends *ends, uint32_t job) {
    size_t at = ends->places[job] - 1;
    struct ends_entry last = ends->heap.at[--ends->heap.count];
    ends->places[job] = 0;
    if (at == ends->heap.count)
        return;
    if (at > 0 && EARLIER(last, ends->heap.at[(at - 1) / 2]))
        HEAP_UP(ends->heap.at, at, last, EARLIER, PUT);
    else
        HEAP_DOWN(ends->heap.at, ends->heap.count, at, last, EARLIER, PUT);
}

int64_t ends_first_ns(const struct ends *ends) {
    return ends->heap.count > 0 ? ends->heap.at[0].end_ns : INT64_MAX;
}

static void visit_below(const struct ends *ends, size_t at, int64_t until_ns,
                        void (*visit)(uint32_t, void *), void *context) {
    if (at >= ends->heap.count || ends->heap.at[at].end_ns > until_ns)
        return;
    visit(ends->heap.at[at].job, context);
    visit_below(ends, 2 * at + 1, until_ns, visit, context);
    visit_below(ends, 2 * at + 2, until_ns, visit, context);
}

void ends_visit(const struct ends *ends, int64_t until_ns, void (*visit)(uint32_t, void *),
                void *context) {
    visit_below(ends, 0, until_ns, visit, context);
}

/* --- candidates --- */
/* Bounds, with more room than rounding takes; the section shrink decides. */

/* More than what rounding does to a gain and what it is compared with. */
#define SLACK_S          1e-4
#define CANDIDATES_SLACK 1e-6

static void candidates_init(struct candidates *candidates, uint32_t job_count) {
    *candidates = (struct candidates){.jobs = mem_zalloc(job_count, sizeof *candidates->jobs)};
    candidates->all_places = mem_zalloc(job_count, sizeof *candidates->all_places);
    candidates->group_places = mem_zalloc(job_count, sizeof *candidates->group_places);
    candidates->all.places = candidates->all_places;
    for (size_t i = 0; i < CANDIDATE_GROUPS; i++)
        candidates->groups[i] =
            (struct candidate_group){INFINITY, INFINITY, {.places = candidates->group_places}};
}

/* accepts a zeroed one */
static void candidates_finish(struct candidates *candidates) {
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

/* A job has begun to run, or ceased to, or runs in another configuration or phase. */
static void candidates_note(struct candidates *candidates, uint32_t job) {
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

/* Four groups for each doubling from 1/64 on, one for all below, one for jobs that get faster. */
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

/* The time until the first running job is expected to end, not before which one would end by
   itself; 0 if none runs. */
static double candidates_gain_s(struct candidates *candidates, const struct easim_view *view) {
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

/* until_ns of ends_visit: by when a job of the group must end for a bound below most_s. */
static int64_t last_end_ns(const struct candidate_group *group, const struct easim_view *view,
                           double most_s) {
    double left_s = most_s - 2 * group->least_restart_s;
    if (group->least_excess < 0 || (group->least_excess == 0 && left_s > 0))
        return INT64_MAX;
    if (left_s <= 0)
        return INT64_MIN;
    double until_ns =
        (double)view->now_ns + left_s / group->least_excess * 1e9 * (1 + CANDIDATES_SLACK);
    return until_ns < (double)INT64_MAX ? (int64_t)until_ns : INT64_MAX;
}

/* After that: collects in `found` all running jobs for which that gain may be enough, and perhaps
   others. */
static void candidates_find(struct candidates *candidates, const struct easim_view *view,
                            double gain_s) {
    double most_s = gain_s + CANDIDATES_SLACK * gain_s + SLACK_S;
    candidates->found.count = 0;
    search_setup(candidates, view, most_s);
    for (size_t i = 0; i < CANDIDATE_GROUPS; i++) {
        const struct candidate_group *group = &candidates->groups[i];
        if (group->ends.heap.count > 0)
            ends_visit(&group->ends, last_end_ns(group, view, most_s), collect, candidates);
    }
}

/* --- shrink --- */

/* What all questions of one decision are about. */
struct question {
    const struct rules *rules;
    const struct easim_pass *pass;
    const struct easim_job *first; /* the first waiting job */
    const struct easim_key *key;   /* its key */
};

/* A running job in a smaller configuration. */
struct offer {
    uint32_t job, config; /* config EASIM_NONE: there is none */
    double loss_s;        /* by how much it would end later */
};

/* Whether the first waiting job could start so after a resize, at a committed power of power_w. -1:
   its objective is NaN. */
static int could_start(const struct question *question, const struct start_hope *hope,
                       struct easim_part resize, double power_w) {
    const struct easim_view *view = question->pass->view;
    const struct easim_config *c = easim_view_config(view, hope->config);
    const struct easim_part parts[] = {
        resize, {EASIM_PART_START, question->first->index, hope->config, false}};
    struct easim_choice choice;
    int can =
        start_could(question->rules, question->pass, question->first, question->key, hope, &choice);
    if (can <= 0)
        return can;
    if (view->cap_is_enforced)
        return easim_power_admits(question->rules->cap, question->pass, parts, 2);
    double added_w = easim_config_gpus(c) * (fmax(choice.power_w, choice.ctx_w) - choice.idle_w);
    return !question->rules->keeps_cap || power_w + added_w <= view->power_cap_w;
}

/* Whether the first waiting job could start if job moved to config; -1: failed. */
static int lets_start(const struct question *question, const struct easim_job *job,
                      uint32_t config) {
    const struct easim_view *view = question->pass->view;
    const struct easim_config *c = easim_view_config(view, config);
    struct start_hope hope = {.gpus = easim_view_gpu_type(view, c->gpu_type)->free +
                                      easim_view_config(view, job->config)->k - c->k,
                              .nw = start_room_nw(question->rules)};
    double power_w;
    int can = 0;
    if (question->pass->host->try_config(question->pass->plan, job->index, config, &power_w) < 0 ||
        !rules_allow(question->rules, question->pass, job, config))
        return 0;
    if (hope.nw < INT64_MAX)
        hope.nw += start_need_nw(question->rules, question->pass, job, job->config) -
                   start_need_nw(question->rules, question->pass, job, config);
    uint32_t end = question->first->first_config + question->first->config_count;
    for (hope.config = question->first->first_config; hope.config < end && can == 0; hope.config++)
        if (easim_view_config(view, hope.config)->gpu_type == c->gpu_type)
            can = could_start(question, &hope,
                              (struct easim_part){EASIM_PART_RESIZE, job->index, config, false},
                              power_w);
    return can;
}

/* The best configuration of job, by its objective, with fewer GPUs of the same type that lets the
   first waiting job start. Negative: failed. */
static int best_offer(const struct question *question, const struct easim_job *job,
                      struct offer *offer) {
    const struct easim_view *view = question->pass->view;
    const struct easim_config *now = easim_view_config(view, job->config);
    struct choice_best best = CHOICE_NONE_YET;
    for (uint32_t i = job->first_config; i < job->first_config + job->config_count; i++) {
        const struct easim_config *c = easim_view_config(view, i);
        int can = c->gpu_type == now->gpu_type && c->k < now->k ? lets_start(question, job, i) : 0;
        if (can < 0)
            return -1;
        if (can == 0)
            continue;
        int span = question->pass->host->try_config(question->pass->plan, job->index, i, NULL);
        struct easim_choice choice = easim_predict_resized(view, job, i, (uint32_t)span);
        double objective = rules_objective(question->rules, question->pass, job, &choice, false);
        if (isnan(objective))
            return rules_fail(question->pass, "objective", job);
        choice_keep_better(&best, &choice, objective);
    }
    *offer = (struct offer){job->index, best.choice.config,
                            best.choice.time_s - resize_present(view, job).time_s};
    return 0;
}

/* More than what rounding does to a time, as a share of all that is added up. */
#define SLACK 1e-9

/* Whether an offer of the job could be taken at all: in no smaller configuration would it lose less
   than what is gained, even placed as it is best. Cheap, and mostly the answer is no: a resize
   costs a restart, and the next job is expected to end before that. */
static bool could_pay(const struct rules *rules, const struct easim_view *view,
                      const struct easim_job *job, double gain_s) {
    const struct easim_config *now = easim_view_config(view, job->config);
    double now_s = resize_present(view, job).time_s;
    double least_s = fmax(job->restart_s, rules->options->resize_gain * now_s);
    double most_s = now_s + gain_s - least_s;
    most_s += SLACK * (now_s + fabs(gain_s) + least_s);
    for (uint32_t i = job->first_config; i < job->first_config + job->config_count; i++) {
        const struct easim_config *c = easim_view_config(view, i);
        for (uint32_t span = 0; span < c->span_count; span++)
            if (c->gpu_type == now->gpu_type && c->k < now->k && c->goodput[span] > 0 &&
                easim_predict_resized(view, job, i, span).time_s < most_s)
                return true;
    }
    return false;
}

/* Jobs that got GPUs at this very instant, perhaps by this very plan, keep them. */
static bool may_shrink(const struct rules *rules, const struct easim_view *view,
                       const struct easim_job *job) {
    return resize_may(rules, view, job) && job->preemptible && job->start_s < view->now_s;
}

/* Whether an offer costs its job less than another: ties by index. */
static bool costs_less(const struct offer *offer, const struct offer *other) {
    if (other->config == EASIM_NONE || offer->loss_s != other->loss_s)
        return other->config == EASIM_NONE || offer->loss_s < other->loss_s;
    return offer->job < other->job;
}

/* Keeps the offer of a job if it pays and costs less. Negative: failed. */
static int consider(const struct question *question, const struct easim_job *job, double gain_s,
                    struct offer *best) {
    const struct easim_view *view = question->pass->view;
    const struct rules *rules = question->rules;
    struct offer offer = {.config = EASIM_NONE};
    if (may_shrink(rules, view, job) && could_pay(rules, view, job, gain_s) &&
        best_offer(question, job, &offer) < 0)
        return -1;
    if (offer.config == EASIM_NONE)
        return 0;
    double time_s = resize_present(view, job).time_s;
    double least_s = fmax(job->restart_s, rules->options->resize_gain * time_s);
    if (offer.loss_s + least_s < gain_s && costs_less(&offer, best))
        *best = offer;
    return 0;
}

/* Plain decisions look at every running job. */
static int consider_all(const struct question *question, double gain_s, struct offer *best) {
    const struct easim_view *view = question->pass->view;
    for (uint32_t i = 0; i < view->running_count; i++)
        if (consider(question, host_job(view, easim_view_running(view, i)->job), gain_s, best) < 0)
            return -1;
    return 0;
}

static int consider_candidates(struct candidates *candidates, const struct question *question,
                               double gain_s, struct offer *best) {
    const struct easim_view *view = question->pass->view;
    candidates_find(candidates, view, gain_s);
    for (size_t i = 0; i < candidates->found.count; i++)
        if (consider(question, host_job(view, candidates->found.at[i]), gain_s, best) < 0)
            return -1;
    return 0;
}

int shrink_decide(struct shrink *shrink, const struct easim_pass *pass,
                  const struct easim_job *first, const struct easim_key *key, uint32_t *ret_job) {
    const struct easim_view *view = pass->view;
    const struct question question = {shrink->rules, pass, first, key};
    struct offer best = {.config = EASIM_NONE};
    double gain_s = candidates_gain_s(&shrink->candidates, view);
    int r = shrink->rules->plain
                ? consider_all(&question, gain_s, &best)
                : consider_candidates(&shrink->candidates, &question, gain_s, &best);
    if (r < 0)
        return -1;
    *ret_job = best.job;
    return best.config != EASIM_NONE &&
           pass->host->plan_resize(pass->plan, best.job, best.config) == EASIM_OK;
}

void shrink_init(struct shrink *shrink, const struct rules *rules, uint32_t job_count) {
    *shrink = (struct shrink){.rules = rules};
    const struct list_options *options = rules->options;
    if (options->resize && options->shrink && !list_options_in_rounds(options))
        candidates_init(&shrink->candidates, job_count);
}

void shrink_finish(struct shrink *shrink) {
    candidates_finish(&shrink->candidates);
    *shrink = (struct shrink){0};
}

void shrink_note(struct shrink *shrink, uint32_t job) {
    candidates_note(&shrink->candidates, job);
}
