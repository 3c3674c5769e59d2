/* The best of several choices: see choice.h. */
#include "policy/list/choice.h"

#include "model/config_speeds.h"

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
