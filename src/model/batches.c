/* Allowed batches and accumulation: see batches.h. */
#include "model/batches.h"

static bool is_stated(const struct batch_choice *choice) {
    return choice->batches.count + choice->global_batches.count > 0;
}

const struct batch_choice *batches_on(const struct model *model,
                                      const struct gpu_model *gpu_model) {
    return is_stated(&gpu_model->allowed) ? &gpu_model->allowed : &model->allowed;
}

size_t batches_count(const struct batch_choice *choice) {
    return choice->batches.count + choice->global_batches.count;
}

double batches_at(const struct batch_choice *choice, size_t i, uint32_t k) {
    const double *own = choice->batches.at, *global = choice->global_batches.at;
    return choice->batches.count > 0 ? own[i] : global[i] / k;
}

static bool are_equal(double a, double b) {
    return a <= b * BATCH_EQUAL && b <= a * BATCH_EQUAL;
}

double batches_steps(const struct gpu_model *gpu_model, uint32_t k, double batch) {
    const struct grad_accum *stated = gpu_model->grad_accum.at;
    for (size_t i = 0; i < gpu_model->grad_accum.count; i++)
        if (stated[i].k == k && are_equal(stated[i].batch, batch))
            return (double)stated[i].steps;
    return 1;
}

double batches_memory_gib(const struct model *model, const struct gpu_model *gpu_model, uint32_t k,
                          double batch) {
    return model->mem0_gib + model->mem1_gib * (batch / batches_steps(gpu_model, k, batch));
}

bool batches_too_large(const struct gpu_model *gpu_model, uint32_t k, double batch) {
    return batch / batches_steps(gpu_model, k, batch) > gpu_model->most_batch * BATCH_EQUAL;
}

static void settle_choice(struct batch_choice *choice, struct location where, const char *path,
                          const struct binding *binding) {
    schema_sort_reals(&choice->batches);
    schema_sort_reals(&choice->global_batches);
    if (choice->batches.count > 0 && choice->global_batches.count > 0)
        problems_add(binding->problems, where, path,
                     "expected one of batches and global_batches, got both");
}

static void check_steps(const struct gpu_model *gpu_model, const char *path,
                        const struct binding *binding) {
    const struct grad_accum *stated = gpu_model->grad_accum.at;
    for (size_t i = 1; i < gpu_model->grad_accum.count; i++)
        for (size_t j = 0; j < i; j++)
            if (stated[i].k == stated[j].k && are_equal(stated[i].batch, stated[j].batch)) {
                problems_add(binding->problems, gpu_model->where, path,
                             "grad_accum: k %lld, batch %.9g is listed twice",
                             (long long)stated[i].k, stated[i].batch);
                break;
            }
}

bool batches_all_own(const struct model *model) {
    for (uint32_t i = 0; i < model->gpu_count; i++)
        if (!is_stated(&model->gpus[i].allowed))
            return false;
    return model->gpu_count > 0;
}

void batches_check(struct model *model, const char *path, const struct binding *binding) {
    settle_choice(&model->allowed, model->where, path, binding);
    for (uint32_t i = 0; i < model->gpu_count; i++) {
        struct gpu_model *g = &model->gpus[i];
        const char *gpu_path = arena_printf(binding->arena, "%s.gpus.%s", path, g->gpu);
        settle_choice(&g->allowed, g->where, gpu_path, binding);
        check_steps(g, gpu_path, binding);
    }
}
