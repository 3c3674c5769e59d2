/* Statistics of decision points: see spread.h. */
#include "experiment/regret/spread.h"

#include "metrics/job_stats.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

static struct regret_point point_of(const struct regret *regret, size_t first) {
    const struct regret_row *rows = regret->rows.at.at;
    struct regret_point point = {.first = first, .count = 1, .best = first};
    for (size_t i = first + 1; i < regret->rows.at.count && rows[i].action != REGRET_CHOSEN;
         i++, point.count++)
        if (rows[i].known &&
            trunk_is_better(rows[i].of[regret->by], rows[point.best].of[regret->by]))
            point.best = i;
    point.regret = rows[first].of[regret->by] - rows[point.best].of[regret->by];
    return point;
}

/* The largest power of two that is not above. */
static uint64_t power_of_two(uint64_t value) {
    uint64_t power = 1;
    while (2 * power <= value)
        power *= 2;
    return power;
}

static uint64_t key_of(const struct regret_row *row, enum regret_grouping grouping) {
    return grouping == REGRET_BY_TYPE      ? row->gpu_type
           : grouping == REGRET_BY_WAITING ? power_of_two(row->waiting)
           : row->milli > 0                ? 0
                                           : row->k;
}

static void add_to_groups(struct regret_spread *spread, const struct regret_row *row,
                          const struct regret_point *point) {
    for (enum regret_grouping g = 0; g < REGRET_GROUPINGS; g++) {
        const uint64_t key = key_of(row, g);
        size_t at = 0;
        while (at < spread->groups[g].count && spread->groups[g].at[at].key < key)
            at++;
        if (at == spread->groups[g].count || spread->groups[g].at[at].key != key) {
            array_push(&spread->groups[g], (struct regret_group){.key = key});
            for (size_t i = spread->groups[g].count - 1; i > at; i--)
                spread->groups[g].at[i] = spread->groups[g].at[i - 1];
            spread->groups[g].at[at] = (struct regret_group){.key = key};
        }
        struct regret_group *group = &spread->groups[g].at[at];
        group->points++;
        group->best += point->best == point->first;
        group->sum += point->regret;
    }
}

ORDER_BY(compare_regrets, struct regret_point, DESC(regret) ASC(first))

static void sort_worst(struct regret_spread *spread) {
    for (size_t p = 0; p < spread->points.count; p++)
        if (spread->points.at[p].regret > 0)
            array_push(&spread->worst, spread->points.at[p]);
    sort_array(spread->worst.at, spread->worst.count, compare_regrets);
}

static void describe_regrets(struct regret_spread *spread) {
    size_t count = spread->points.count;
    double *regrets = mem_alloc(count * sizeof *regrets), sum = 0;
    for (size_t p = 0; p < count; p++) {
        regrets[p] = spread->points.at[p].regret;
        sum += regrets[p];
    }
    gsl_sort(regrets, 1, count);
    spread->mean = count > 0 ? sum / (double)count : NAN;
    spread->median = job_stats_percentile(regrets, count, 0.5);
    spread->p90 = job_stats_percentile(regrets, count, 0.9);
    spread->most = job_stats_percentile(regrets, count, 1);
    free(regrets);
}

void regret_spread_init(struct regret_spread *spread, const struct regret *regret) {
    const struct regret_row *rows = regret->rows.at.at;
    *spread = (struct regret_spread){.best = 0};
    for (size_t i = 0; i < regret->rows.at.count;) {
        struct regret_point point = point_of(regret, i);
        array_push(&spread->points, point);
        spread->best += point.best == point.first;
        spread->waits += rows[point.best].action == REGRET_WAIT;
        add_to_groups(spread, &rows[point.first], &point);
        i += point.count;
    }
    describe_regrets(spread);
    sort_worst(spread);
}

void regret_spread_finish(struct regret_spread *spread) {
    free(spread->points.at);
    free(spread->worst.at);
    for (int g = 0; g < REGRET_GROUPINGS; g++)
        free(spread->groups[g].at);
}
