/* Points of a group of rows: see points.h. */
#include "calibrate/points.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONTRADICTED 2
#define ROUND_ROWS   3 /* that make a round's speed the one to compare with */

/* ---- Rounds ---- */

/* Numbers in a name by their value: v4.1 is before v10.0. */
static int compare_rounds(const char *a, const char *b) {
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            char *after_a, *after_b;
            unsigned long x = strtoul(a, &after_a, 10), y = strtoul(b, &after_b, 10);
            if (x != y)
                return x < y ? -1 : 1;
            a = after_a;
            b = after_b;
        } else if (*a != *b) {
            break;
        } else {
            a++;
            b++;
        }
    }
    return (unsigned char)*a - (unsigned char)*b;
}

static uint32_t find_round(const struct points *points, const char *round) {
    uint32_t i = 0;
    while (i < points->round_count && points->rounds[i] != round)
        i++;
    return i;
}

/* Adds a round in its order; of more than there is room for, the oldest falls out. Texts are
   interned: equal ones have one address. */
static void add_round(struct points *points, const char *round) {
    const char **rounds = points->rounds;
    if (find_round(points, round) < points->round_count)
        return;
    if (points->round_count == MOST_ROUNDS) {
        points->rounds_lost = true;
        if (compare_rounds(round, rounds[0]) < 0)
            return;
        memmove(rounds, rounds + 1, --points->round_count * sizeof *rounds);
    }
    uint32_t at = points->round_count++;
    for (; at > 0 && compare_rounds(rounds[at - 1], round) > 0; at--)
        rounds[at] = rounds[at - 1];
    rounds[at] = round;
}

static void find_rounds(struct points *points) {
    size_t count = points->at.count;
    if (!points->by_size) {
        points->rounds[points->round_count++] = "";
        points->round_rows[0] = (uint32_t)count;
        return;
    }
    for (size_t i = 0; i < count; i++)
        add_round(points, points->at.at[i].row->round);
    for (size_t i = 0; i < count; i++) {
        uint32_t round = find_round(points, points->at.at[i].row->round);
        points->at.at[i].round = round < points->round_count ? round : 0;
        points->round_rows[points->at.at[i].round]++;
    }
}

uint32_t points_reference_round(const struct points *points,
                                const uint32_t rows[static MOST_ROUNDS]) {
    uint32_t newest = points->round_count;
    for (uint32_t i = points->round_count; i-- > 0;) {
        if (rows[i] >= ROUND_ROWS)
            return i;
        if (rows[i] > 0 && newest == points->round_count)
            newest = i;
    }
    return newest < points->round_count ? newest : 0;
}

/* ---- Sizes ---- */

/* Each k inside the range is a part: what was never shown is predicted between what was. */
static void part_sizes(struct points *points) {
    size_t n = points->at.count, sizes = 0;
    uint32_t *k = mem_alloc(n * sizeof *k);
    for (size_t i = 0; i < n; i++)
        k[i] = points->at.at[i].at.k;
    sort_array(k, n, by_uint32);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || k[i] != k[i - 1])
            k[sizes++] = k[i];
    for (size_t i = 0; i < n; i++) {
        struct point *point = &points->at.at[i];
        const uint32_t *at = bsearch(&point->at.k, k, sizes, sizeof *k, by_uint32);
        point->size = (uint32_t)(at - k);
    }
    points->sizes = (uint32_t)sizes;
    free(k);
}

/* GPUs per node of most rows across nodes; without such rows, at most of one node. */
static uint32_t common_node(const struct points *points) {
    uint32_t best = 0, largest = 1;
    size_t most = 0;
    for (size_t i = 0; i < points->at.count; i++) {
        const struct profile_point *row = points->at.at[i].row;
        uint32_t here = (row->k + row->nodes - 1) / row->nodes;
        size_t same = 0;
        if (row->nodes == 1)
            largest = row->k > largest ? row->k : largest;
        for (size_t j = 0; j < points->at.count && row->nodes > 1; j++) {
            const struct profile_point *other = points->at.at[j].row;
            same += other->nodes > 1 && (other->k + other->nodes - 1) / other->nodes == here;
        }
        if (same > most || (same == most && same > 0 && here > best)) {
            most = same;
            best = here;
        }
    }
    return best > 0 ? best : largest;
}

/* What only rows of many systems have. */
static void settle_sizes(struct points *points) {
    points->gpus_per_node = common_node(points);
    part_sizes(points);
    for (size_t i = 0; i < points->at.count; i++)
        if (points->at.at[i].row->across_nodes)
            points->at.at[i].at.log2_nodes = points->at.at[i].row->nodes;
}

/* ---- Points ---- */

static void add_point(struct points *points, const struct profile_point *row) {
    struct point *last = points->at.count > 0 ? &points->at.at[points->at.count - 1] : NULL;
    struct place at = {.k = row->k,
                       .batch = row->batch,
                       .span = row->across_nodes ? EASIM_ACROSS_NODES : EASIM_ONE_NODE,
                       .steps = row->grad_accum};
    bool known =
        last && last->at.k == at.k && last->at.batch == at.batch && last->at.span == at.span;
    points->configurations += !known;
    array_push(&points->at, ((struct point){.at = at,
                                            .rate = row->throughput_samples_s / row->k,
                                            .power_w = row->power_w,
                                            .configuration = points->configurations - 1,
                                            .row = row}));
    points->one_node |= row->k > 1 && !row->across_nodes;
    points->across_nodes |= row->across_nodes;
    points->no_single &= row->k > 1;
}

/* ---- Power ---- */

/* The scope of most rows with power; of equally many, the one at the plug, then a node's. */
static enum profile_scope common_scope(const struct points *points) {
    static const enum profile_scope order[] = {PROFILE_SCOPE_AC, PROFILE_SCOPE_NODE,
                                               PROFILE_SCOPE_DC, PROFILE_SCOPE_GPU};
    enum profile_scope best = PROFILE_SCOPE_GPU;
    size_t most = 0;
    for (size_t s = 0; s < sizeof order / sizeof *order; s++) {
        size_t count = 0;
        for (size_t i = 0; i < points->at.count; i++)
            count += points->at.at[i].row->scope == order[s] && !isnan(points->at.at[i].power_w);
        if (count > most) {
            most = count;
            best = order[s];
        }
    }
    return best;
}

static void count_powers(struct points *points) {
    points->scope = common_scope(points);
    for (size_t i = 0; i < points->at.count; i++) {
        struct point *point = &points->at.at[i];
        bool other = !isnan(point->power_w) && point->row->scope != points->scope;
        points->other_scopes += other;
        point->power_w = other ? NAN : point->power_w;
        points->powers += !isnan(point->power_w);
    }
    for (size_t i = 0; i < points->at.count;) {
        uint32_t configuration = points->at.at[i].configuration;
        bool has_power = false;
        for (; i < points->at.count && points->at.at[i].configuration == configuration; i++)
            has_power |= !isnan(points->at.at[i].power_w);
        points->power_configurations += has_power;
    }
}

static double step_of(const struct profile_point *row) {
    return row->batch / row->grad_accum;
}

/* The fastest per GPU of the rows with no fewer GPUs and no larger steps, if it is more than twice
   as fast; else NULL. */
static const struct profile_point *find_faster(const struct profile_group *group,
                                               const struct profile_point *row) {
    const struct profile_point *faster = NULL;
    double most = CONTRADICTED * row->throughput_samples_s / row->k;
    for (size_t i = 0; i < group->base_count; i++) {
        const struct profile_point *other = &group->rows[i];
        double rate = other->throughput_samples_s / other->k;
        if (other->k >= row->k && step_of(other) <= step_of(row) && rate > most) {
            most = rate;
            faster = other;
        }
    }
    return faster;
}

void points_of_group(struct points *points, const struct profile_group *group) {
    points->no_single = true;
    for (size_t i = 0; i < group->base_count; i++)
        points->by_size |= group->rows[i].round && group->rows[i].round[0];
    for (size_t i = 0; i < group->base_count; i++) {
        const struct profile_point *row = &group->rows[i],
                                   *faster = points->by_size ? find_faster(group, row) : NULL;
        if (faster)
            array_push(&points->set_aside, ((struct set_aside){row, faster}));
        else
            add_point(points, row);
    }
    count_powers(points);
    find_rounds(points);
    if (points->by_size)
        settle_sizes(points);
    points_set_folds(points, SIZE_MAX);
}

void points_set_folds(struct points *points, size_t most_points) {
    uint32_t inner = points->sizes > 2 ? points->sizes - 2 : 0,
             parts = points->by_size ? inner : points->configurations;
    size_t folds = most_points / points->at.count;
    folds = folds < 10 ? 10 : folds;
    points->folds = folds < parts ? (uint32_t)folds : parts;
    for (size_t i = 0; i < points->at.count; i++) {
        struct point *point = &points->at.at[i];
        if (!points->by_size)
            point->fold = point->configuration % points->folds;
        else if (point->size == 0 || point->size + 1 == points->sizes)
            point->fold = NO_FOLD;
        else
            point->fold = (point->size - 1) % points->folds;
    }
}

double points_most_step(const struct points *points) {
    double most = 0;
    for (size_t i = 0; i < points->at.count; i++)
        most = fmax(most, points->at.at[i].at.batch / fmax(1, points->at.at[i].at.steps));
    return most;
}

void points_finish(struct points *points) {
    free(points->at.at);
    free(points->set_aside.at);
}
