/* What the callbacks of a list policy say: see rules.h. */
#include "policy/list/rules.h"

#include "base/str.h"
#include "policy/interface.h"

#include <inttypes.h>
#include <math.h>

double rules_objective(const struct rules *rules, const struct easim_pass *pass,
                       const struct easim_job *job, const struct easim_choice *choice,
                       bool urgent) {
    const struct easim_list *ops = rules->ops;
    if (urgent && ops->urgent_objective)
        return ops->urgent_objective(pass, job, choice);
    return ops->objective ? ops->objective(pass, job, choice) : choice->time_s;
}

/* Whether what is known of sets of configurations holds for the objective. */
static bool knows_sets(const struct rules *rules, const struct easim_pass *pass, bool urgent) {
    const struct easim_list *ops = rules->ops;
    bool rises = rules_objective_is_time(rules, urgent) ||
                 (ops->objective_rises && ops->objective_rises(pass));
    return rises && rules->sets && !rules->asks_all;
}

struct known_choice rules_front(const struct rules *rules, const struct easim_pass *pass,
                                const struct easim_job *job, bool urgent) {
    return knows_sets(rules, pass, urgent) ? group_sets_front(rules->sets, pass->view, job)
                                           : group_sets_all(job);
}

double rules_objective_up_to(const struct rules *rules, const struct easim_pass *pass,
                             const struct easim_job *job, const struct easim_choice *choice,
                             bool urgent, double most) {
    const struct easim_list *ops = rules->ops;
    bool above =
        !urgent && ops->exceeds && !rules->asks_all && ops->exceeds(pass, job, choice, most);
    return above ? INFINITY : rules_objective(rules, pass, job, choice, urgent);
}

/* Where T is the objective: quotient and sum round monotonically, so the best goodput has it. */
static double best_time_s(const struct easim_pass *pass, const struct easim_job *job,
                          const struct known_choice *front) {
    double goodput = 0;
    for (uint32_t i = 0; i < front->count; i++) {
        const struct easim_config *config =
            easim_view_config(pass->view, known_choice_at(front, i));
        double own = config->goodput[config->empty_span];
        goodput = own > goodput ? own : goodput;
    }
    return goodput > 0 ? job->setup_s + job->remaining / goodput : INFINITY;
}

/* Of a job on the empty cluster, or INFINITY if it is not placed there, or above `most`. */
static double empty_objective(const struct rules *rules, const struct easim_pass *pass,
                              const struct easim_job *job, uint32_t config, double most) {
    const struct easim_config *c = easim_view_config(pass->view, config);
    if (!(c->goodput[c->empty_span] > 0))
        return INFINITY;
    struct easim_choice choice = easim_predict(pass->view, job, config, c->empty_span);
    return rules_objective_up_to(rules, pass, job, &choice, false, most);
}

/* The configuration to begin with, so that most others are above it: what was best for another job
   of the set mostly nearly is. NULL: that is not kept. */
static uint32_t *best_before(const struct rules *rules, const struct easim_pass *pass,
                             const struct easim_job *job) {
    bool keeps = rules->ops->exceeds && rules->sets && !rules->asks_all;
    struct group_set *set = keeps ? group_sets_find(rules->sets, pass->view, job) : NULL;
    return set ? &set->best : NULL;
}

double rules_best_objective(const struct rules *rules, const struct easim_pass *pass,
                            const struct easim_job *job) {
    const struct known_choice front = knows_sets(rules, pass, false)
                                          ? group_sets_when_empty(rules->sets, pass->view, job)
                                          : group_sets_all(job);
    double best = INFINITY, known;
    if (rules_objective_is_time(rules, false))
        return best_time_s(pass, job, &front);
    if (rules->ops->best && !rules->has_limits && !rules->asks_all &&
        !isnan(known = rules->ops->best(pass, job)))
        return known;
    uint32_t *before = best_before(rules, pass, job);
    if (before && *before != EASIM_NONE)
        best = empty_objective(rules, pass, job, *before, INFINITY);
    for (uint32_t i = 0; i < front.count; i++) {
        uint32_t c = known_choice_at(&front, i);
        double objective =
            before && *before == c ? best : empty_objective(rules, pass, job, c, best);
        if (isnan(objective) || isnan(best))
            return NAN;
        if (before && objective < best)
            *before = c;
        best = objective < best ? objective : best;
    }
    return best;
}

double rules_resize_least(const struct rules *rules, const struct easim_pass *pass,
                          const struct easim_job *job) {
    return rules->ops->resize_least ? rules->ops->resize_least(pass, job)
           : rules->ops->objective  ? 0
                                    : job->restart_s;
}

int rules_level(const struct rules *rules, const struct easim_pass *pass) {
    uint32_t count = rules_level_count(rules), level = count > 1 ? rules->ops->level(pass) : 0;
    if (level < count)
        return (int)level;
    struct str text = {0};
    str_addf(&text, "level gave %" PRIu32 ", and the policy has %" PRIu32, level, count);
    pass->host->fail(pass->plan, text.text);
    str_finish(&text);
    return -1;
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

/* A member that is not a number would compare as false everywhere, and so be passed over. */
static int check_key(const struct easim_pass *pass, const struct easim_job *job,
                     const struct easim_key *key) {
    const struct {
        const char *what;
        double value;
    } members[] = {{"value of the key", key->value},
                   {"ageing_s of the key", key->ageing_s},
                   {"ask_again_s of the key", key->ask_again_s},
                   {"finish_by_s of the key", key->finish_by_s},
                   {"objective_max of the key", key->objective_max},
                   {"room_from_s of the key", key->room_from_s}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (isnan(members[i].value))
            return rules_fail(pass, members[i].what, job);
    if (key->ageing_s < 0)
        return rules_fail_as(pass, "ageing_s of the key", job, "is negative");
    if (key->ageing_s > 0 && key->value < 0)
        return rules_fail_as(pass, "value of the key", job, "ages and is negative");
    return 0;
}

int rules_key(const struct rules *rules, const struct easim_pass *pass, const struct easim_job *job,
              double best, struct easim_key *ret_key) {
    *ret_key = (struct easim_key){0};
    if (!rules->ops->key)
        return 0;
    rules->ops->key(pass, job, best, ret_key);
    return check_key(pass, job, ret_key);
}

/* --- told: why the job whose story is told waits --- */

#define TEXT_BYTES 256

/* What stands between a waiting job and the configurations that fit now. */
struct obstacles {
    uint32_t fitting, in_time, admitted; /* of those that fit; of those; of those in turn */
    double least;                        /* objective of those that are in time */
    uint32_t refused;                    /* the last that `allow` refused; EASIM_NONE */
};

static double no_draw(struct easim_plan *plan) {
    (void)plan;
    return 0.5;
}

static void look_at(const struct rules *rules, const struct easim_pass *pass,
                    const struct easim_job *job, const struct easim_key *key, uint32_t config,
                    struct obstacles *found) {
    int span = easim_fit(pass->view, easim_view_config(pass->view, config));
    if (span < 0)
        return;
    struct easim_choice choice = easim_predict(pass->view, job, config, (uint32_t)span);
    double objective = rules_objective(rules, pass, job, &choice, rules_is_urgent(key));
    bool in_time = !rules_is_urgent(key) || pass->view->now_s + choice.time_s <= key->finish_by_s;
    found->fitting++;
    found->in_time += in_time;
    if (in_time)
        found->least = fmin(found->least, objective);
    if (!rules_admit(pass, key, &choice, objective))
        return;
    found->admitted++;
    if (!rules_allow(rules, pass, job, config))
        found->refused = config;
}

static void describe(const struct obstacles *found, const struct easim_key *key,
                     char text[static TEXT_BYTES]) {
    if (found->fitting == 0)
        return;
    if (found->in_time == 0)
        snprintf(text, TEXT_BYTES, "nothing that fits ends by [%.9g s], as the policy wants",
                 key->finish_by_s);
    else if (found->admitted == 0 && found->least < 1e6 * key->objective_max)
        snprintf(text, TEXT_BYTES,
                 "the best that fits has %.3g times the objective that the policy admits",
                 found->least / key->objective_max);
    else if (found->admitted == 0)
        snprintf(text, TEXT_BYTES, "the policy admits nothing for it at present");
    else if (found->refused != EASIM_NONE)
        snprintf(text, TEXT_BYTES, "the policy's test of starts refuses what fits");
}

/* Key and test of the policy, which may give reasons of their own. */
static struct obstacles ask(const struct rules *rules, const struct easim_pass *pass,
                            const struct easim_job *job, struct easim_key *ret_key) {
    double best = rules->ops->key ? rules_best_objective(rules, pass, job) : 0;
    struct obstacles found = {.least = INFINITY, .refused = EASIM_NONE};
    if (rules_key(rules, pass, job, best, ret_key) < 0)
        return found;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++)
        look_at(rules, pass, job, ret_key, c, &found);
    return found;
}

void rules_tell(const struct rules *rules, const struct easim_pass *pass,
                const struct easim_job *job) {
    struct easim_host refusing = *pass->host;
    struct easim_pass asking = *pass;
    char text[TEXT_BYTES] = "";
    struct easim_key key;
    refusing_host_set(&refusing);
    refusing.uniform = no_draw;
    asking.host = &refusing;
    const struct obstacles found = ask(rules, &asking, job, &key);
    describe(&found, &key, text);
    pass->host->reason(pass->plan, job->index, text);
    ask(rules, &asking, job, &key);
}
