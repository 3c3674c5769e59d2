/* What growing could bring a running job: see outlook.h. */
#include "policy/list/outlook.h"

#include "policy/list/resize.h"

#define SLACK 1e-9 /* of an objective: more than what rounding does to it */

/* What a resize would cost now, as easim_predict_resized has it, but for one thing: of a job in
   set-up, the rest of the checkpoint that its last resize began is left out. That rest shrinks as
   time passes, and a configuration that pays once it is written must not be missed. */
struct costs {
    double remaining, lost, setup_s; /* work still to do; to do again; set-up */
};

static struct costs costs_of(const struct easim_view *view, const struct easim_job *job) {
    struct costs costs = {easim_job_remaining(view, job), 0, job->restart_s};
    if (easim_job_computing_s(view, job) == 0)
        return costs;
    costs.lost = easim_job_lost_work(view, job);
    if (job->checkpoint_interval_s == 0)
        costs.setup_s += job->checkpoint_s;
    return costs;
}

/* Objective after a resize to config with so much work to do, with the better placement. */
static double hoped_objective(const struct rules *rules, const struct easim_pass *pass,
                              const struct easim_job *job, uint32_t config, double work,
                              double setup_s) {
    const struct easim_config *c = easim_view_config(pass->view, config);
    double best = INFINITY;
    for (uint32_t span = 0; span < c->span_count; span++) {
        bool as_before = span > 0 && c->goodput[span] == c->goodput[span - 1] &&
                         c->power_w[span] == c->power_w[span - 1];
        if (!(c->goodput[span] > 0) || as_before)
            continue;
        struct easim_choice choice = easim_predict_work(pass->view, work, setup_s, config, span);
        double objective = rules_objective(rules, pass, job, &choice, false);
        if (isnan(objective))
            return NAN;
        best = fmin(best, objective);
    }
    return best;
}

/* Whether that much less is enough; in doubt, yes. */
static bool may_pay(double now_objective, double objective, double least_saving) {
    double saving = now_objective - objective;
    return saving > least_saving || saving > least_saving - SLACK * now_objective;
}

int outlook_find(const struct rules *rules, const struct easim_pass *pass,
                 const struct easim_job *job, struct outlook *outlook) {
    struct easim_choice now = easim_predict_running(pass->view, job);
    double now_objective = rules_objective(rules, pass, job, &now, false);
    double least_saving = resize_least_saving(rules, pass, job, now_objective);
    if (isnan(least_saving) && !isnan(now_objective))
        return rules_fail(pass, "resize_least", job);
    struct costs costs = costs_of(pass->view, job);
    double work = costs.remaining + costs.lost;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++) {
        const struct easim_config *config = easim_view_config(pass->view, c);
        double hoped = c == job->config
                           ? INFINITY
                           : hoped_objective(rules, pass, job, c, costs.remaining, costs.setup_s);
        if (isnan(hoped) || isnan(now_objective))
            return rules_fail(pass, "objective", job);
        if (!may_pay(now_objective, hoped, least_saving))
            continue;
        if (costs.lost > 0 &&
            !may_pay(now_objective, hoped_objective(rules, pass, job, c, work, costs.setup_s),
                     least_saving)) {
            outlook->after_checkpoint = true;
            continue;
        }
        uint32_t own = config->gpu_type == now.gpu_type ? now.k : 0;
        uint32_t need = config->k > own ? config->k - own : 0;
        uint32_t *least = &outlook->needs[config->gpu_type];
        *least = need < *least ? need : *least;
    }
    return 0;
}
