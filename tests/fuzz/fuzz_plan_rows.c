/* Measured iterations under plans, of any bytes: what is accepted has plans that can be, and a fit
   whose constants are in their bounds and whose errors are numbers or not defined. */
#include "calibrate/plans/plan_constants.h"
#include "fuzz/fuzz.h"

#include <math.h>

static struct gpu_model gpus[] = {
    {.gpu = "a100",
     .links = {312e12, 1.6e12, 230e9, 25e9},
     .plan_fit = {0.6, 1, 1, 0.001, 0.01, 1},
     .gpus_per_node = 4,
     .precision = PRECISION_BF16},
    {.gpu = "h100", .links = {989e12, 3e12, 450e9, 50e9}, .plan_fit = {0.6, 1, 1, 0, 0, 1}}};

static struct model model_of(const char *name, bool lora) {
    return (struct model){.name = name,
                          .gpus = gpus,
                          .gpu_count = 2,
                          .is_transformer = true,
                          .transformer = {.layers = 4,
                                          .hidden = 64,
                                          .heads = 4,
                                          .kv_heads = 4,
                                          .feed_forward = 256,
                                          .sequence = 128,
                                          .vocabulary = 1000,
                                          .parameters = 1e6,
                                          .global_batch = 16,
                                          .lora = lora}};
}

static void check_rows(const struct plan_rows *rows) {
    for (size_t r = 0; r < rows->rows.count; r++) {
        const struct plan_row *row = &rows->rows.at[r];
        fuzz_assert(!plan_wrong(&row->shape, &row->plan, row->node_gpus));
        fuzz_assert(row->iteration_s > 0 && row->shape_fraction > 0 && row->shape_fraction <= 1);
    }
}

static void check_fit(const struct plan_constants_fit *fit, const struct plan_rows *rows) {
    size_t fitted = 0;
    for (size_t g = 0; g < fit->groups.count; g++) {
        const struct plan_constants *c = &fit->groups.at[g];
        fuzz_assert(c->compute_fraction > 0 && c->compute_fraction <= 1 / c->most_share);
        fuzz_assert(rows->has_shapes || c->most_share == 1);
        fitted += fit->groups.at[g].rows;
    }
    for (size_t n = 0; n < fit->rounds.count; n++)
        fuzz_assert(fit->rounds.at[n].factor > 0);
    for (size_t u = 0; u < PLAN_UNKNOWNS; u++)
        fuzz_assert(fit->values[u] >= 0);
    fuzz_assert(fit->values[PLAN_OVERLAP] <= 1 && fitted <= rows->rows.count);
    for (size_t r = 0; r < rows->rows.count; r++)
        fuzz_assert(fit->errors[r].predicted_s > 0 && !isnan(fit->errors[r].error));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    struct model models[] = {model_of("gpt", false), model_of("lora", true)};
    struct model_set set = {.models = models, .count = 2};
    const char *path = fuzz_file(FUZZ_FILE_INPUT, bytes, length);
    const double held[PLAN_UNKNOWNS] = {NAN, NAN, NAN, NAN};
    struct arena arena = {0};
    struct problems problems = {0};
    const struct binding binding = {.arena = &arena, .problems = &problems};
    struct plan_rows rows = {.node_gpus = 8};
    struct plan_constants_fit fit = {0};
    model_set_grow_names(&set, 0, &arena);
    int r = plan_rows_load(&rows, path, &set, &binding);
    fuzz_assert((r < 0) == (problems.count > 0));
    if (r == 0) {
        check_rows(&rows);
        r = plan_constants_fit(&fit, &rows, held, path, &problems);
        fuzz_assert((r < 0) == (problems.count > 0));
        if (r == 0)
            check_fit(&fit, &rows);
    }
    plan_constants_fit_finish(&fit);
    plan_rows_finish(&rows);
    problems_finish(&problems);
    arena_finish(&arena);
    return 0;
}
