/* What a mixture of two list policies is made of, and in what two are alike: one difference at a
   time, and all mixtures of sides that have some callbacks and others not
   (docs/howto/ablate.md). */
#include "policy/list/hybrid.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stddef.h>

static void some_key(const struct easim_pass *pass, const struct easim_job *job, double best,
                     struct easim_key *ret) {
    (void)pass, (void)job, (void)best, (void)ret;
}

static void some_minimise(const struct easim_pass *pass, struct easim_objective *ret) {
    (void)pass, (void)ret;
}

static double some_factor(const struct easim_pass *pass, uint32_t user) {
    (void)pass, (void)user;
    return 1;
}

static bool some_allow(const struct easim_pass *pass, const struct easim_job *job,
                       uint32_t config) {
    (void)pass, (void)job, (void)config;
    return true;
}

static void some_begin(const struct easim_pass *pass) {
    (void)pass;
}

static bool some_room(const struct easim_pass *pass, const struct easim_job *job) {
    (void)pass, (void)job;
    return true;
}

static double some_least(const struct easim_pass *pass, const struct easim_job *job) {
    (void)pass, (void)job;
    return 1;
}

static uint32_t some_level(const struct easim_pass *pass) {
    (void)pass;
    return 0;
}

enum callback { KEY, MINIMISE, URGENT, FACTOR, START, RESIZE, BEGIN, ROOM, LEAST, END, CALLBACKS };

/* A side with the callbacks of a mask. */
struct side {
    struct easim_list list;
    struct easim_policy policy;
    struct policy_params params;
    double own[2];
};

static const struct easim_param two_params[] = {
    {"p", "", "", EASIM_PARAM_REAL, 0, 0, 9, 1, false, NULL, EASIM_ROLE_NONE},
    {"q", "", "", EASIM_PARAM_REAL, sizeof(double), 0, 9, 1, false, NULL, EASIM_ROLE_NONE}};

static void make_side(struct side *side, unsigned callbacks) {
    *side = (struct side){.own = {1, 2}};
    side->list =
        (struct easim_list){.struct_size = sizeof side->list,
                            .key = callbacks >> KEY & 1 ? some_key : NULL,
                            .minimise = callbacks >> MINIMISE & 1 ? some_minimise : NULL,
                            .minimise_urgent = callbacks >> URGENT & 1 ? some_minimise : NULL,
                            .user_factor = callbacks >> FACTOR & 1 ? some_factor : NULL,
                            .allow_start = callbacks >> START & 1 ? some_allow : NULL,
                            .allow_resize = callbacks >> RESIZE & 1 ? some_allow : NULL,
                            .begin = callbacks >> BEGIN & 1 ? some_begin : NULL,
                            .make_room = callbacks >> ROOM & 1 ? some_room : NULL,
                            .resize_least = callbacks >> LEAST & 1 ? some_least : NULL,
                            .end = callbacks >> END & 1 ? some_begin : NULL};
    side->policy = (struct easim_policy){EASIM_POLICY_ABI,
                                         .name = "side",
                                         .params = two_params,
                                         .param_count = 2,
                                         .params_size = sizeof side->own,
                                         .capabilities = EASIM_CAPABILITY_FREQUENCY};
    side->policy.list = &side->list;
    side->params = (struct policy_params){.policy = &side->policy, .own = side->own};
    side->params.list = (struct list_options){.resize_gain = 0.1, .half_life_s = INFINITY};
}

/* The components in which two sides are not alike, as a mask: the same from both sides. */
static unsigned unlike(const struct side *a, const struct side *b) {
    unsigned found[2] = {0, 0};
    for (int c = 0; c < COMPONENT_COUNT; c++) {
        found[0] |= hybrid_same(&a->params, &b->params, (enum component)c) ? 0 : 1u << c;
        found[1] |= hybrid_same(&b->params, &a->params, (enum component)c) ? 0 : 1u << c;
    }
    cr_expect_eq(found[0], found[1], "%x, %x", found[0], found[1]);
    return found[0];
}

#define IN_KEY       (1u << COMPONENT_KEY)
#define IN_OBJECTIVE (1u << COMPONENT_OBJECTIVE)
#define IN_ADMISSION (1u << COMPONENT_ADMISSION)
#define IN_AGEING    (1u << COMPONENT_AGEING)
#define IN_RESIZE    (1u << COMPONENT_RESIZE)
#define IN_PREEMPT   (1u << COMPONENT_PREEMPTION)
#define IN_LIMITS    (1u << COMPONENT_POWER_LIMITS)

/* A callback that one side has and the other has not: the components that it belongs to. */
Test(hybrid_parts, one_callback) {
    static const unsigned belongs[CALLBACKS] = {[KEY] = IN_KEY | IN_ADMISSION | IN_AGEING,
                                                [MINIMISE] = IN_OBJECTIVE,
                                                [URGENT] = IN_OBJECTIVE,
                                                [FACTOR] = IN_KEY,
                                                [START] = IN_ADMISSION,
                                                [RESIZE] = IN_ADMISSION,
                                                [BEGIN] = IN_PREEMPT,
                                                [ROOM] = IN_PREEMPT,
                                                [LEAST] = IN_OBJECTIVE,
                                                [END] = IN_LIMITS};
    struct side with, without;
    for (int i = 0; i < CALLBACKS; i++) {
        make_side(&with, 1u << i);
        make_side(&without, 0);
        with.params.power_limits = without.params.power_limits = true;
        cr_expect_eq(unlike(&with, &with), 0, "%d", i);
        cr_expect_eq(unlike(&with, &without), belongs[i], "%d: %x", i, unlike(&with, &without));
    }
    with.params.power_limits = without.params.power_limits = false; /* it has nothing to limit */
    cr_expect_eq(unlike(&with, &without), 0);
}

static const struct easim_param flag = {"f", "",    "",   EASIM_PARAM_BOOL, 0, 0, 1,
                                        0,   false, NULL, EASIM_ROLE_NONE};

/* Parameters may matter to every callback, and to no option. */
Test(hybrid_parts, one_parameter) {
    const unsigned all = IN_KEY | IN_OBJECTIVE | IN_ADMISSION | IN_AGEING | IN_PREEMPT;
    struct side a, b;
    make_side(&a, (1u << CALLBACKS) - 1);
    make_side(&b, (1u << CALLBACKS) - 1);
    cr_expect_eq(unlike(&a, &b), 0);
    for (int i = 0; i < 2; i++) {
        b.own[i] += 1;
        cr_expect_eq(unlike(&a, &b), all, "%d: %x", i, unlike(&a, &b));
        a.params.power_limits = b.params.power_limits = true;
        cr_expect_eq(unlike(&a, &b), all | IN_LIMITS, "%d: %x", i, unlike(&a, &b));
        a.params.power_limits = b.params.power_limits = false;
        b.own[i] -= 1;
    }
    b.policy.param_count = 1; /* other parameters, though those that both have are equal */
    cr_expect_eq(unlike(&a, &b), all);
    a.policy.params = &flag; /* false, as is `strict`, the first of the host's parameters of b */
    a.policy.param_count = 1;
    a.own[0] = 0;
    b.policy.param_count = 0;
    cr_expect_eq(unlike(&a, &b), all);
    make_side(&b, 0);
    make_side(&a, 0);
    b.own[0] = 7; /* nobody reads it */
    cr_expect_eq(unlike(&a, &b), 0);
}

Test(hybrid_parts, one_option) {
    struct side a, b;
#define CHECK_UNLIKE(change, expected) \
    do { \
        make_side(&a, 1u << KEY); \
        make_side(&b, 1u << KEY); \
        change; \
        cr_expect_eq(unlike(&a, &b), expected, #change ": %x", unlike(&a, &b)); \
    } while (0)
    CHECK_UNLIKE(a.params.list.strict = true, IN_ADMISSION);
    CHECK_UNLIKE(a.params.list.half_life_s = 60, IN_KEY);
    CHECK_UNLIKE(a.params.list.round_s = 60, IN_PREEMPT);
    CHECK_UNLIKE(a.params.power_limits = true, IN_LIMITS);
    CHECK_UNLIKE(a.policy.capabilities = EASIM_CAPABILITY_POWER_CAP, IN_ADMISSION);
    CHECK_UNLIKE(a.policy.capabilities = EASIM_CAPABILITY_PREEMPT, 0);
    CHECK_UNLIKE(a.params.list.resize = true, IN_RESIZE);
    /* without resize nobody asks for the rest */
    CHECK_UNLIKE(a.params.list.shrink = true, 0);
    CHECK_UNLIKE(a.params.list.resize_gain = 0.2, 0);
    CHECK_UNLIKE(a.params.list.resize_interval_s = 9, 0);
#define BOTH_RESIZE a.params.list.resize = b.params.list.resize = true
    CHECK_UNLIKE(BOTH_RESIZE, 0);
    CHECK_UNLIKE((BOTH_RESIZE, a.params.list.shrink = true), IN_RESIZE);
    CHECK_UNLIKE((BOTH_RESIZE, a.params.list.resize_gain = 0.2), IN_RESIZE);
    CHECK_UNLIKE((BOTH_RESIZE, a.params.list.resize_interval_s = 9), IN_RESIZE);
}

static bool has(unsigned callbacks, enum callback which) {
    return callbacks >> which & 1;
}

/* Which callbacks a mixture has; callbacks[c]: those of the side that gives component c; either: of
   both sides together. */
static unsigned callbacks_of(const unsigned callbacks[COMPONENT_COUNT], unsigned either) {
    unsigned key = callbacks[COMPONENT_KEY], objective = callbacks[COMPONENT_OBJECTIVE],
             admission = callbacks[COMPONENT_ADMISSION], found = 0;
    unsigned preempts = callbacks[COMPONENT_PREEMPTION]; /* its key says who may displace */
    bool asks_preempts = has(preempts, KEY) && has(preempts, ROOM);
    found |= (unsigned)(has(key, KEY) || has(admission, KEY) || asks_preempts) << KEY;
    found |= 1u << MINIMISE | 1u << LEAST; /* which side answers is known when they are asked */
    found |= (unsigned)(has(objective, URGENT) || has(admission, URGENT)) << URGENT;
    found |= (unsigned)has(key, FACTOR) << FACTOR;
    found |= (unsigned)has(admission, START) << START | (unsigned)has(admission, RESIZE) << RESIZE;
    found |= either & (1u << BEGIN | 1u << END);
    found |= (unsigned)has(preempts, ROOM) << ROOM;
    return found;
}

static unsigned callbacks_in(const struct easim_list *list) {
    return (unsigned)!!list->key << KEY | (unsigned)!!list->minimise << MINIMISE |
           (unsigned)!!list->minimise_urgent << URGENT | (unsigned)!!list->user_factor << FACTOR |
           (unsigned)!!list->allow_start << START | (unsigned)!!list->allow_resize << RESIZE |
           (unsigned)!!list->begin << BEGIN | (unsigned)!!list->make_room << ROOM |
           (unsigned)!!list->resize_least << LEAST | (unsigned)!!list->end << END;
}

/* All mixtures of sides with one callback, all, or none. */
Test(hybrid_parts, callbacks) {
    for (unsigned i = 0; i < (CALLBACKS + 2) * (CALLBACKS + 2); i++) {
        unsigned kinds[2] = {i % (CALLBACKS + 2), i / (CALLBACKS + 2)}, callbacks[2];
        struct side sides[2];
        for (int side = 0; side < 2; side++) {
            callbacks[side] = kinds[side] < CALLBACKS    ? 1u << kinds[side]
                              : kinds[side] == CALLBACKS ? (1u << CALLBACKS) - 1
                                                         : 0;
            make_side(&sides[side], callbacks[side]);
        }
        for (unsigned mask = 0; mask < 1u << COMPONENT_COUNT; mask++) {
            struct hybrid hybrid;
            unsigned from[COMPONENT_COUNT];
            for (int c = 0; c < COMPONENT_COUNT; c++)
                from[c] = callbacks[mask >> c & 1];
            unsigned wanted = callbacks_of(from, callbacks[0] | callbacks[1]);
            hybrid_init(&hybrid, &sides[0].params, &sides[1].params, mask);
            cr_expect_eq(callbacks_in(hybrid.policy.list), wanted, "%u, %x: %x, not %x", i, mask,
                         callbacks_in(hybrid.policy.list), wanted);
        }
    }
}

/* A level for each pair of levels of the two; a side without levels has one. */
Test(hybrid_parts, levels) {
    static const uint32_t levels[][3] = {{0, 0, 1}, {2, 0, 2}, {0, 3, 3}, {2, 3, 6}, {3, 2, 6}};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        struct side sides[2];
        struct hybrid hybrid;
        for (int side = 0; side < 2; side++) {
            make_side(&sides[side], 0);
            sides[side].list.levels = levels[i][side];
            sides[side].list.level = levels[i][side] > 0 ? some_level : NULL;
        }
        hybrid_init(&hybrid, &sides[0].params, &sides[1].params, 0);
        cr_expect_eq(hybrid.list.levels, levels[i][2], "%u x %u: %u", levels[i][0], levels[i][1],
                     hybrid.list.levels);
    }
}

/* Options come from the side of their component; permissions are those of both, but for two. */
Test(hybrid_parts, options_and_capabilities) {
    const uint32_t cap = EASIM_CAPABILITY_POWER_CAP, parts = EASIM_CAPABILITY_FRACTIONAL_GPU,
                   limits = EASIM_CAPABILITY_FREQUENCY;
    struct side sides[2];
    make_side(&sides[0], 0);
    make_side(&sides[1], 0);
    sides[0].params.list = (struct list_options){true, false, false, 0.25, 10, 60, 100};
    sides[1].params.list = (struct list_options){false, true, true, 0.5, 20, 90, 200};
    sides[1].params.power_limits = true;
    for (unsigned mask = 0; mask < 1u << COMPONENT_COUNT; mask++) {
        struct hybrid hybrid;
        unsigned resize = mask >> COMPONENT_RESIZE & 1, admits = mask >> COMPONENT_ADMISSION & 1,
                 key = mask >> COMPONENT_KEY & 1;
        for (unsigned who = 0; who < 16; who++) { /* bits: cap of 0 and 1, parts of 0 and 1 */
            for (unsigned side = 0; side < 2; side++)
                sides[side].policy.capabilities =
                    (side ? limits | EASIM_CAPABILITY_RESIZE : EASIM_CAPABILITY_PREEMPT) |
                    (who >> side & 1 ? cap : 0) | (who >> 2 >> side & 1 ? parts : 0);
            hybrid_init(&hybrid, &sides[0].params, &sides[1].params, mask);
            cr_expect_eq(hybrid.policy.capabilities,
                         limits | EASIM_CAPABILITY_RESIZE | EASIM_CAPABILITY_PREEMPT |
                             (who >> admits & 1 ? cap : 0) | (who >> 2 == 3 ? parts : 0),
                         "%x, %x", mask, who);
        }
        const struct list_options *from = &sides[resize].params.list, *found = &hybrid.params.list;
        cr_expect(found->resize == from->resize && found->shrink == from->shrink &&
                      found->resize_gain == from->resize_gain &&
                      found->resize_interval_s == from->resize_interval_s,
                  "%x", mask);
        cr_expect(found->strict == (admits == 0) && hybrid.list.strict == (admits == 0), "%x",
                  mask);
        cr_expect_eq(found->half_life_s, key ? 200 : 100, "%x", mask);
        cr_expect_eq(found->round_s, mask >> COMPONENT_PREEMPTION & 1 ? 90 : 60, "%x", mask);
        cr_expect_eq(hybrid.params.power_limits, (mask >> COMPONENT_POWER_LIMITS & 1) == 1);
        for (unsigned c = 0; c < COMPONENT_COUNT; c++)
            cr_expect_eq(hybrid.from[c], mask >> c & 1);
    }
}

/* The states of both sides lie behind its own, aligned and apart, with nothing to spare. */
Test(hybrid_parts, states) {
    const size_t unit = _Alignof(max_align_t);
    for (size_t first = 0; first <= 2 * unit + 1; first++)
        for (size_t second = 0; second <= 2 * unit + 1; second++) {
            struct side a, b;
            struct hybrid hybrid;
            make_side(&a, 0);
            make_side(&b, 0);
            a.policy.state_size = first;
            b.policy.state_size = second;
            hybrid_init(&hybrid, &a.params, &b.params, 0);
            size_t at = hybrid.state_at[0], next = hybrid.state_at[1],
                   end = hybrid.policy.state_size;
            cr_expect(at == 2 * unit && next % unit == 0 && end % unit == 0);
            cr_expect(next >= at + first && next < at + first + unit, "%zu: %zu", first, next);
            cr_expect(end >= next + second && end < next + second + unit, "%zu: %zu", second, end);
        }
}
