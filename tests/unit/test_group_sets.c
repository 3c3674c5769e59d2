/* What is left out of a set of configurations is never the best of it: compared with a look at all,
   by T and by energy-delay products, whatever is free and on the empty cluster (span 0 of these),
   for works from dust to years. */
#include "model/config_speeds.h"
#include "policy/list/groups.h"

#include <criterion/criterion.h>

enum { TYPES = 2, KS = 3, BATCHES = 6, SPANS = 3, CONFIGS = TYPES * KS * BATCHES, DRAWS = 200 };

static uint64_t state = 2385;

/* In [0, 1), by Knuth's MMIX generator. */
static double draw(void) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(state >> 11) * 0x1p-53;
}

/* A lookup that knows no goodput above a span, twins that differ in the batch only, and some that
   are better by less than a thousandth. */
static void fill_configs(struct easim_config *configs) {
    for (uint32_t i = 0; i < CONFIGS; i++) {
        struct easim_config *c = &configs[i];
        *c = (struct easim_config){.batch = 1 << i % BATCHES,
                                   .k = 1 << i / BATCHES % KS,
                                   .gpu_type = i / BATCHES / KS,
                                   .span_count = SPANS,
                                   .power_limit_w = INFINITY};
        bool near = i % BATCHES > 0 && draw() < 0.3;
        double factor = near ? 1 + (draw() < 0.5 ? 0 : 1e-4 * draw()) : 0;
        uint32_t known = 1 + (uint32_t)(draw() * SPANS);
        for (uint32_t span = 0; span < SPANS; span++) {
            c->goodput[span] = near ? c[-1].goodput[span] * factor : c->k * (1 + 20 * draw());
            c->power_w[span] = near ? c[-1].power_w[span] * factor : 60 + 340 * draw();
            if (span >= known && draw() < 0.5)
                c->goodput[span] = 0;
        }
    }
}

/* T for exponents below 0, else E * T^exponent. */
static double objective_of(const struct easim_choice *choice, double exponent) {
    return exponent < 0 ? choice->time_s : easim_choice_edp(choice, exponent, false);
}

/* Among those of the choice that need what is free: bits by GPU type and k. */
static uint32_t best_of(const struct easim_view *view, const struct easim_job *job,
                        const struct known_choice *among, uint32_t free, uint32_t span,
                        double exponent) {
    uint32_t best = EASIM_NONE;
    double least = INFINITY;
    for (uint32_t i = 0; i < among->count; i++) {
        uint32_t c = known_choice_at(among, i);
        const struct easim_config *config = easim_view_config(view, c);
        if (!(free >> c / BATCHES & 1) || !(config->goodput[span] > 0))
            continue;
        const struct easim_choice choice = easim_predict(view, job, c, span);
        double objective = objective_of(&choice, exponent);
        const struct config_rank rank = config_rank_of(config, span),
                                 other = config_rank_of(
                                     easim_view_config(view, best == EASIM_NONE ? c : best), span);
        if (objective < least || (objective == least && config_order_before(&rank, &other))) {
            least = objective;
            best = c;
        }
    }
    return best;
}

static void compare_with_all(const struct easim_view *view, uint32_t *left_out,
                             uint32_t *left_out_when_empty) {
    static const double exponents[] = {-1, 0, 0.25, 1, 2};
    struct group_sets sets = {0};
    struct easim_job job = {.config_count = CONFIGS};
    for (job.remaining = 1e-14; job.remaining < 1e12; job.remaining *= 97)
        for (job.setup_s = 0; job.setup_s < 1e4; job.setup_s = job.setup_s * 40 + 0.7) {
            const struct known_choice front = group_sets_front(&sets, view, &job),
                                      when_empty = group_sets_when_empty(&sets, view, &job),
                                      all = group_sets_all(&job);
            *left_out += all.count - front.count;
            *left_out_when_empty += front.count - when_empty.count;
            for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++)
                cr_assert_eq(best_of(view, &job, &when_empty, UINT32_MAX, 0, exponents[e]),
                             best_of(view, &job, &all, UINT32_MAX, 0, exponents[e]));
            for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++)
                for (uint32_t span = 0; span < SPANS; span++) {
                    uint32_t free = (uint32_t)(draw() * (1 << TYPES * KS));
                    cr_assert_eq(best_of(view, &job, &front, free, span, exponents[e]),
                                 best_of(view, &job, &all, free, span, exponents[e]));
                }
        }
    group_sets_finish(&sets);
}

Test(group_sets, those_left_out_are_never_best) {
    static const struct easim_gpu_type types[TYPES] = {{.ctx_w = 98}, {.ctx_w = 110}};
    static struct easim_config configs[CONFIGS];
    const struct easim_view view = {.gpu_types = types,
                                    .configs = configs,
                                    .gpu_type_count = TYPES,
                                    .config_count = CONFIGS,
                                    .gpu_type_stride = sizeof *types,
                                    .config_stride = sizeof *configs};
    uint32_t left_out = 0, left_out_when_empty = 0;
    for (int i = 0; i < DRAWS; i++) {
        fill_configs(configs);
        compare_with_all(&view, &left_out, &left_out_when_empty);
    }
    cr_expect(left_out > 0 && left_out_when_empty > 0);
}

/* Of one or two configurations nothing is kept, nor of a job that has others than the set that
   begins where its own do. */
Test(group_sets, whose_sets_are_known) {
    static const struct easim_gpu_type type = {.ctx_w = 98};
    static struct easim_config configs[4];
    for (uint32_t c = 0; c < 4; c++)
        configs[c] = (struct easim_config){
            .k = 1 + c, .span_count = 1, .goodput = {1 + c}, .power_w = {100}};
    const struct easim_view view = {.gpu_types = &type,
                                    .configs = configs,
                                    .gpu_type_count = 1,
                                    .config_count = 4,
                                    .gpu_type_stride = sizeof type,
                                    .config_stride = sizeof *configs};
    struct group_sets sets = {0};
    struct easim_job job = {.first_config = 0, .config_count = 2};
    cr_expect_null(group_sets_find(&sets, &view, &job));
    job.config_count = 4;
    const struct group_set *set = group_sets_find(&sets, &view, &job);
    cr_assert_not_null(set);
    cr_expect(set->least_goodput == 1 && set->best_goodput == 4 && set->group == EASIM_NONE);
    cr_expect_eq(group_sets_find(&sets, &view, &job), set);
    job.config_count = 3;
    cr_expect_null(group_sets_find(&sets, &view, &job));
    group_sets_finish(&sets);
}
