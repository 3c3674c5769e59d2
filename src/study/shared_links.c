/* Checks whether models say what they move over shared links, storage and uplinks of the network
   (semantics 35.2), and warns of keys without effect. */
#include "study/internal.h"

#include <math.h>

__attribute__((format(printf, 2, 3))) static void warn(struct study *study, const char *format,
                                                       ...) {
    va_list arguments;
    va_start(arguments, format);
    array_push(&study->warnings, arena_vprintf(&study->arena, format, arguments));
    va_end(arguments);
}

/* --- the network --- */

static void check_sync(struct study *study, const struct model *model, struct problems *problems) {
    if (study->cluster.network.contention && !model->is_transformer && isnan(model->sync_bytes))
        problems_add(problems, model->where, arena_printf(&study->arena, "models.%s", model->name),
                     "key \"sync_bytes\" is missing, which cluster.network.contention needs: the "
                     "bytes that a GPU sends in an iteration");
}

static void warn_of_network(struct study *study, const struct usage *usage) {
    bool contention = study->cluster.network.contention;
    for (uint32_t m = 0; m < study->models.count; m++) {
        const struct model *model = &study->models.models[m];
        if (!contention && usage->models[m].any && !isnan(model->sync_bytes))
            warn(study, "models.%s.sync_bytes: of no effect without cluster.network.contention",
                 model->name);
    }
    if (contention && usage->rigid.any)
        warn(
            study,
            "cluster.network.contention: of no effect on rigid jobs, because their traffic is not known");
}

/* --- storage --- */

static bool some_model_reads(const struct study *study, const struct usage *usage) {
    for (uint32_t m = 0; m < study->models.count; m++)
        if (usage->models[m].any && model_storage_bytes(&study->models.models[m]) > 0)
            return true;
    return false;
}

static bool some_type_has_roof(const struct cluster *cluster) {
    for (uint32_t h = 0; h < cluster->gpu_type_count; h++)
        if (cluster->gpu_types[h].memory_bytes_s > 0)
            return true;
    return false;
}

/* Bytes from storage, and bytes in GPU memory (semantics 25.3). */
static void warn_of_two_meanings(struct study *study, const struct model *model) {
    if (model->bytes_per_sample > 0 && isnan(model->storage_bytes_per_sample) &&
        model->flops_per_sample > 0 && some_type_has_roof(&study->cluster))
        warn(
            study,
            "models.%s.bytes_per_sample: is both what a sample reads from storage and what it moves in "
            "GPU memory; storage_bytes_per_sample sets the first one alone",
            model->name);
}

static void warn_of_storage(struct study *study, const struct usage *usage) {
    bool has_storage = study->cluster.storage_bytes_s > 0;
    for (uint32_t m = 0; m < study->models.count; m++) {
        const struct model *model = &study->models.models[m];
        if (!usage->models[m].any)
            continue;
        if (has_storage)
            warn_of_two_meanings(study, model);
        else if (!isnan(model->storage_bytes_per_sample))
            warn(study, "models.%s.storage_bytes_per_sample: of no effect without storage",
                 model->name);
    }
    if (has_storage && !some_model_reads(study, usage))
        warn(study, "storage: of no effect, no model of the workload's jobs states "
                    "bytes_per_sample");
    else if (has_storage && usage->rigid.any)
        warn(study, "storage: of no effect on rigid jobs, because their reads are not known");
}

void shared_links_check(struct study *study, const struct usage *usage, struct problems *problems) {
    for (uint32_t m = 0; m < study->models.count; m++)
        if (usage->models[m].most_k > 1)
            check_sync(study, &study->models.models[m], problems);
    warn_of_network(study, usage);
    warn_of_storage(study, usage);
}
