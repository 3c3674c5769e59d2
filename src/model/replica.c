/* Replicas: see replica.h. */
#include "model/replica.h"

#include "model/config_order.h"

#include <math.h>

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
