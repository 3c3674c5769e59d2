/* Which running jobs may be resized: see resize.h. */
#include "policy/list/resize.h"

bool resize_possible(const struct easim_view *view, const struct easim_job *job) {
    bool has_another = job->config_count > 1 || job->first_config != job->config;
    return job->state == EASIM_JOB_RUNNING && has_another &&
           easim_view_config(view, job->config)->milli == 0;
}

double resize_due_s(const struct rules *rules, const struct easim_job *job) {
    return job->resized_s + rules->options->resize_interval_s;
}

bool resize_may(const struct rules *rules, const struct easim_view *view,
                const struct easim_job *job) {
    return resize_possible(view, job) && view->now_s >= resize_due_s(rules, job);
}

double resize_least_saving(const struct rules *rules, const struct easim_pass *pass,
                           const struct easim_job *job, double now_objective) {
    double least = rules_resize_least(rules, pass, job);
    return isnan(least) ? least : fmax(least, rules->options->resize_gain * now_objective);
}
