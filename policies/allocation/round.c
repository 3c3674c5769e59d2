/* One round: see allocation.h. */
#include "allocation.h"

#define TOTAL_MAX 0x1p61 /* of all gains, within an int64_t */

struct range {
    double least, greatest;
};

/* Whether a job had better have nothing: moving may cost without limit. */
static bool is_worse_than_none(const struct allocation_job *job, uint32_t c) {
    return job->choices[c].cost > job->none_cost + job->leave_cost;
}

static struct range range_of_costs(const struct allocation *a) {
    struct range r = {INFINITY, -INFINITY};
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t c = 0; c < a->jobs[i].count && a->jobs[i].like == i; c++) {
            if (is_worse_than_none(&a->jobs[i], c))
                continue;
            r.least = fmin(r.least, a->jobs[i].choices[c].cost);
            r.greatest = fmax(r.greatest, a->jobs[i].choices[c].cost);
        }
    return r;
}

/* Gains are whole multiples of a unit. Having nothing may cost far more than all else together;
   beyond that it changes no plan and is cut off, for the sake of the unit. */
void allocation_score(struct allocation *a) {
    struct range r = range_of_costs(a);
    double gpus = 0;
    for (uint32_t t = 0; t < a->type_count; t++)
        gpus += a->capacity[t];
    double most = fmin(gpus, a->count) + 1, width = r.greatest - r.least;
    double cut = most * (width > 0 ? width : 1), unit = TOTAL_MAX / (2 * most * cut);
    a->unit = unit;
    for (uint32_t i = 0; i < a->count; i++) {
        struct allocation_job *job = &a->jobs[i];
        double none = fmin(cut, job->none_cost - r.least) + fmin(cut, job->leave_cost);
        job->chosen = job->pinned ? 0 : EASIM_NONE;
        for (uint32_t c = 0; c < job->count && job->like == i; c++)
            job->choices[c].gain = is_worse_than_none(job, c)
                                       ? -1
                                       : llround((none - (job->choices[c].cost - r.least)) * unit);
    }
}

static void solve(struct allocation *a, const struct allocation_rule *rule,
                  struct allocation_prices *last) {
    const struct easim_pass *pass = a->pass;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->jobs[i].like == i)
            rule->weigh(a, &a->jobs[i]);
    allocation_score(a);
    bool is_small = allocation_exact_steps(a) <= (double)rule->most_steps;
    if (is_small)
        allocation_solve_exact(a);
    else {
        allocation_solve_prices(a, &last[0]);
        pass->host->count(
            pass->plan,
            "rounds were too large for the exact solver (most_steps) and solved by prices", NULL);
    }
    a->lacks_power = !allocation_has_power(a);
    if (a->lacks_power)
        allocation_solve_prices(a, &last[1]);
}

/* Rounds are at multiples of the interval, and at once where one has been missed: with nobody there
   none is asked for. */
void allocation_decide(const struct easim_pass *pass, struct allocation_state *state,
                       const struct allocation_rule *rule) {
    const struct easim_view *view = pass->view;
    struct allocation a;
    if (view->now_s < state->next_s)
        return;
    if (view->waiting_count + view->running_count == 0)
        return;
    allocation_collect(&a, pass);
    solve(&a, rule, state->last);
    a.has_lacked = state->has_lacked = state->has_lacked || a.lacks_power;
    allocation_carry_out(&a);
    state->next_s = (floor(view->now_s / rule->interval_s) + 1) * rule->interval_s;
    pass->host->plan_wake_at(pass->plan, state->next_s);
}
