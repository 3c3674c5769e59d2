/* What the callbacks of a list policy say: see rules.h. */
#include "policy/list/rules.h"

#include "base/str.h"

double rules_objective(const struct rules *rules, const struct easim_pass *pass,
                       const struct easim_job *job, const struct easim_choice *choice,
                       bool urgent) {
    const struct easim_list *ops = rules->ops;
    if (urgent && ops->urgent_objective)
        return ops->urgent_objective(pass, job, choice);
    return ops->objective ? ops->objective(pass, job, choice) : choice->time_s;
}

bool rules_admit_objective(const struct easim_key *key, double objective) {
    return objective < INFINITY && (key->objective_max == 0 || !(objective > key->objective_max));
}

bool rules_admit(const struct easim_pass *pass, const struct easim_key *key,
                 const struct easim_choice *choice, double objective) {
    return rules_admit_objective(key, objective) &&
           (!rules_is_urgent(key) || pass->view->now_s + choice->time_s <= key->finish_by_s);
}

int rules_fail_as(const struct easim_pass *pass, const char *what, const struct easim_job *job,
                  const char *problem) {
    struct str text = {0};
    str_addf(&text, "the %s of job %s %s", what, job->id, problem);
    pass->host->fail(pass->plan, text.text);
    str_finish(&text);
    return -1;
}

int rules_fail(const struct easim_pass *pass, const char *what, const struct easim_job *job) {
    return rules_fail_as(pass, what, job, "is not a number");
}

int rules_fail_objective(const struct rules *rules, const struct easim_pass *pass,
                         const struct easim_job *job, bool urgent) {
    bool is_urgent_one = urgent && rules->ops->urgent_objective;
    return rules_fail(pass, is_urgent_one ? "urgent_objective" : "objective", job);
}
