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

#define MOST_MS 1e9
#define LEAST   1e-9 /* requests, tokens or outputs per second: quotients stay finite */
#define QUANTILE(place) \
    .type = FIELD_REAL, .offset = (place) * sizeof(double), DEFAULT(NAN), ABOVE(0, MOST_MS)

static const struct field quantile_fields[] = {
    {"p50", QUANTILE(SERVING_P50), HELP("half of the times, in ms, are at most this")},
    {"p90", QUANTILE(SERVING_P90), HELP("90 % of the times, in ms, are at most this")},
    {"p95", QUANTILE(SERVING_P95), HELP("95 % of the times, in ms, are at most this")},
    {"p99", QUANTILE(SERVING_P99), HELP("99 % of the times, in ms, are at most this")},
    FIELDS_END,
};

static const struct field point_fields[] = {
    {LOCATION(read_point, point.where)},
    {"limit", REAL(read_point, point.limit), DEFAULT(NAN), ABOVE(0, 1e9),
     HELP("most requests at once")},
    {"n", REAL(read_point, point.n), REQUIRED, RANGE(LEAST, 1e9), HELP("requests running, mean")},
    {"per_s", REAL(read_point, point.per_s), REQUIRED, RANGE(LEAST, 1e12),
     HELP("tokens or outputs per second")},
    {"power_w", REAL(read_point, point.power_w), REQUIRED, ABOVE(0, 1e7), UNIT(POWER),
     HELP("power of all k GPUs")},
    {"itl_ms", OBJECT(read_point, point.latency_ms, quantile_fields),
     HELP("required for tokens: time between two tokens of a request")},
    {"latency_ms", REAL(read_point, output_ms), DEFAULT(NAN), ABOVE(0, MOST_MS),
     HELP("required for outputs: time of one")},
    FIELDS_END};

const struct field serving_fields[] = {
    {LOCATION(serving, where)},
    {"gpu", TEXT(serving, gpu), REQUIRED, HELP("GPU type")},
    {"k", INT(serving, k), REQUIRED, RANGE(1, 1e6), HELP("GPUs of a replica")},
    {"loaded_w", REAL(serving, loaded_w), DEFAULT(NAN), RANGE(0, 1e7), UNIT(POWER),
     HELP("power of a replica without a request (default k ctx_w)")},
    {"points", OBJECTS(serving, points, point_fields, read_point), REQUIRED,
     HELP("by ascending running batch")},
    {"fit", OPEN(serving, fit), HELP("record of calibration; runs ignore it")},
    {"evidence", CHOICE(serving, evidence, evidence_names), REQUIRED,
     HELP("how well the table is known")},
    {"source", TEXT(serving, source), REQUIRED, HELP("where the figures come from")},
    FIELDS_END};

const struct field prompt_fields[] = {
    {"included", BOOL(prompt_cost, included),
     HELP("the tables were measured with prompts of their own")},
    {"output_equivalents", REAL(prompt_cost, output_equivalents), DEFAULT(NAN), RANGE(0, 1e6),
     HELP("generated tokens that cost as much as a prompt token")},
    FIELDS_END,
};

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
                     "expected token or output with serving tables, got sample");
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
