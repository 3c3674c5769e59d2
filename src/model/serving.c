/* Reading of serving tables: see serving.h. A point as read has quantiles or one latency, by the
   unit of the model; in the table both have the same place. */
#include "model/serving.h"

#include "model/config_speeds.h"
#include "model/laws.h"

#include <math.h>
#include <string.h>

const char *const work_unit_names[] = {"sample", "token", "output", NULL};
const char *const serving_quantile_names[] = {"p50", "p90", "p95", "p99", NULL};

struct read_point {
    struct serving_point point;
    double output_ms; /* NAN: not given */
};

#define MOST_MS    1e9
#define LEAST      1e-9 /* requests, tokens or outputs per second: quotients stay finite */
#define OF(member) .offset = offsetof(struct read_point, member)
#define QUANTILE(name, place) \
    { \
        .key = name, .type = FIELD_REAL, .offset = (place) * sizeof(double), .default_value = NAN, \
        .above_min = true, .max = MOST_MS \
    }

static const struct field quantile_fields[] = {
    QUANTILE("p50", SERVING_P50), QUANTILE("p90", SERVING_P90), QUANTILE("p95", SERVING_P95),
    QUANTILE("p99", SERVING_P99), FIELDS_END};

static const struct field point_fields[] = {
    {.type = FIELD_LOCATION, OF(point.where)},
    {.key = "limit",
     .type = FIELD_REAL,
     OF(point.limit),
     .default_value = NAN,
     .above_min = true,
     .max = 1e9,
     .help = "most requests at once that the server admits"},
    {.key = "n",
     .type = FIELD_REAL,
     OF(point.n),
     .required = true,
     .min = LEAST,
     .max = 1e9,
     .help = "requests running, mean"},
    {.key = "per_s",
     .type = FIELD_REAL,
     OF(point.per_s),
     .required = true,
     .min = LEAST,
     .max = 1e12,
     .help = "tokens or outputs per second"},
    {.key = "power_w",
     .type = FIELD_REAL,
     OF(point.power_w),
     .required = true,
     .above_min = true,
     .max = 1e7,
     .dimension = DIMENSION_POWER,
     .help = "of the whole replica"},
    {.key = "itl_ms",
     .type = FIELD_OBJECT,
     OF(point.latency_ms),
     .fields = quantile_fields,
     .help = "tokens: between two of one request, p50, p90, p95, p99"},
    {.key = "latency_ms",
     .type = FIELD_REAL,
     OF(output_ms),
     .default_value = NAN,
     .above_min = true,
     .max = MOST_MS,
     .help = "outputs: of one"},
    FIELDS_END};

#undef OF
#undef QUANTILE
#define OF(member) .offset = offsetof(struct serving, member)

const struct field serving_fields[] = {
    {.type = FIELD_LOCATION, OF(where)},
    {.key = "gpu", .type = FIELD_STRING, OF(gpu), .required = true, .min = 1},
    {.key = "k",
     .type = FIELD_INT,
     OF(k),
     .required = true,
     .min = 1,
     .max = 1e6,
     .help = "GPUs of a replica"},
    {.key = "loaded_w",
     .type = FIELD_REAL,
     OF(loaded_w),
     .default_value = NAN,
     .max = 1e7,
     .dimension = DIMENSION_POWER,
     .help = "of the replica without a request (default k ctx_w)"},
    {.key = "points",
     .type = FIELD_OBJECTS,
     OF(points),
     .required = true,
     .fields = point_fields,
     .item_size = sizeof(struct read_point),
     .help = "by ascending running batch"},
    {.key = "fit", .type = FIELD_NODE, OF(fit), .help = "how it was made (a record: not used)"},
    {.key = "evidence",
     .type = FIELD_CHOICE,
     OF(evidence),
     .required = true,
     .choices = evidence_names,
     .help = "measured | derived | assumed"},
    {.key = "source", .type = FIELD_STRING, OF(source), .required = true, .min = 1},
    FIELDS_END};

#undef OF

const struct field prompt_fields[] = {
    {.key = "included",
     .type = FIELD_BOOL,
     .offset = offsetof(struct prompt_cost, included),
     .help = "the tables were measured with prompts of their own"},
    {.key = "output_equivalents",
     .type = FIELD_REAL,
     .offset = offsetof(struct prompt_cost, output_equivalents),
     .default_value = NAN,
     .max = 1e6,
     .help = "generated tokens that a prompt token equals"},
    FIELDS_END};

/* ---- Checks ---- */

/* Whether the point has the latencies of its unit, and no others. */
static void check_latency(const struct read_point *read, enum work_unit unit, const char *path,
                          const struct binding *binding) {
    const double *ms = read->point.latency_ms;
    int given = 0;
    for (int q = 0; q < SERVING_QUANTILES; q++)
        given += !isnan(ms[q]);
    for (int q = 0; unit == UNIT_TOKEN && q < SERVING_QUANTILES; q++)
        if (isnan(ms[q]))
            problems_add(binding->problems, read->point.where, path,
                         "key \"itl_ms.%s\" is missing: a table of tokens needs all quantiles",
                         serving_quantile_names[q]);
    for (int q = 1; given == SERVING_QUANTILES && q < SERVING_QUANTILES; q++)
        if (ms[q] < ms[q - 1])
            problems_add(binding->problems, read->point.where, path,
                         "expected itl_ms.%s at least itl_ms.%s, got %g and %g",
                         serving_quantile_names[q], serving_quantile_names[q - 1], ms[q],
                         ms[q - 1]);
    if (unit == UNIT_TOKEN && !isnan(read->output_ms))
        problems_add(binding->problems, read->point.where, path,
                     "expected no latency_ms: tokens have itl_ms");
    if (unit == UNIT_OUTPUT && given > 0)
        problems_add(binding->problems, read->point.where, path,
                     "expected no itl_ms: outputs have one latency_ms");
    if (unit == UNIT_OUTPUT && isnan(read->output_ms))
        problems_add(binding->problems, read->point.where, path, "key \"latency_ms\" is missing");
}

static void settle_points(struct serving *serving, enum work_unit unit, const char *path,
                          const struct binding *binding) {
    const struct read_point *read = serving->points.at;
    size_t count = serving->points.count, before = binding->problems->count;
    struct serving_point *points =
        arena_alloc(binding->arena, (count ? count : 1) * sizeof *points);
    for (size_t i = 0; i < count; i++) {
        const char *where = arena_printf(binding->arena, "%s.points[%zu]", path, i);
        points[i] = read[i].point;
        check_latency(&read[i], unit, where, binding);
        for (int q = 0; unit == UNIT_OUTPUT && q < SERVING_QUANTILES; q++)
            points[i].latency_ms[q] = read[i].output_ms;
        if (points[i].n > points[i].limit)
            problems_add(binding->problems, points[i].where, where,
                         "expected n at most limit, got %g and %g", points[i].n, points[i].limit);
        if (i > 0 && !(points[i].n > points[i - 1].n))
            problems_add(binding->problems, points[i].where, where,
                         "expected ascending n, got %g after %g", points[i].n, points[i - 1].n);
    }
    serving->table = (struct serving_table){points, count};
    if (binding->problems->count == before && count > 0)
        serving_table_pool(&serving->table);
}

static void check_prompt(const struct model_serving *serving, struct location where,
                         const char *path, const struct binding *binding) {
    bool equals = !isnan(serving->prompt.output_equivalents);
    const char *prompt = arena_printf(binding->arena, "%s.prompt", path);
    bool of_tokens = serving->tables.count > 0 && serving->unit == UNIT_TOKEN;
    if (serving->prompt.included && equals)
        problems_add(binding->problems, where, prompt,
                     "expected included: true or output_equivalents, got both");
    else if (of_tokens && !serving->prompt.included && !equals)
        problems_add(binding->problems, where, prompt,
                     "expected included: true or output_equivalents: what prompts cost");
    else if (!of_tokens && (serving->prompt.included || equals))
        problems_add(binding->problems, where, prompt,
                     "expected no prompt: only serving tables of tokens have one");
}

void serving_settle(struct model_serving *serving, struct location where, const char *path,
                    const struct binding *binding) {
    struct serving *tables = serving->tables.at;
    check_prompt(serving, where, path, binding);
    if (serving->tables.count > 0 && serving->unit == UNIT_SAMPLE)
        problems_add(binding->problems, where, arena_printf(binding->arena, "%s.unit", path),
                     "expected token or output beside serving tables, got sample");
    for (size_t i = 0; i < serving->tables.count; i++) {
        const char *table_path = arena_printf(binding->arena, "%s.serving[%zu]", path, i);
        settle_points(&tables[i], (enum work_unit)serving->unit, table_path, binding);
        for (size_t j = 0; j < i; j++)
            if (tables[i].gpu && tables[j].gpu && strcmp(tables[i].gpu, tables[j].gpu) == 0 &&
                tables[i].k == tables[j].k)
                problems_add(binding->problems, tables[i].where, table_path,
                             "a table of %s with k %lld is listed twice", tables[i].gpu,
                             (long long)tables[i].k);
    }
}

/* --- replica --- */

/* P may fall between points, so its most is at one of them, or at an end. */
static double most_power_w(const struct replica_config *config) {
    const struct serving_table *table = config->table;
    double most_w =
        fmax(config->loaded_w, serving_table_power_w(table, config->most_n, config->loaded_w));
    for (size_t i = 0; i < table->count && table->points[i].n <= config->most_n; i++)
        most_w = fmax(most_w, table->points[i].power_w);
    return most_w;
}

bool replica_settle(struct replica_config *config, const struct latency_objective *objective) {
    config->quantile = objective->quantile;
    config->most_n =
        serving_table_most(config->table, config->limit, objective->quantile, objective->most_ms);
    if (!(config->most_n > 0))
        return false;
    config->most_per_s = serving_table_rate(config->table, config->most_n);
    config->most_w = most_power_w(config);
    return true;
}

double replica_running(const struct replica_config *config, double load) {
    return load >= 1 ? config->most_n
                     : fmin(serving_table_running(config->table, load * config->most_per_s),
                            config->most_n);
}

double replica_power_w(const struct replica_config *config, double load) {
    return serving_table_power_w(config->table, replica_running(config, load), config->loaded_w);
}

double replica_latency_ms(const struct replica_config *config, double load) {
    return serving_table_latency_ms(config->table, replica_running(config, load), config->quantile);
}

double replica_joules(const struct replica_config *config, double load) {
    return replica_power_w(config, load) / (fmin(load, 1) * config->most_per_s);
}

double replica_joules_giving(const struct replica_config *config, double per_s) {
    double n = serving_table_running(config->table, per_s);
    return serving_table_power_w(config->table, n, config->loaded_w) / per_s;
}

double replica_latency_giving_ms(const struct replica_config *config, double per_s) {
    return serving_table_latency_ms(config->table, serving_table_running(config->table, per_s),
                                    config->quantile);
}

static struct config_rank rank_of(const struct replica_config *config, double load) {
    return (struct config_rank){.k = config->k,
                                .power_w = replica_power_w(config, load) / config->k,
                                .gpu_type = config->gpu_type,
                                .batch = config->limit,
                                .power_limit_w = INFINITY};
}

bool replica_before(const struct replica_config *a, const struct replica_config *b, double load) {
    const struct config_rank first = rank_of(a, load), second = rank_of(b, load);
    return config_order_before(&first, &second);
}
