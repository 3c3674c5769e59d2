/* Filling of power: cases by hand, that of POWER.md 20.6 among them; random trees of domains
   against a filling of job by job that finds each x by bisection in reals, and what must not change
   x. */
#include "base/rng.h"
#include "cluster/power_fill.h"

#include <criterion/criterion.h>
#include <math.h>

#define WATT     1000000000LL
#define DOMAINS  6
#define GROUPS   8
#define JOBS     3 /* of a group, at most */
#define LAST_BIT 0x1p-52

static void expect_x(const struct fill_group *group, double x0, double x1, double x2) {
    const double wanted[FILL_STAGES] = {x0, x1, x2};
    for (int stage = 0; stage < FILL_STAGES; stage++)
        cr_expect(group->x[stage] <= wanted[stage] &&
                      group->x[stage] > wanted[stage] - 2 * LAST_BIT,
                  "stage %d has x = %.17g, not %.17g", stage, group->x[stage], wanted[stage]);
}

/* 100 W of the nodes, 2 free GPUs of 50 W; 2 GPUs may rise from 160 to 400 W and 4 from 160 to 250
   W; 1,500 W in all: x = 17/42, which are 1800/7 and 1375/7 W. */
Test(power_fill, by_hand) {
    struct fill_domain cluster = {.cap_nw = 1500 * WATT, .fixed_nw = 200 * WATT};
    const struct fill_part jobs = {0, 6 * 160 * WATT, {(2 * 240 + 4 * 90) * WATT}};
    struct fill_group all = {.parts = &jobs, .part_count = 1};
    power_fill(&cluster, 1, &all, 1);
    expect_x(&all, 17.0 / 42, 0, 0);
    cr_expect(all.has_stopped);
    cr_expect_eq(power_fill_total_nw(&cluster, 0, &all, 1), 1500 * WATT);
    cr_expect_eq(160 * WATT + power_fill_rise_nw(240 * WATT, all.x[0]), 257142857142);
    cr_expect_eq(160 * WATT + power_fill_rise_nw(90 * WATT, all.x[0]), 196428571428);
    /* with all at want they draw 2,000 W, which is no less than is there; no jobs, no x */
    cluster.cap_nw = 2000 * WATT;
    power_fill(&cluster, 1, &all, 1);
    expect_x(&all, 1, 1, 1);
    cr_expect(!all.has_stopped && power_fill_total_nw(&cluster, 0, &all, 1) == 2000 * WATT);
    cluster.cap_nw = FILL_NO_CAP;
    power_fill(&cluster, 1, &all, 1);
    expect_x(&all, 1, 1, 1);
    power_fill(&cluster, 1, NULL, 0);
    cr_expect_eq(power_fill_total_nw(&cluster, 0, NULL, 0), 200 * WATT);
}

/* sla rises by 200 W in the first stage, best_effort by 100 W in the second, from 100 and 50 W
   beside 100 W: 250 W are left of 500 W, 100 W of 350 W. */
Test(power_fill, by_class) {
    struct fill_domain cluster = {.cap_nw = 500 * WATT, .fixed_nw = 100 * WATT};
    const struct fill_part sla = {0, 100 * WATT, {200 * WATT}},
                           best_effort = {0, 50 * WATT, {0, 100 * WATT}};
    struct fill_group groups[] = {{.parts = &best_effort, .part_count = 1},
                                  {.parts = &sla, .part_count = 1}};
    power_fill(&cluster, 1, groups, 2);
    expect_x(&groups[1], 1, 0.5, 0);
    expect_x(&groups[0], 1, 0.5, 0);
    cluster.cap_nw = 350 * WATT;
    power_fill(&cluster, 1, groups, 2);
    expect_x(&groups[1], 0.5, 0, 0);
    cr_expect_eq(groups[0].x[1], 0);
    cr_expect_eq(power_fill_total_nw(&cluster, 0, groups, 2), 350 * WATT);
}

/* Jobs of flex 0 rise by 80 W, the others by 40 W to flexlo and then by 60 W; 95, 90 and 135 W are
   left. */
Test(power_fill, by_flex) {
    struct fill_domain cluster = {.fixed_nw = 10 * WATT};
    const struct fill_part firm = {0, 60 * WATT, {80 * WATT}},
                           flexible = {0, 40 * WATT, {0, 40 * WATT, 60 * WATT}};
    struct fill_group groups[] = {{.parts = &firm, .part_count = 1},
                                  {.parts = &flexible, .part_count = 1}};
    static const struct {
        int64_t cap_w;
        double x[FILL_STAGES];
    } cases[] = {{150, {0.5, 0, 0}}, {200, {1, 0.25, 0}}, {245, {1, 1, 0.25}}, {290, {1, 1, 1}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cluster.cap_nw = cases[i].cap_w * WATT;
        power_fill(&cluster, 1, groups, 2);
        expect_x(&groups[1], cases[i].x[0], cases[i].x[1], cases[i].x[2]);
        cr_expect_eq(power_fill_total_nw(&cluster, 0, groups, 2), cases[i].cap_w * WATT);
    }
}

/* A rack of 250 W, 20 of them fixed, in a cluster of 1,000 W, 100 of them fixed with the 20. The
   first group is in the rack, 100 to 300 W, the second outside, 100 to 700 W: the rack is full at x
   = 130/200, then the second goes on to (1000 - 100 - 230 - 100) / 600 = 0.95. */
Test(power_fill, domain_inside_a_domain) {
    struct fill_domain domains[] = {{.cap_nw = 1000 * WATT, .fixed_nw = 100 * WATT},
                                    {.cap_nw = 250 * WATT, .fixed_nw = 20 * WATT}};
    const struct fill_part inside[] = {{0, 100 * WATT, {200 * WATT}},
                                       {1, 100 * WATT, {200 * WATT}}},
                           outside = {0, 100 * WATT, {600 * WATT}},
                           both[] = {{0, 60 * WATT, {120 * WATT}}, {1, 15 * WATT, {30 * WATT}}};
    struct fill_group groups[] = {{.parts = inside, .part_count = 2},
                                  {.parts = &outside, .part_count = 1},
                                  {.parts = both, .part_count = 2}};
    power_fill(domains, 2, groups, 2);
    expect_x(&groups[0], 0.65, 0, 0);
    expect_x(&groups[1], 0.95, 0, 0);
    cr_expect(power_fill_total_nw(domains, 0, groups, 2) == 1000 * WATT &&
              power_fill_total_nw(domains, 1, groups, 2) == 250 * WATT);
    /* a third with a quarter of its GPUs in the rack stops with the first, at (250 - 135) / 230 =
       0.5; the second goes on to (1000 - 360 - 160) / 600 */
    power_fill(domains, 2, groups, 3);
    expect_x(&groups[0], 0.5, 0, 0);
    expect_x(&groups[2], 0.5, 0, 0);
    expect_x(&groups[1], 0.8, 0, 0);
    /* the cluster is full first, and holds back all: (500 - 360) / 920 */
    domains[0].cap_nw = 500 * WATT;
    power_fill(domains, 2, groups, 3);
    for (int g = 0; g < 3; g++)
        expect_x(&groups[g], 140.0 / 920, 0, 0);
}

/* Above its cap at lo, or by what is fixed alone, a rack holds its own jobs at lo in all stages;
   the others have all that the cluster can give. A cluster above its cap holds all there. At its
   cap exactly nobody rises; in a stage where nobody would it is not full. */
Test(power_fill, above_the_cap) {
    struct fill_domain domains[] = {{.cap_nw = 1000 * WATT, .fixed_nw = 100 * WATT},
                                    {.cap_nw = 119 * WATT, .fixed_nw = 20 * WATT}};
    const struct fill_part inside[] = {{0, 100 * WATT, {200 * WATT, 0, 9 * WATT}},
                                       {1, 100 * WATT, {200 * WATT, 0, 9 * WATT}}},
                           outside = {0, 100 * WATT, {600 * WATT, 50 * WATT}};
    struct fill_group groups[] = {{.parts = inside, .part_count = 2},
                                  {.parts = &outside, .part_count = 1}};
    static const int64_t caps_w[] = {119, 19, 0};
    for (int i = 0; i < 3; i++) {
        domains[1].cap_nw = caps_w[i] * WATT;
        power_fill(domains, 2, groups, 2);
        expect_x(&groups[0], 0, 0, 0);
        expect_x(&groups[1], 1, 1, 1);
        cr_expect(groups[0].has_stopped && !groups[1].has_stopped);
        cr_expect_eq(power_fill_total_nw(domains, 1, groups, 2), 120 * WATT);
    }
    /* the rack is at its cap after the first stage, and nobody in it would rise in the second */
    domains[0].cap_nw = 1200 * WATT;
    domains[1].cap_nw = 320 * WATT;
    power_fill(domains, 2, groups, 2);
    expect_x(&groups[0], 1, 1, 0);
    expect_x(&groups[1], 1, 1, 1);
    domains[0].cap_nw = 299 * WATT;
    power_fill(domains, 2, groups, 2);
    for (int g = 0; g < 2; g++)
        expect_x(&groups[g], 0, 0, 0);
    domains[0].cap_nw = 300 * WATT;
    power_fill(domains, 2, groups, 2);
    for (int g = 0; g < 2; g++)
        expect_x(&groups[g], 0, 0, 0);
}

/* Down at once, up only by two steps or to the end. */
Test(power_fill, steps) {
    static const struct {
        uint32_t step;
        double x;
        uint32_t steps, next;
    } cases[] = {{32, 0.5, 64, 32},
                 {32, 0.5 - LAST_BIT, 64, 31},
                 {32, 34.0 / 64 - LAST_BIT, 64, 32},
                 {32, 34.0 / 64, 64, 34},
                 {32, 35.9 / 64, 64, 35},
                 {32, 0, 64, 0},
                 {62, 63.9 / 64, 64, 62},
                 {63, 1, 64, 64},
                 {62, 1, 64, 64},
                 {64, 1, 64, 64},
                 {64, 1 - LAST_BIT, 64, 63},
                 {0, 1.9 / 64, 64, 0},
                 {0, 1, 1, 1},
                 {1, 1 - LAST_BIT, 1, 0},
                 {5, 0.3, 10, 2}, /* 0.3, as it is, is below 3/10 */
                 {0, 1, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(power_fill_step(cases[i].step, cases[i].x, cases[i].steps), cases[i].next,
                     "case %zu", i);
}

/* --- at random --- */

struct tree {
    uint32_t domain_count, group_count, job_count[GROUPS];
    uint32_t parent[DOMAINS];
    struct fill_domain domains[DOMAINS];
    struct fill_part parts[GROUPS][DOMAINS];
    struct fill_part job_parts[GROUPS][JOBS][DOMAINS]; /* by domain; no GPUs there: all 0 */
    bool counts_in[GROUPS][DOMAINS];
    struct fill_group groups[GROUPS];
};

static int64_t draw_nw(gsl_rng *rng, double most_w) {
    return (int64_t)(most_w * 1e9 * gsl_rng_uniform(rng));
}

/* A job has GPUs in one or two domains, and counts in all around them. */
static void draw_group(struct tree *tree, uint32_t g, gsl_rng *rng) {
    uint32_t at[2], first = (uint32_t)gsl_rng_uniform_int(rng, FILL_STAGES);
    for (int i = 0; i < 2; i++)
        at[i] = (uint32_t)gsl_rng_uniform_int(rng, tree->domain_count);
    bool spread = gsl_rng_uniform_int(rng, 3) == 0, rises_twice = gsl_rng_uniform_int(rng, 3) == 0;
    tree->job_count[g] = 1 + (uint32_t)gsl_rng_uniform_int(rng, JOBS);
    for (uint32_t j = 0; j < tree->job_count[g]; j++)
        for (int i = 0; i < 1 + spread; i++) {
            int64_t lo_nw = draw_nw(rng, 200), rise_nw[FILL_STAGES] = {0};
            for (int s = (int)first; s < FILL_STAGES && s <= (int)first + rises_twice; s++)
                rise_nw[s] = draw_nw(rng, 400);
            for (uint32_t d = at[i];; d = tree->parent[d]) {
                struct fill_part *job = &tree->job_parts[g][j][d];
                tree->counts_in[g][d] = true;
                job->lo_nw += lo_nw;
                for (int s = 0; s < FILL_STAGES; s++)
                    job->rise_nw[s] += rise_nw[s];
                if (d == 0)
                    break;
            }
        }
}

static void sum_up(struct tree *tree) {
    for (uint32_t g = 0; g < tree->group_count; g++) {
        tree->groups[g] = (struct fill_group){.parts = tree->parts[g]};
        for (uint32_t d = 0; d < tree->domain_count; d++) {
            struct fill_part part = {.domain = d};
            for (uint32_t j = 0; j < tree->job_count[g]; j++) {
                part.lo_nw += tree->job_parts[g][j][d].lo_nw;
                for (int s = 0; s < FILL_STAGES; s++)
                    part.rise_nw[s] += tree->job_parts[g][j][d].rise_nw[s];
            }
            if (tree->counts_in[g][d])
                tree->parts[g][tree->groups[g].part_count++] = part;
        }
    }
}

static void draw_tree(struct tree *tree, gsl_rng *rng) {
    *tree = (struct tree){.domain_count = 1 + (uint32_t)gsl_rng_uniform_int(rng, DOMAINS),
                          .group_count = 1 + (uint32_t)gsl_rng_uniform_int(rng, GROUPS)};
    for (uint32_t d = 1; d < tree->domain_count; d++)
        tree->parent[d] = (uint32_t)gsl_rng_uniform_int(rng, d);
    for (uint32_t d = tree->domain_count; d-- > 0;) {
        tree->domains[d].fixed_nw += draw_nw(rng, 300);
        if (d > 0)
            tree->domains[tree->parent[d]].fixed_nw += tree->domains[d].fixed_nw;
    }
    for (uint32_t g = 0; g < tree->group_count; g++)
        draw_group(tree, g, rng);
    sum_up(tree);
    for (uint32_t d = 0; d < tree->domain_count; d++) {
        double lo_nw = (double)tree->domains[d].fixed_nw, rise_nw = 0;
        for (uint32_t g = 0; g < tree->group_count; g++)
            for (uint32_t j = 0; j < tree->job_count[g]; j++) {
                const struct fill_part *job = &tree->job_parts[g][j][d];
                lo_nw += (double)job->lo_nw;
                rise_nw += (double)(job->rise_nw[0] + job->rise_nw[1] + job->rise_nw[2]);
            }
        tree->domains[d].cap_nw =
            gsl_rng_uniform_int(rng, 5) == 0
                ? FILL_NO_CAP
                : (int64_t)fmax(0, lo_nw + (1.3 * gsl_rng_uniform(rng) - 0.1) * rise_nw);
    }
}

struct naive {
    const struct tree *tree;
    double x[GROUPS][JOBS][FILL_STAGES];
    bool stopped[GROUPS][JOBS];
};

/* Of a domain, if those that have not stopped are at x in a stage. */
static long double naive_total(const struct naive *n, uint32_t d, int stage, double x) {
    long double total = n->tree->domains[d].fixed_nw;
    for (uint32_t g = 0; g < n->tree->group_count; g++)
        for (uint32_t j = 0; j < n->tree->job_count[g]; j++) {
            const struct fill_part *job = &n->tree->job_parts[g][j][d];
            total += job->lo_nw;
            for (int s = 0; s < FILL_STAGES; s++) {
                double at = s == stage && !n->stopped[g][j] ? x : n->x[g][j][s];
                total += (long double)job->rise_nw[s] * at;
            }
        }
    return total;
}

static bool is_above(const struct naive *n, uint32_t d, int stage, double x) {
    return naive_total(n, d, stage, x) > n->tree->domains[d].cap_nw;
}

/* Whether a domain that could hold its jobs at `from` cannot at x. */
static bool is_over(const struct naive *n, int stage, const bool was_above[DOMAINS], double x) {
    for (uint32_t d = 0; d < n->tree->domain_count; d++)
        if (!was_above[d] && is_above(n, d, stage, x))
            return true;
    return false;
}

static void stop_jobs_of(struct naive *n, uint32_t d, int stage, double x) {
    for (uint32_t g = 0; g < n->tree->group_count; g++)
        for (uint32_t j = 0; j < n->tree->job_count[g]; j++)
            if (n->tree->counts_in[g][d] && !n->stopped[g][j]) {
                n->stopped[g][j] = true;
                n->x[g][j][stage] = x;
            }
}

static void fill_naively(struct naive *n, const struct tree *tree) {
    *n = (struct naive){.tree = tree};
    bool done[DOMAINS] = {false};
    for (uint32_t d = 0; d < tree->domain_count; d++)
        done[d] = is_above(n, d, -1, 0);
    for (uint32_t d = 0; d < tree->domain_count; d++)
        if (done[d])
            stop_jobs_of(n, d, 0, 0);
    for (int stage = 0; stage < FILL_STAGES; stage++) {
        while (is_over(n, stage, done, 1)) {
            double low = 0, high = 1;
            for (int i = 0; i < 60; i++) {
                double middle = (low + high) / 2;
                *(is_over(n, stage, done, middle) ? &high : &low) = middle;
            }
            bool full[DOMAINS];
            for (uint32_t d = 0; d < tree->domain_count; d++)
                full[d] = !done[d] && is_above(n, d, stage, high + 1e-9);
            for (uint32_t d = 0; d < tree->domain_count; d++)
                if (full[d]) {
                    stop_jobs_of(n, d, stage, low);
                    done[d] = true;
                }
        }
        for (uint32_t g = 0; g < tree->group_count; g++)
            for (uint32_t j = 0; j < tree->job_count[g]; j++)
                if (!n->stopped[g][j])
                    n->x[g][j][stage] = 1;
    }
}

/* What the jobs draw in whole nanowatts holds the cap, too, in every domain not above it at lo. */
static void check_draws(const struct tree *tree) {
    for (uint32_t d = 0; d < tree->domain_count; d++) {
        int64_t lo_nw = tree->domains[d].fixed_nw, sum_nw = tree->domains[d].fixed_nw,
                total_nw = power_fill_total_nw(tree->domains, d, tree->groups, tree->group_count);
        for (uint32_t g = 0; g < tree->group_count; g++)
            for (uint32_t j = 0; j < tree->job_count[g]; j++) {
                const struct fill_part *job = &tree->job_parts[g][j][d];
                lo_nw += job->lo_nw;
                sum_nw += job->lo_nw;
                for (int s = 0; s < FILL_STAGES; s++)
                    sum_nw += power_fill_rise_nw(job->rise_nw[s], tree->groups[g].x[s]);
            }
        cr_assert(sum_nw <= total_nw && sum_nw > total_nw - GROUPS * JOBS * FILL_STAGES);
        cr_assert(total_nw <= (lo_nw > tree->domains[d].cap_nw ? lo_nw : tree->domains[d].cap_nw));
    }
}

static void expect_same_x(const struct tree *tree, const struct tree *other) {
    for (uint32_t g = 0; g < tree->group_count; g++)
        for (int s = 0; s < FILL_STAGES; s++)
            cr_assert_eq(tree->groups[g].x[s], other->groups[g].x[s]);
}

static void fill(struct tree *tree) {
    power_fill(tree->domains, tree->domain_count, tree->groups, tree->group_count);
}

Test(power_fill, random_trees) {
    gsl_rng *rng = rng_create(41, 0, "power_fill");
    for (int round = 0; round < 3000; round++) {
        struct tree tree;
        struct naive naive;
        draw_tree(&tree, rng);
        fill(&tree);
        fill_naively(&naive, &tree);
        for (uint32_t g = 0; g < tree.group_count; g++)
            for (uint32_t j = 0; j < tree.job_count[g]; j++)
                for (int s = 0; s < FILL_STAGES; s++)
                    cr_assert_float_eq(tree.groups[g].x[s], naive.x[g][j][s], 1e-9,
                                       "tree %d, group %u, stage %d: %.17g, not %.17g", round, g, s,
                                       tree.groups[g].x[s], naive.x[g][j][s]);
        check_draws(&tree);
    }
    gsl_rng_free(rng);
}

/* All powers three times as high; a domain without a cap around all; groups in another order. */
Test(power_fill, x_stays) {
    gsl_rng *rng = rng_create(41, 1, "power_fill");
    for (int round = 0; round < 1000; round++) {
        struct tree tree, other;
        draw_tree(&tree, rng);
        fill(&tree);
        other = tree;
        for (uint32_t d = 0; d < tree.domain_count; d++) {
            other.domains[d].fixed_nw *= 3;
            other.domains[d].cap_nw *= tree.domains[d].cap_nw == FILL_NO_CAP ? 1 : 3;
        }
        for (uint32_t g = 0; g < tree.group_count; g++)
            for (uint32_t j = 0; j < tree.job_count[g]; j++)
                for (uint32_t d = 0; d < tree.domain_count; d++) {
                    other.job_parts[g][j][d].lo_nw *= 3;
                    for (int s = 0; s < FILL_STAGES; s++)
                        other.job_parts[g][j][d].rise_nw[s] *= 3;
                }
        sum_up(&other);
        fill(&other);
        expect_same_x(&tree, &other);
        other = tree;
        if (tree.domain_count < DOMAINS) {
            other.domains[other.domain_count] = (struct fill_domain){.cap_nw = FILL_NO_CAP};
            for (uint32_t g = 0; g < tree.group_count; g++) {
                other.counts_in[g][other.domain_count] = true;
                for (uint32_t j = 0; j < tree.job_count[g]; j++)
                    other.job_parts[g][j][other.domain_count] = tree.job_parts[g][j][0];
            }
            other.domain_count++;
            sum_up(&other);
            fill(&other);
            expect_same_x(&tree, &other);
        }
        other = tree;
        for (uint32_t g = 0; g < tree.group_count; g++)
            other.groups[g] = tree.groups[tree.group_count - 1 - g];
        fill(&other);
        for (uint32_t g = 0; g < tree.group_count; g++)
            for (int s = 0; s < FILL_STAGES; s++)
                cr_assert_eq(other.groups[g].x[s], tree.groups[tree.group_count - 1 - g].x[s]);
    }
    gsl_rng_free(rng);
}

/* Without other domains, in stages as they may be: nobody draws less under a higher cap. */
Test(power_fill, more_power_takes_from_nobody) {
    gsl_rng *rng = rng_create(41, 2, "power_fill");
    for (int round = 0; round < 1000; round++) {
        struct tree tree;
        draw_tree(&tree, rng);
        for (uint32_t d = 1; d < tree.domain_count; d++)
            tree.domains[d].cap_nw = FILL_NO_CAP;
        tree.domains[0].cap_nw = draw_nw(rng, 6000);
        fill(&tree);
        struct tree more = tree;
        more.domains[0].cap_nw += draw_nw(rng, round % 2 ? 600 : 1e-8);
        fill(&more);
        for (uint32_t g = 0; g < tree.group_count; g++)
            for (int s = 0; s < FILL_STAGES; s++)
                cr_assert_geq(more.groups[g].x[s], tree.groups[g].x[s]);
    }
    gsl_rng_free(rng);
}

/* One group in one domain: what power_fill and power_fill_step give says whether a step is kept. */
Test(power_fill, keeps_its_step) {
    gsl_rng *rng = rng_create(41, 3, "power_fill");
    int kept = 0;
    for (int round = 0; round < 20000; round++) {
        uint32_t steps = 1 + (uint32_t)gsl_rng_uniform_int(rng, round % 2 ? 4 : 1024);
        struct fill_part part = {.lo_nw = draw_nw(rng, 100)};
        int stage = round % FILL_STAGES;
        part.rise_nw[stage] = round % 7 ? draw_nw(rng, 1000) : (int64_t)(steps * (uint64_t)round);
        struct fill_domain domain = {.fixed_nw = draw_nw(rng, 50)};
        double x = round % 5 ? 1.2 * gsl_rng_uniform(rng) - 0.1
                             : (double)gsl_rng_uniform_int(rng, steps + 1) / steps;
        domain.cap_nw =
            domain.fixed_nw + part.lo_nw + (int64_t)floor(x * (double)part.rise_nw[stage]);
        struct fill_group anew = {.parts = &part, .part_count = 1}, group = anew;
        power_fill(&domain, 1, &anew, 1);
        uint32_t step = (uint32_t)fmax(
                     0, fmin(steps, floor(x * steps) + (double)gsl_rng_uniform_int(rng, 5) - 2)),
                 next = power_fill_step(step, anew.x[stage], steps);
        bool keeps = power_fill_keeps(&domain, &group, stage, step, steps);
        cr_assert(keeps ? next == step && group.x[stage] == (double)step / steps
                        : next != step || anew.x[stage] == 0,
                  "round %d: %u of %u, then %u", round, step, steps, next);
        kept += keeps;
    }
    cr_expect(kept > 5000 && kept < 15000, "%d are kept", kept);
    gsl_rng_free(rng);
}
