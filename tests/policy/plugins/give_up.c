/* give_up: starts the first job and fails the decision, without saying why, saying it, saying it
   twice, taking it back, or in red and with what is no UTF-8, or refuses in init; or returns a
   positive number, there or here. */
#include <easim/policy.h>

enum how { SILENT, SAYS_WHY, SAYS_TWICE, TAKES_BACK, IN_RED, IN_INIT, POSITIVE, POSITIVE_INIT };
static const char *const hows[] = {"silent",  "says_why", "says_twice",    "takes_back", "in_red",
                                   "in_init", "positive", "positive_init", NULL};

struct params {
    int32_t how;
};

static int decide(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    const struct easim_job *job = easim_view_job(pass->view, pass->view->first_waiting);
    pass->host->plan_start(pass->plan, job->index, job->first_config);
    if (p->how == SAYS_TWICE)
        pass->host->fail(pass->plan, "on second thoughts");
    if (p->how == SAYS_WHY || p->how == SAYS_TWICE || p->how == TAKES_BACK)
        pass->host->fail(pass->plan, "no luck with 2.385");
    if (p->how == TAKES_BACK)
        pass->host->fail(pass->plan, NULL);
    if (p->how == IN_RED)
        pass->host->fail(pass->plan, "no \033[31mluck\303\251\n\351");
    return p->how == POSITIVE ? 1 : -1;
}

static int init(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    if (p->how != IN_INIT)
        return p->how == POSITIVE_INIT ? 7 : 0;
    pass->host->fail(pass->plan, "not this cluster");
    return -3;
}

static const struct easim_param params[] = {{"how", "", "to fail", EASIM_PARAM_CHOICE,
                                             offsetof(struct params, how), 0, POSITIVE_INIT, SILENT,
                                             false, hows, EASIM_ROLE_NONE}};

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "give_up",
                                                       .version = "1",
                                                       .summary = "fails",
                                                       .params_size = sizeof(struct params),
                                                       .params = params,
                                                       .param_count = 1,
                                                       .decide = decide,
                                                       .init = init};
