/* The start of one waiting job: see start.h. */
#include "policy/list/start.h"

#include "model/config_speeds.h"
#include "policy/list/groups.h"

/* What room there is for some GPUs now. */
struct room {
    uint32_t gpu_type, k, milli;
    int span; /* negative: none */
};

/* A job that looks for the best way to start. */
struct search {
    const struct rules *rules;
    const struct easim_pass *pass;
    const struct easim_job *job;
    const struct easim_key *key;
    struct room room;      /* of the configuration before */
    double objective;      /* the best so far */
    uint32_t config, span; /* that one; config EASIM_NONE: none yet */
    double most_w;         /* what adds more power is certainly over the cap */
};

static bool is_within(const struct start_limit *limit, const struct easim_config *config) {
    return !limit || (config->gpu_type == limit->gpu_type && config->k <= limit->k);
}

/* Whether the configuration is the better choice (choice). */
static bool is_better(const struct search *search, uint32_t config, uint32_t span,
                      double objective) {
    const struct easim_view *view = search->pass->view;
    if (objective != search->objective)
        return objective < search->objective;
    if (search->config == EASIM_NONE)
        return false;
    const struct config_rank rank = config_rank_of(easim_view_config(view, config), span),
                             best = config_rank_of(easim_view_config(view, search->config),
                                                   search->span);
    return config_order_before(&rank, &best);
}

/* As easim_fit. Configurations of as many GPUs of a type follow each other. */
static int find_span(struct search *search, const struct easim_config *c) {
    struct room *room = &search->room;
    if (c->gpu_type != room->gpu_type || c->k != room->k || c->milli != room->milli)
        *room = (struct room){c->gpu_type, c->k, c->milli,
                              easim_room(search->pass->view, c->gpu_type, c->k, c->milli)};
    return room->span >= 0 && c->goodput[room->span] > 0 ? room->span : (int)EASIM_NOFIT;
}

static void keep(struct search *search, uint32_t config, uint32_t span, double objective) {
    search->objective = objective;
    search->config = config;
    search->span = span;
}

/* Where T is the objective and nothing else rules configurations out, those of less T are admitted
   if any is: whether the best one is, is asked once. */
static bool is_by_time(const struct search *search) {
    return rules_objective_is_time(search->rules, search->pass, rules_is_urgent(search->key)) &&
           !rules_limit_starts(search->rules);
}

/* As easim_predict has it. */
static void search_by_time(struct search *search, const struct known_choice *front,
                           const struct start_limit *limit) {
    const double setup_s = search->job->setup_s, remaining = search->job->remaining;
    for (uint32_t i = 0; i < front->count; i++) {
        uint32_t c = known_choice_at(front, i);
        const struct easim_config *config = easim_view_config(search->pass->view, c);
        int span = is_within(limit, config) ? find_span(search, config) : (int)EASIM_NOFIT;
        double time_s = span < 0 ? INFINITY : setup_s + remaining / config->goodput[span];
        if (span >= 0 && is_better(search, c, (uint32_t)span, time_s))
            keep(search, c, (uint32_t)span, time_s);
    }
}

static bool admits_best(const struct search *search) {
    const struct easim_choice choice = {.time_s = search->objective}; /* all that is asked for */
    return rules_admit(search->pass, search->key, &choice, search->objective);
}

/* Keeps the configuration if it is better, and admitted. Negative after host->fail. */
static int try_config(struct search *search, uint32_t config, uint32_t span) {
    const struct easim_pass *pass = search->pass;
    const struct easim_job *job = search->job;
    bool urgent = rules_is_urgent(search->key);
    struct easim_choice choice = easim_predict(pass->view, job, config, span);
    double objective =
        rules_objective_up_to(search->rules, pass, job, &choice, urgent, search->objective);
    if (isnan(objective))
        return rules_fail_objective(search->rules, pass, job, urgent);
    if (is_better(search, config, span, objective) &&
        rules_admit(pass, search->key, &choice, objective) &&
        rules_allow(search->rules, pass, job, config))
        keep(search, config, span, objective);
    return 0;
}

/* A job in one configuration that fits, if nothing but its time counts: as the search has it. */
static bool is_finite(const struct easim_job *job, const struct easim_config *config, int span) {
    return job->setup_s + job->remaining / config->goodput[span] < INFINITY;
}

int start_try(const struct rules *rules, const struct easim_pass *pass, const struct easim_job *job,
              const struct easim_key *key, const struct start_limit *limit) {
    if (job->config_count == 1) { /* as of most rigid jobs: there is nothing to search */
        const struct easim_config *config = easim_view_config(pass->view, job->first_config);
        int span = easim_fit(pass->view, config);
        if (span < 0)
            return 0;
        if (!limit && !rules_is_urgent(key) && key->objective_max == 0 &&
            rules_objective_is_time(rules, pass, false) && !rules_limit_starts(rules))
            return is_finite(job, config, span) &&
                   pass->host->plan_start(pass->plan, job->index, job->first_config) == EASIM_OK;
    }
    struct search search = {.rules = rules,
                            .pass = pass,
                            .job = job,
                            .key = key,
                            .room = {.gpu_type = EASIM_NONE},
                            .objective = INFINITY,
                            .config = EASIM_NONE,
                            .most_w = rules->keeps_cap ? headroom_w(pass->view) : INFINITY};
    bool by_time = is_by_time(&search);
    const struct known_choice front = rules_limit_starts(rules)
                                          ? group_sets_all(job)
                                          : rules_front(rules, pass, job, rules_is_urgent(key));
    if (by_time)
        search_by_time(&search, &front, limit);
    for (uint32_t i = 0; i < front.count && !by_time; i++) {
        uint32_t c = known_choice_at(&front, i);
        const struct easim_config *config = easim_view_config(pass->view, c);
        int span = is_within(limit, config) ? find_span(&search, config) : (int)EASIM_NOFIT;
        if (span < 0 || (search.most_w < INFINITY &&
                         headroom_need_w(pass->view, config, (uint32_t)span) > search.most_w))
            continue;
        if (try_config(&search, c, (uint32_t)span) < 0)
            return -1;
    }
    return search.config != EASIM_NONE && (!by_time || admits_best(&search)) &&
           pass->host->plan_start(pass->plan, job->index, search.config) == EASIM_OK;
}

int64_t start_room_nw(const struct rules *rules) {
    return rules->cap ? rules->cap->room_nw : INT64_MAX;
}

int64_t start_need_nw(const struct rules *rules, const struct easim_pass *pass,
                      const struct easim_job *job, uint32_t config) {
    return !rules->cap             ? 0
           : job->config == config ? easim_power_at(rules->cap, job->index)->entry_nw
                                   : rules->cap->start_nw(pass->plan, job->index, config);
}

int start_could(const struct rules *rules, const struct easim_pass *pass,
                const struct easim_job *job, const struct easim_key *key,
                const struct start_hope *hope, struct easim_choice *ret) {
    bool urgent = rules_is_urgent(key);
    const struct easim_config *c = easim_view_config(pass->view, hope->config);
    int span = c->k <= hope->gpus ? easim_fit_later(pass->view, c) : (int)EASIM_NOFIT;
    if (span < 0 || start_need_nw(rules, pass, job, hope->config) > hope->nw)
        return 0;
    *ret = easim_predict(pass->view, job, hope->config, (uint32_t)span);
    double objective = rules_objective(rules, pass, job, ret, urgent);
    if (isnan(objective))
        return rules_fail_objective(rules, pass, job, urgent);
    struct easim_choice late = *ret;
    late.time_s += hope->wait_s;
    return rules_admit(pass, key, &late, objective);
}

/* --- choice --- */

static struct config_rank rank_of(const struct easim_choice *choice) {
    return (struct config_rank){choice->k, choice->power_w, choice->gpu_type, choice->batch,
                                choice->power_limit_w};
}

static bool goes_before(const struct easim_choice *a, const struct easim_choice *b) {
    const struct config_rank rank_a = rank_of(a), rank_b = rank_of(b);
    return config_order_before(&rank_a, &rank_b);
}

void choice_keep_better(struct choice_best *best, const struct easim_choice *choice,
                        double objective) {
    if (objective < best->objective ||
        (objective == best->objective && best->choice.config != EASIM_NONE &&
         goes_before(choice, &best->choice)))
        *best = (struct choice_best){*choice, objective};
}
