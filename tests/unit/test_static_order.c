/* The line of waiting jobs against a list in which each job is looked at: the first behind a place
   with one of some traits, after random changes. */
#include "policy/list/static_order.h"

#include "base/rng.h"

#include <criterion/criterion.h>

#define JOBS  2000
#define KINDS 300

struct bed {
    struct static_order line;
    struct order_place jobs[JOBS]; /* kind ORDER_NONE: not in line */
    gsl_rng *rng;
};

static uint32_t pick(struct bed *bed, uint32_t count) {
    return (uint32_t)gsl_rng_uniform_int(bed->rng, count);
}

static bool has_trait(const struct bed *bed, uint32_t kind, uint32_t trait) {
    return bed->line.kind_traits.at[(size_t)kind * bed->line.words + trait / 64] >> trait % 64 & 1;
}

/* The job that a look at all finds; ORDER_NONE: none. trait ORDER_NONE: any will do. */
static uint32_t find_next(const struct bed *bed, const struct index_rank *after, uint32_t trait) {
    uint32_t best = ORDER_NONE;
    for (uint32_t i = 0; i < JOBS; i++)
        if (bed->jobs[i].kind != ORDER_NONE &&
            (!after || index_before(after, &bed->jobs[i].rank)) &&
            (trait == ORDER_NONE || has_trait(bed, bed->jobs[i].kind, trait)) &&
            (best == ORDER_NONE || index_before(&bed->jobs[i].rank, &bed->jobs[best].rank)))
            best = i;
    return best;
}

/* Kinds come one by one, each of a trait of its own and one of four, so that traits outgrow their
   words while jobs are there. */
static uint32_t some_kind(struct bed *bed, uint32_t *kinds) {
    if (*kinds == KINDS || (*kinds > 0 && pick(bed, 20)))
        return pick(bed, *kinds);
    uint32_t kind = static_order_add_kind(&bed->line, 4 + *kinds + 1);
    cr_assert_eq(kind, *kinds);
    static_order_set_trait(&bed->line, kind, pick(bed, 4));
    static_order_set_trait(&bed->line, kind, 4 + kind);
    ++*kinds;
    return kind;
}

static void change_one(struct bed *bed, uint32_t grows, uint32_t *kinds) {
    uint32_t job = pick(bed, JOBS);
    struct order_place *place = &bed->jobs[job];
    if (place->kind == ORDER_NONE) {
        if (pick(bed, 4) > grows)
            return;
        *place = (struct order_place){{pick(bed, 3) ? pick(bed, 50) : gsl_rng_uniform(bed->rng),
                                       (int32_t)pick(bed, 3) - 1, job},
                                      some_kind(bed, kinds)};
        static_order_add(&bed->line, &place->rank, place->kind);
    } else if (pick(bed, 3) == 0) {
        place->kind = some_kind(bed, kinds);
        static_order_change(&bed->line, &place->rank, place->kind);
    } else if (pick(bed, 4) >= grows) {
        static_order_remove(&bed->line, &place->rank);
        place->kind = ORDER_NONE;
    }
}

static void look(struct bed *bed, uint32_t kinds) {
    static uint64_t mask[64];
    uint32_t trait = pick(bed, 4) == 0 ? ORDER_NONE
                     : pick(bed, 2)    ? pick(bed, 4)
                                       : 4 + pick(bed, kinds);
    uint32_t after = pick(bed, JOBS);
    bool from_first = pick(bed, 4) == 0 || bed->jobs[after].kind == ORDER_NONE;
    const struct index_rank *behind = from_first ? NULL : &bed->jobs[after].rank;
    memset(mask, 0, sizeof mask);
    if (trait != ORDER_NONE)
        mask[trait / 64] = UINT64_C(1) << trait % 64;
    uint32_t expected = find_next(bed, behind, trait);
    struct order_place found;
    bool any = static_order_next(&bed->line, behind, trait == ORDER_NONE ? NULL : mask, &found);
    cr_assert_eq(any, expected != ORDER_NONE);
    if (any)
        cr_assert(found.rank.job == expected && found.kind == bed->jobs[expected].kind);
    if (trait != ORDER_NONE)
        cr_assert_eq(static_order_has(&bed->line, trait),
                     find_next(bed, NULL, trait) != ORDER_NONE);
}

/* It fills and empties by turns. */
Test(static_order, finds_what_a_look_at_all_finds) {
    static struct bed bed;
    uint32_t kinds = 0;
    bed.rng = rng_create(1, 0, "lineup");
    for (uint32_t i = 0; i < JOBS; i++)
        bed.jobs[i].kind = ORDER_NONE;
    some_kind(&bed, &kinds);
    for (uint32_t round = 0; round < 60000; round++) {
        change_one(&bed, round / 10000 % 2 ? 0 : 3, &kinds);
        if (round % 10 == 0)
            look(&bed, kinds);
    }
    for (uint32_t i = 0; i < JOBS; i++)
        if (bed.jobs[i].kind != ORDER_NONE)
            static_order_remove(&bed.line, &bed.jobs[i].rank);
    struct order_place none;
    cr_expect(bed.line.count == 0 && !static_order_next(&bed.line, NULL, NULL, &none));
    cr_expect_eq(kinds, KINDS);
    static_order_finish(&bed.line);
    gsl_rng_free(bed.rng);
}
