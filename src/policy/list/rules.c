/* What the callbacks of a list policy say: see rules.h. */
#include "policy/list/rules.h"

#include "base/str.h"
#include "policy/interface.h"

#include <inttypes.h>
#include <math.h>

/* --- what is minimised --- */

/* Up to here E * T^n is finite: E up to 1e20 J, T up to 1e28 s. */
#define MOST_FINITE_EXPONENT 10

static int fail_minimise(const struct easim_pass *pass, bool urgent, const char *what,
                         double value) {
    struct str text = {0};
    str_addf(&text, "%s gives %s %.9g", urgent ? "minimise_urgent" : "minimise", what, value);
    pass->host->fail(pass->plan, text.text);
    str_finish(&text);
    return -1;
}

static int check_objective(const struct easim_pass *pass, bool urgent,
                           const struct easim_objective *objective) {
    if (objective->kind > EASIM_MINIMISE_OWN)
        return fail_minimise(pass, urgent, "the unknown kind", objective->kind);
    if (objective->kind == EASIM_MINIMISE_OWN && !objective->objective)
        return fail_minimise(pass, urgent, "no objective for the kind", objective->kind);
    if (objective->kind == EASIM_MINIMISE_EDP &&
        !(objective->exponent >= 0 && objective->exponent < INFINITY))
        return fail_minimise(pass, urgent, "an exponent that is not a finite number from 0 on:",
                             objective->exponent);
    return 0;
}

int rules_ask_minimise(const struct easim_list *ops, const struct easim_pass *pass,
                       struct minimised *ret) {
    struct easim_pass at = *pass;
    for (at.level = 0; at.level < rules_level_count(ops); at.level++) {
        const struct easim_objective none = {.struct_size = sizeof none};
        struct minimised own = {.ordinary = none};
        if (ops->minimise)
            ops->minimise(&at, &own.ordinary);
        own.urgent = own.ordinary;
        if (ops->minimise_urgent) {
            own.urgent = none;
            ops->minimise_urgent(&at, &own.urgent);
        }
        if (check_objective(pass, false, &own.ordinary) < 0 ||
            check_objective(pass, true, &own.urgent) < 0)
            return -1;
        ret[at.level] = own;
    }
    return 0;
}

static double objective_of(const struct easim_objective *objective, const struct easim_pass *pass,
                           const struct easim_job *job, const struct easim_choice *choice) {
    return objective->kind == EASIM_MINIMISE_TIME ? choice->time_s
           : objective->kind == EASIM_MINIMISE_EDP
               ? easim_choice_edp(choice, objective->exponent, objective->marginal)
               : objective->objective(pass, job, choice);
}

double rules_objective(const struct rules *rules, const struct easim_pass *pass,
                       const struct easim_job *job, const struct easim_choice *choice,
                       bool urgent) {
    return objective_of(rules_minimised(rules, pass, urgent), pass, job, choice);
}

/* Whether of two choices that with more time and more energy has more by as large a share, and
   nothing else of them matters. Power above idle may fall with a GPU more. */
static bool rises(const struct easim_objective *objective) {
    return objective->kind == EASIM_MINIMISE_TIME ||
           (objective->kind == EASIM_MINIMISE_EDP && !objective->marginal);
}

struct known_choice rules_front(const struct rules *rules, const struct easim_pass *pass,
                                const struct easim_job *job, bool urgent) {
    return rules->sets && job->config_count > 1 && rises(rules_minimised(rules, pass, urgent))
               ? group_sets_front(rules->sets, pass->view, job)
               : group_sets_all(job);
}

bool rules_admit_all(const struct rules *rules, const struct easim_pass *pass,
                     const struct easim_key *key) {
    const struct easim_objective *objective = rules_minimised(rules, pass, rules_is_urgent(key));
    bool finite =
        objective->kind == EASIM_MINIMISE_TIME ||
        (objective->kind == EASIM_MINIMISE_EDP && objective->exponent <= MOST_FINITE_EXPONENT);
    return finite && key->objective_max == 0 && !rules->plain;
}

/* At most log2(x), and no more than 0.021 less, of x = 2^e (1 + f): e + f + 0.2786 f (1 - f), which
   is below e + log2(1 + f) since it is flatter than that at f = 1 and both are 1 there. */
static double low_log2(double x) {
    const uint64_t mantissa = (UINT64_C(1) << 52) - 1, one = UINT64_C(1023) << 52;
    union {
        double real;
        uint64_t bits;
    } part = {.real = x};
    double e = (double)(int)(part.bits >> 52) - 1023;
    part.bits = (part.bits & mantissa) | one;
    double f = part.real - 1;
    return e + f + 0.2786 * f * (1 - f);
}

/* Whether powers take longer than to see that most of them are not needed. */
static bool is_slow(const struct easim_objective *objective) {
    return objective->kind == EASIM_MINIMISE_EDP && !objective->marginal &&
           objective->exponent != 1;
}

static bool exceeds(const struct easim_objective *objective, const struct easim_choice *choice,
                    double most) {
    return choice->energy_j > 1e-99 && choice->time_s > 1e-99 && most > 1e-99 && most < INFINITY &&
           low_log2(choice->energy_j) + objective->exponent * low_log2(choice->time_s) >
               low_log2(most) + 0.0211;
}

double rules_objective_up_to(const struct rules *rules, const struct easim_pass *pass,
                             const struct easim_job *job, const struct easim_choice *choice,
                             bool urgent, double most) {
    const struct easim_objective *objective = rules_minimised(rules, pass, urgent);
    return is_slow(objective) && !rules->plain && exceeds(objective, choice, most)
               ? INFINITY
               : objective_of(objective, pass, job, choice);
}

/* --- the least objective --- */

/* Where the view has it; NAN: it has not. It counts no power limits. */
static double best_of_view(const struct rules *rules, const struct easim_pass *pass,
                           const struct easim_job *job) {
    const struct easim_objective *objective = rules_minimised(rules, pass, false);
    bool edp =
        objective->kind == EASIM_MINIMISE_EDP && objective->exponent == 1 && !objective->marginal;
    return rules->has_limits                        ? NAN
           : objective->kind == EASIM_MINIMISE_TIME ? job->time_best_s
           : edp                                    ? job->edp_best_js
                                                    : NAN;
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
    bool keeps = rules->sets && is_slow(rules_minimised(rules, pass, false));
    struct group_set *set = keeps ? group_sets_find(rules->sets, pass->view, job) : NULL;
    return set ? &set->best : NULL;
}

double rules_best_objective(const struct rules *rules, const struct easim_pass *pass,
                            const struct easim_job *job) {
    double best = best_of_view(rules, pass, job);
    if (!isnan(best))
        return best;
    const struct known_choice front = rules->sets && rises(rules_minimised(rules, pass, false))
                                          ? group_sets_when_empty(rules->sets, pass->view, job)
                                          : group_sets_all(job);
    best = INFINITY;
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
    return rules->ops->resize_least                      ? rules->ops->resize_least(pass, job)
           : rules_objective_is_time(rules, pass, false) ? job->restart_s
                                                         : 0;
}

int rules_level(const struct rules *rules, const struct easim_pass *pass) {
    uint32_t count = rules_level_count(rules->ops), level = count > 1 ? rules->ops->level(pass) : 0;
    if (level < count)
        return (int)level;
    struct str text = {0};
    str_addf(&text, "level gave %" PRIu32 ", and the policy has %" PRIu32, level, count);
    pass->host->fail(pass->plan, text.text);
    str_finish(&text);
    return -1;
}

/* --- admission --- */

bool rules_allow(const struct rules *rules, const struct easim_pass *pass,
                 const struct easim_job *job, uint32_t config) {
    const struct easim_list *ops = rules->ops;
    if (job->state == EASIM_JOB_RUNNING)
        return !ops->allow_resize || ops->allow_resize(pass, job, config);
    return (!ops->allow_start || ops->allow_start(pass, job, config)) &&
           (!rules->keeps_cap || headroom_suffices(pass, job, config));
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
    bool is_urgent_one = urgent && rules->ops->minimise_urgent;
    return rules_fail(pass, is_urgent_one ? "urgent objective" : "objective", job);
}

int rules_check_factor(const struct easim_pass *pass, uint32_t user, double factor) {
    struct str text = {0};
    if (factor > 0 && factor < INFINITY)
        return 0;
    str_addf(&text, "the user_factor of user %s is not a positive, finite number",
             easim_view_user(pass->view, user)->name);
    pass->host->fail(pass->plan, text.text);
    str_finish(&text);
    return -1;
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
    bool may_be = isnan(key->value + key->ageing_s + key->ask_again_s + key->finish_by_s +
                        key->objective_max + key->room_from_s);
    for (size_t i = 0; may_be && i < sizeof members / sizeof *members; i++)
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
    *ret_key = (struct easim_key){.struct_size = sizeof *ret_key};
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
    uint32_t refused, over_cap;          /* the last that the policy, the cap refused; EASIM_NONE */
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
    if (rules->ops->allow_start && !rules->ops->allow_start(pass, job, config))
        found->refused = config;
    else if (rules->keeps_cap && !headroom_suffices(pass, job, config))
        found->over_cap = config;
}

static void describe_power(const struct easim_pass *pass, const struct easim_job *job,
                           uint32_t config, char text[static TEXT_BYTES]) {
    const struct easim_config *c = easim_view_config(pass->view, config);
    double power_w;
    const char *gpu = easim_view_gpu_type(pass->view, c->gpu_type)->name;
    if (pass->host->try_config(pass->plan, job->index, config, &power_w) != EASIM_CAP)
        return;
    if (power_w > pass->view->power_cap_w)
        snprintf(text, TEXT_BYTES,
                 "%g x %.49s would raise the power to %.6g W, over the cap of %.6g W",
                 easim_config_gpus(c), gpu, power_w, pass->view->power_cap_w);
    else
        snprintf(text, TEXT_BYTES, "the enforced power cap does not admit %g x %.49s",
                 easim_config_gpus(c), gpu);
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
    struct obstacles found = {.least = INFINITY, .refused = EASIM_NONE, .over_cap = EASIM_NONE};
    if (rules_key(rules, pass, job, best, ret_key) < 0)
        return found;
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++)
        look_at(rules, pass, job, ret_key, c, &found);
    return found;
}

void rules_tell(const struct rules *rules, const struct easim_pass *pass,
                const struct easim_job *job) {
    struct easim_host undrawn = *pass->host;
    struct easim_pass asking = *pass;
    char text[TEXT_BYTES] = "";
    struct easim_key key;
    bool refused = plan_head(pass->plan)->refuses;
    plan_head(pass->plan)->refuses = true;
    undrawn.uniform = no_draw;
    asking.host = &undrawn;
    const struct obstacles found = ask(rules, &asking, job, &key);
    describe(&found, &key, text);
    if (text[0] == '\0' && found.over_cap != EASIM_NONE)
        describe_power(&asking, job, found.over_cap, text);
    pass->host->reason(pass->plan, job->index, text);
    ask(rules, &asking, job, &key);
    plan_head(pass->plan)->refuses = refused;
}
