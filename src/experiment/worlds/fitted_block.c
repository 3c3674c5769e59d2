/* Fitted parameters drawn together: see fitted_block.h. */
#include "experiment/worlds/fitted_block.h"

#include "model/model_fields.h"
#include "model/override_entry.h"
#include "workload/source_uses.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDING 1e-9 /* of a correlation */

/* One model, or one on a GPU type, while its block is made. */
struct search {
    const struct model *model;
    const struct gpu_model *on; /* NULL: the model as a whole */
    const struct yaml_node *fit;
    const char *path; /* models.bert.gpus.h100 */
    const struct binding *binding;
};

static const struct field *field_of(const struct search *s, const char *key) {
    const struct field *field = s->on ? gpu_model_fields : model_fields;
    for (; field->key || field->type != FIELD_NODE; field++)
        if (field->key && strcmp(field->key, key) == 0 &&
            (field->type == FIELD_REAL || field->type == FIELD_DURATION))
            return field;
    return NULL;
}

static double value_of(const struct search *s, const struct field *field) {
    const char *base = s->on ? (const char *)s->on : (const char *)s->model;
    return *(const double *)(base + field->offset);
}

/* Why a parameter is not drawn; NULL: it is. */
static const char *left_alone(const struct search *s, const struct field *field) {
    if (isnan(value_of(s, field)))
        return "the file states no value of it";
    return s->on ? override_hidden_on_gpu(s->model, s->on, field)
                 : override_hidden_in_model(s->model, field);
}

static int refuse_covariance(const struct search *s, const struct yaml_node *at,
                             const char *expected) {
    const char *path = arena_printf(s->binding->arena, "%s.fit.covariance", s->path);
    return problems_add(s->binding->problems, at->where, path, "expected %s", expected);
}

/* ---- The matrix ---- */

/* All of it as the file has it: n x n. */
static int read_matrix(const struct search *s, const struct yaml_node *rows, size_t n,
                       double *matrix) {
    static const struct field number = {.type = FIELD_REAL};
    const char *path = arena_printf(s->binding->arena, "%s.fit.covariance", s->path);
    size_t before = s->binding->problems->count;
    if (rows->kind != YAML_NODE_SEQUENCE || rows->count != n)
        return refuse_covariance(s, rows, "a row for each of standard_errors");
    for (size_t i = 0; i < n; i++) {
        const struct yaml_node *row = rows->items[i];
        if (row->kind != YAML_NODE_SEQUENCE || row->count != n)
            return refuse_covariance(s, row, "a number for each of standard_errors");
        for (size_t j = 0; j < n; j++) {
            int r = schema_bind_value(s->binding, &number, row->items[j], path, &matrix[i * n + j]);
            (void)r; /* the problems say it */
        }
    }
    return s->binding->problems->count > before ? ERROR_INPUT : 0;
}

/* Keeps only rows and columns of the kept parameters, which is how these vary alone. */
static void keep_rows(const bool *kept, size_t n, double *matrix) {
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (kept[i] && kept[j])
                matrix[at++] = matrix[i * n + j];
}

/* Correlations in place of the covariance: its numbers may be 20 decades apart. False: some
   variance is negative, or two halves differ. */
static bool scale_matrix(size_t n, double *matrix, double *deviations) {
    for (size_t i = 0; i < n; i++) {
        if (!(matrix[i * n + i] >= 0))
            return false;
        deviations[i] = sqrt(matrix[i * n + i]);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double scale = deviations[i] * deviations[j];
            if (scale == 0 && matrix[i * n + j] != 0)
                return false;
            matrix[i * n + j] = scale > 0 ? matrix[i * n + j] / scale : 0;
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (!(fabs(matrix[i * n + j] - matrix[j * n + i]) <= 1e-6))
                return false;
    return true;
}

/* Cholesky's factor, which may be singular: what follows from parameters before it varies with
   them. False: the matrix is not that of any correlations. */
static bool factor_matrix(size_t n, const double *matrix, double *factor) {
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) {
            double rest = matrix[i * n + j];
            for (size_t k = 0; k < j; k++)
                rest -= factor[i * n + k] * factor[j * n + k];
            if (i == j && rest < -ROUNDING)
                return false;
            if (i == j)
                factor[i * n + j] = rest > ROUNDING ? sqrt(rest) : 0;
            else if (factor[j * n + j] > 0)
                factor[i * n + j] = rest / factor[j * n + j];
            else if (fabs(rest) > sqrt(ROUNDING))
                return false;
        }
    return true;
}

static int make_factor(const struct search *s, const struct yaml_node *at,
                       struct fitted_block *block, double *matrix) {
    size_t n = block->count;
    double *deviations = arena_alloc(s->binding->arena, n * sizeof *deviations);
    block->factor = arena_alloc(s->binding->arena, n * n * sizeof *block->factor);
    memset(block->factor, 0, n * n * sizeof *block->factor);
    if (!scale_matrix(n, matrix, deviations))
        return refuse_covariance(s, at, "a covariance matrix: symmetric, no variance below 0");
    if (!factor_matrix(n, matrix, block->factor))
        return refuse_covariance(
            s, at, "a covariance matrix, but its correlations have a negative eigenvalue");
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            block->factor[i * n + j] *= deviations[i];
    return 0;
}

/* ---- A block ---- */

/* Keeps the parameters that a run asks for. Their sizes are those of the central physics in every
   world, so samples_to_target is not drawn. */
static void keep_parameters(const struct search *s, const struct yaml_node *errors, bool *kept,
                            struct fitted_block *block) {
    struct arena *arena = s->binding->arena;
    block->keys = arena_alloc(arena, errors->count * sizeof *block->keys);
    block->fields = arena_alloc(arena, errors->count * sizeof *block->fields);
    block->means = arena_alloc(arena, errors->count * sizeof *block->means);
    for (size_t i = 0; i < errors->count; i++) {
        const char *key = errors->keys[i]->text;
        const struct field *field = field_of(s, key);
        kept[i] = field && !left_alone(s, field) && strcmp(key, "samples_to_target") != 0;
        if (!kept[i])
            continue;
        block->keys[block->count] = field->key;
        block->fields[block->count] = field;
        block->means[block->count++] = value_of(s, field);
    }
}

static const char *name_of(const struct search *s) {
    return s->on ? arena_printf(s->binding->arena, "%s on %s", s->model->name, s->on->gpu)
                 : s->model->name;
}

/* A model that was not calibrated, or from too few rows, has no covariance. */
static int find_block(const struct search *s, struct fitted_blocks *blocks) {
    struct arena *arena = s->binding->arena;
    const struct yaml_node *errors = s->fit ? yaml_find(s->fit, "standard_errors") : NULL;
    const struct yaml_node *rows = s->fit ? yaml_find(s->fit, "covariance") : NULL;
    if (!rows || !errors || errors->kind != YAML_NODE_MAPPING) {
        if (s->on)
            array_push(&blocks->without, name_of(s));
        else if (s->model->efficiency == EFFICIENCY_NOISE_SCALE)
            array_push(&blocks->without, arena_printf(arena, "%s (m0 and phi)", name_of(s)));
        return 0;
    }
    struct fitted_block block = {
        .model = s->model->name, .gpu = s->on ? s->on->gpu : NULL, .where = rows->where};
    bool *kept = arena_alloc(arena, errors->count * sizeof *kept);
    double *matrix = arena_alloc(arena, errors->count * errors->count * sizeof *matrix);
    keep_parameters(s, errors, kept, &block);
    if (read_matrix(s, rows, errors->count, matrix) < 0)
        return ERROR_INPUT;
    keep_rows(kept, errors->count, matrix);
    if (make_factor(s, rows, &block, matrix) < 0)
        return ERROR_INPUT;
    block.name = arena_printf(arena, "calibration/%s%s%s", block.model, s->on ? "/" : "",
                              s->on ? s->on->gpu : "");
    if (block.count > 0)
        array_push(&blocks->at, block);
    else if (s->on)
        array_push(&blocks->without, arena_printf(arena, "%s (of no effect there)", name_of(s)));
    return 0;
}

static int find_of_model(const struct study *study, const struct model *model, uint64_t types,
                         const struct binding *binding, struct fitted_blocks *blocks) {
    const char *path = arena_printf(binding->arena, "models.%s", model->name);
    const struct search whole = {model, NULL, model->fit, path, binding};
    int result = find_block(&whole, blocks);
    for (uint32_t h = 0; h < study->cluster.gpu_type_count; h++) {
        const char *gpu = study->cluster.gpu_types[h].name;
        const struct gpu_model *on = types >> h & 1 ? model_on_gpu(model, gpu) : NULL;
        if (!on)
            continue;
        const struct search one = {model, on, on->fit,
                                   arena_printf(binding->arena, "%s.gpus.%s", path, gpu), binding};
        if (find_block(&one, blocks) < 0)
            result = ERROR_INPUT;
    }
    return result;
}

int fitted_blocks_find(struct fitted_blocks *blocks, const struct study *study, struct arena *arena,
                       struct problems *problems) {
    const struct binding binding = {.arena = arena, .problems = problems};
    const struct config_extras extras = params_extras(&study->params);
    struct model_set models; /* without overrides */
    struct usage usage = {.models = NULL};
    int result = model_set_load(&models, study->scenario.models, &binding);
    if (result == 0 && usage_find(&usage, &study->source, &extras, problems) < 0)
        result = ERROR_INPUT;
    for (uint32_t m = 0; result == 0 && m < models.count; m++)
        if (usage.models[m].any &&
            find_of_model(study, &models.models[m], usage.models[m].types, &binding, blocks) < 0)
            result = ERROR_INPUT;
    usage_finish(&usage);
    return result;
}

void fitted_blocks_finish(struct fitted_blocks *blocks) {
    free(blocks->at.at);
    free(blocks->without.at);
}

bool fitted_block_draw(const struct fitted_block *block, gsl_rng *rng, double *values) {
    bool inside = true;
    double *normal = mem_zalloc(block->count, sizeof *normal);
    for (size_t i = 0; i < block->count; i++)
        normal[i] = gsl_ran_ugaussian(rng);
    for (size_t i = 0; i < block->count; i++) {
        values[i] = block->means[i];
        for (size_t j = 0; j <= i; j++)
            values[i] += block->factor[i * block->count + j] * normal[j];
        inside = inside && schema_takes(block->fields[i], values[i]);
    }
    free(normal);
    return inside;
}
