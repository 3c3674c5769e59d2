/* not_a_number: a list policy of which one callback gives NaN, in one member of a key, or a key
 * that no key may be.
 */
#include <easim/policy.h>

enum where {
    KEY,
    OBJECTIVE,
    NEGATIVE,
    FACTOR,
    AGEING,
    NEGATIVE_AGEING,
    ASK_AGAIN,
    FINISH_BY,
    MAXIMUM,
    URGENT,
    LEAST
};
static const char *const wheres[] = {"key",     "objective",       "negative",  "factor",
                                     "ageing",  "negative_ageing", "ask_again", "finish_by",
                                     "maximum", "urgent",          "least",     NULL};

struct params {
    int32_t where;
};

static enum where where(const struct easim_pass *pass) {
    return (enum where)((const struct params *)pass->params)->where;
}

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    enum where at = where(pass);
    (void)job;
    *ret = (struct easim_key){.value = at == KEY        ? NAN
                                       : at == NEGATIVE ? -best
                                                        : best,
                              .ageing_s = at == NEGATIVE          ? 60
                                          : at == NEGATIVE_AGEING ? -60
                                          : at == AGEING          ? NAN
                                                                  : 0,
                              .ask_again_s = at == ASK_AGAIN ? NAN : 0,
                              .finish_by_s = at == FINISH_BY ? NAN
                                             : at == URGENT  ? 1e6
                                                             : 0,
                              .objective_max = at == MAXIMUM ? NAN : 0};
}

static double objective(const struct easim_pass *pass, const struct easim_job *job,
                        const struct easim_choice *choice) {
    (void)job;
    return where(pass) == OBJECTIVE ? NAN : choice->time_s;
}

static void minimise(const struct easim_pass *pass, struct easim_objective *ret) {
    (void)pass;
    ret->kind = EASIM_MINIMISE_OWN;
    ret->objective = objective;
}

static double urgent_objective(const struct easim_pass *pass, const struct easim_job *job,
                               const struct easim_choice *choice) {
    (void)job;
    return where(pass) == URGENT ? NAN : choice->time_s;
}

static void minimise_urgent(const struct easim_pass *pass, struct easim_objective *ret) {
    (void)pass;
    ret->kind = EASIM_MINIMISE_OWN;
    ret->objective = urgent_objective;
}

static double user_factor(const struct easim_pass *pass, uint32_t user) {
    (void)user;
    return where(pass) == FACTOR ? NAN : 1;
}

static double resize_least(const struct easim_pass *pass, const struct easim_job *job) {
    (void)job;
    return where(pass) == LEAST ? NAN : 0;
}

static const struct easim_param params[] = {{"where", "", "what is wrong", EASIM_PARAM_CHOICE,
                                             offsetof(struct params, where), 0, LEAST, 0, false,
                                             wheres, EASIM_ROLE_NONE}};

static const struct easim_list list = {.struct_size = sizeof(struct easim_list),
                                       .key = key,
                                       .minimise = minimise,
                                       .minimise_urgent = minimise_urgent,
                                       .user_factor = user_factor,
                                       .resize_least = resize_least};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "not_a_number",
    .version = "1",
    .summary = "NaN where there must be a number",
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .list = &list};
