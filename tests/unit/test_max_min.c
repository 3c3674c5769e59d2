/* Max-min fair rates: small cases by hand; 1,000 random ones, as jobs come and go, against a water
   that is raised by bisection, and against what makes rates max-min fair: who has less than its
   most is on a full link on which nobody has more (Bertsekas and Gallager, Data Networks, 6.5). */
#include "base/rng.h"
#include "cluster/max_min.h"

#include <criterion/criterion.h>
#include <math.h>

#define JOBS  12
#define LINKS 7

static void expect_rate(const struct max_min *links, uint32_t job, double rate) {
    cr_assert_float_eq(links->jobs[job].rate, rate, 1e-12 * (1 + rate), "job %u has %.17g, not %g",
                       job, links->jobs[job].rate, rate);
}

/* Two jobs that want 6 and 30 of 24: the first has 6, the second what is left. A third that wants
   12 has as much as the second: (24 - 6) / 2. It goes again, and all is as before. */
Test(max_min, one_link) {
    struct max_min links;
    max_min_init(&links, 3, 1);
    max_min_set_capacity(&links, 0, 24);
    const struct max_min_load load = {0, 1};
    max_min_add(&links, 0, 6, &load, 1);
    max_min_add(&links, 1, 30, &load, 1);
    cr_assert(max_min_is_changed(&links));
    max_min_settle(&links);
    cr_assert_not(max_min_is_changed(&links));
    cr_assert_eq(links.rates_changed.count, 2u);
    expect_rate(&links, 0, 6);
    expect_rate(&links, 1, 18);
    max_min_add(&links, 2, 12, &load, 1);
    max_min_settle(&links);
    cr_assert_eq(links.rates_changed.count, 2u, "the first keeps its rate");
    expect_rate(&links, 1, 9);
    expect_rate(&links, 2, 9);
    cr_assert_float_eq(max_min_load_of(&links, 0), 24, 1e-12);
    max_min_remove(&links, 2);
    max_min_settle(&links);
    expect_rate(&links, 0, 6);
    expect_rate(&links, 1, 18);
    max_min_finish(&links);
}

/* Uplinks of two leaves of different fill, 20 each. Job 0 has 4 GPUs below the first and 1 below
   the second, job 1 has 1 and 2, job 2 none and 3; all want 10 a GPU. All rise to 20 / 6 = 3.33,
   where the second leaf would be full with 6 x; the first is full at 20 / 5 = 4. So all three,
   which are on the second, stop at 10/3. Without job 2 the first leaf is full at 4 first, and holds
   both back; the second carries 4 + 8. */
Test(max_min, two_leaves) {
    struct max_min links;
    max_min_init(&links, 3, 2);
    max_min_set_capacity(&links, 0, 20);
    max_min_set_capacity(&links, 1, 20);
    max_min_add(&links, 0, 10, (struct max_min_load[]){{0, 4}, {1, 1}}, 2);
    max_min_add(&links, 1, 10, (struct max_min_load[]){{0, 1}, {1, 2}}, 2);
    max_min_add(&links, 2, 10, (struct max_min_load[]){{1, 3}}, 1);
    max_min_settle(&links);
    for (uint32_t job = 0; job < 3; job++)
        expect_rate(&links, job, 10.0 / 3);
    max_min_remove(&links, 2);
    max_min_settle(&links);
    expect_rate(&links, 0, 4);
    expect_rate(&links, 1, 4);
    cr_assert_float_eq(max_min_load_of(&links, 1), 12, 1e-11);
    max_min_finish(&links);
}

/* Two stages: job 0 is held back on link 0 at 2, so job 1 has 8 of link 1; job 2 shares link 0. */
Test(max_min, what_one_leaves_another_takes) {
    struct max_min links;
    max_min_init(&links, 3, 2);
    max_min_set_capacity(&links, 0, 4);
    max_min_set_capacity(&links, 1, 10);
    max_min_add(&links, 0, 100, (struct max_min_load[]){{0, 1}, {1, 1}}, 2);
    max_min_add(&links, 1, 100, (struct max_min_load[]){{1, 1}}, 1);
    max_min_add(&links, 2, 100, (struct max_min_load[]){{0, 1}}, 1);
    max_min_settle(&links);
    expect_rate(&links, 0, 2);
    expect_rate(&links, 1, 8);
    expect_rate(&links, 2, 2);
    max_min_finish(&links);
}

/* A job that has room has its most exactly, whatever rounding does to sums; without links, too. */
Test(max_min, most_is_exact) {
    struct max_min links;
    max_min_init(&links, 4, 1);
    max_min_set_capacity(&links, 0, 3 * 7 * 0.1);
    const struct max_min_load load = {0, 7};
    for (uint32_t job = 0; job < 3; job++)
        max_min_add(&links, job, 0.1, &load, 1);
    max_min_add(&links, 3, 0.7, NULL, 0);
    max_min_settle(&links);
    for (uint32_t job = 0; job < 3; job++)
        cr_assert(links.jobs[job].rate == 0.1);
    cr_assert(links.jobs[3].rate == 0.7);
    max_min_finish(&links);
}

/* A job that leaves and comes back between two looks is new; a link of no capacity lets nothing
   through. */
Test(max_min, odd_cases) {
    struct max_min links;
    max_min_init(&links, 2, 2);
    max_min_set_capacity(&links, 0, 5);
    max_min_add(&links, 0, 9, (struct max_min_load[]){{0, 2}}, 1);
    max_min_settle(&links);
    expect_rate(&links, 0, 2.5);
    max_min_remove(&links, 0);
    max_min_remove(&links, 0);
    max_min_add(&links, 0, 2, (struct max_min_load[]){{0, 2}}, 1);
    max_min_add(&links, 1, 3, (struct max_min_load[]){{1, 1}}, 1);
    max_min_settle(&links);
    cr_assert_eq(links.rates_changed.count, 2u);
    expect_rate(&links, 0, 2);
    expect_rate(&links, 1, 0);
    max_min_remove(&links, 0);
    max_min_remove(&links, 1);
    max_min_settle(&links);
    cr_assert_eq(links.rates_changed.count, 0u);
    cr_assert(links.links[0].wanted == 0 && links.links[0].users.count == 0);
    max_min_finish(&links);
}

/* --- at random --- */

struct naive {
    double capacity[LINKS], most[JOBS], rate[JOBS];
    uint32_t weight[JOBS][LINKS];
    bool here[JOBS], rises[JOBS];
};

static double naive_load(const struct naive *n, uint32_t link, double level) {
    double load = 0;
    for (uint32_t j = 0; j < JOBS; j++)
        if (n->here[j])
            load += n->weight[j][link] * (n->rises[j] ? fmin(level, n->most[j]) : n->rate[j]);
    return load;
}

static bool naive_fits(const struct naive *n, double level) {
    for (uint32_t l = 0; l < LINKS; l++)
        if (naive_load(n, l, level) > n->capacity[l])
            return false;
    return true;
}

/* The highest common level at which all that rise fit, by bisection; then those stop which are on a
   link that a little more would fill, and again. */
static void naive_solve(struct naive *n) {
    uint32_t rising = 0;
    for (uint32_t j = 0; j < JOBS; j++)
        rising += n->rises[j] = n->here[j];
    while (rising > 0) {
        double low = 0, high = 1e4;
        for (int i = 0; i < 200; i++)
            *(naive_fits(n, (low + high) / 2) ? &low : &high) = (low + high) / 2;
        bool full[LINKS];
        for (uint32_t l = 0; l < LINKS; l++)
            full[l] = naive_load(n, l, low * (1 + 1e-9) + 1e-9) > n->capacity[l];
        for (uint32_t j = 0; j < JOBS; j++) {
            bool stops = n->most[j] <= low;
            for (uint32_t l = 0; l < LINKS; l++)
                stops = stops || (full[l] && n->weight[j][l] > 0);
            if (!n->rises[j] || !stops)
                continue;
            n->rate[j] = fmin(low, n->most[j]);
            n->rises[j] = false;
            rising--;
        }
    }
}

static void draw_links(struct naive *n, gsl_rng *rng) {
    for (uint32_t l = 0; l < LINKS; l++)
        n->capacity[l] = gsl_rng_uniform_int(rng, 5) == 0 ? 1e4 : 1 + 40 * gsl_rng_uniform(rng);
    for (uint32_t j = 0; j < JOBS; j++)
        n->here[j] = false;
}

static void draw_job(struct naive *n, uint32_t job, gsl_rng *rng) {
    n->most[job] = gsl_rng_uniform_int(rng, 4) == 0 ? 3.7 : 0.1 + 9 * gsl_rng_uniform(rng);
    for (uint32_t l = 0; l < LINKS; l++)
        n->weight[job][l] =
            gsl_rng_uniform_int(rng, 3) == 0 ? 1 + (uint32_t)gsl_rng_uniform_int(rng, 16) : 0;
}

static void add_drawn(struct max_min *links, const struct naive *n, uint32_t job) {
    struct max_min_load loads[LINKS];
    uint32_t count = 0;
    for (uint32_t l = 0; l < LINKS; l++)
        if (n->weight[job][l] > 0)
            loads[count++] = (struct max_min_load){l, n->weight[job][l]};
    max_min_add(links, job, n->most[job], loads, count);
}

/* No link carries more than it can; who has less than its most is on a full link and has the most
   there. */
static void expect_fair(const struct max_min *links, const struct naive *n) {
    for (uint32_t l = 0; l < LINKS; l++)
        cr_assert(max_min_load_of(links, l) <= n->capacity[l] * (1 + 1e-9));
    for (uint32_t j = 0; j < JOBS; j++) {
        bool held_back = false;
        for (uint32_t l = 0; l < LINKS && n->here[j]; l++) {
            bool full = max_min_load_of(links, l) >= n->capacity[l] * (1 - 1e-9), first = true;
            for (uint32_t i = 0; i < JOBS; i++)
                first = first && !(n->here[i] && n->weight[i][l] > 0 &&
                                   links->jobs[i].rate > links->jobs[j].rate * (1 + 1e-9));
            held_back = held_back || (n->weight[j][l] > 0 && full && first);
        }
        cr_assert(!n->here[j] || links->jobs[j].rate == n->most[j] ||
                  (links->jobs[j].rate < n->most[j] && held_back));
    }
}

static void expect_naive(const struct max_min *links, const struct naive *n) {
    for (uint32_t j = 0; j < JOBS; j++)
        if (n->here[j])
            cr_assert_float_eq(links->jobs[j].rate, n->rate[j], 1e-7 * (1 + n->rate[j]),
                               "job %u has %.12g, not %.12g", j, links->jobs[j].rate, n->rate[j]);
}

/* Of what max_min_settle says has changed, and of nothing else, rates are other ones. */
static void expect_told(const struct max_min *links, const double before[JOBS],
                        const bool fresh[JOBS]) {
    bool told[JOBS] = {false};
    for (size_t i = 0; i < links->rates_changed.count; i++)
        told[links->rates_changed.at[i]] = true;
    for (uint32_t j = 0; j < JOBS; j++)
        if (max_min_has(links, j))
            cr_assert_eq(told[j], fresh[j] || before[j] != links->jobs[j].rate);
}

/* Ten changes of three jobs each in each of 100 networks. */
Test(max_min, random) {
    gsl_rng *rng = rng_create(18, 0, "max_min");
    for (int network = 0; network < 100; network++) {
        struct naive n = {0};
        struct max_min links;
        max_min_init(&links, JOBS, LINKS);
        draw_links(&n, rng);
        for (uint32_t l = 0; l < LINKS; l++)
            max_min_set_capacity(&links, l, n.capacity[l]);
        for (int change = 0; change < 10; change++) {
            double before[JOBS];
            bool fresh[JOBS] = {false};
            for (uint32_t j = 0; j < JOBS; j++)
                before[j] = links.jobs[j].rate;
            for (int i = 0; i < 3; i++) {
                uint32_t job = (uint32_t)gsl_rng_uniform_int(rng, JOBS);
                max_min_remove(&links, job);
                n.here[job] = gsl_rng_uniform_int(rng, 4) > 0;
                fresh[job] = n.here[job];
                if (!n.here[job])
                    continue;
                draw_job(&n, job, rng);
                add_drawn(&links, &n, job);
            }
            max_min_settle(&links);
            naive_solve(&n);
            expect_naive(&links, &n);
            expect_fair(&links, &n);
            expect_told(&links, before, fresh);
        }
        max_min_finish(&links);
    }
    gsl_rng_free(rng);
}

/* The same jobs, come in another order and with others in between, have the same rates but for
   rounding. */
Test(max_min, any_order) {
    gsl_rng *rng = rng_create(18, 1, "max_min");
    for (int i = 0; i < 100; i++) {
        struct naive n = {0};
        struct max_min forth, back;
        draw_links(&n, rng);
        max_min_init(&forth, JOBS, LINKS);
        max_min_init(&back, JOBS, LINKS);
        for (uint32_t l = 0; l < LINKS; l++) {
            max_min_set_capacity(&forth, l, n.capacity[l]);
            max_min_set_capacity(&back, l, n.capacity[l]);
        }
        for (uint32_t j = 0; j < JOBS; j++) {
            draw_job(&n, j, rng);
            add_drawn(&forth, &n, j);
        }
        max_min_settle(&forth);
        for (uint32_t j = JOBS; j-- > 0;) {
            add_drawn(&back, &n, j);
            max_min_settle(&back);
            max_min_remove(&back, (j + 5) % JOBS);
            if ((j + 5) % JOBS > j)
                add_drawn(&back, &n, (j + 5) % JOBS);
        }
        max_min_settle(&back);
        for (uint32_t j = 0; j < JOBS; j++)
            cr_assert_float_eq(forth.jobs[j].rate, back.jobs[j].rate, 1e-12 * forth.jobs[j].rate);
        max_min_finish(&forth);
        max_min_finish(&back);
    }
    gsl_rng_free(rng);
}

/* --- one link --- */

#define MANY 40

/* As jobs come and go, many of them alike, its rates are those of max_min to the last digit. */
Test(max_min, one_link_alone) {
    gsl_rng *rng = rng_create(18, 2, "max_min");
    for (int i = 0; i < 100; i++) {
        struct one_link link = {.capacity = 1 + 40 * gsl_rng_uniform(rng), .level = INFINITY};
        const struct max_min_load load = {0, 1};
        struct max_min links;
        max_min_init(&links, MANY, 1);
        max_min_set_capacity(&links, 0, link.capacity);
        for (int change = 0; change < 50; change++) {
            uint32_t job = (uint32_t)gsl_rng_uniform_int(rng, MANY);
            double most = gsl_rng_uniform_int(rng, 3) == 0 ? 9 * gsl_rng_uniform(rng)
                                                           : 0.7 * (double)(1 + job % 4);
            if (max_min_has(&links, job))
                one_link_remove(&link, links.jobs[job].most);
            max_min_remove(&links, job);
            if (gsl_rng_uniform_int(rng, 4) > 0) {
                max_min_add(&links, job, most, &load, 1);
                one_link_add(&link, most);
            }
            max_min_settle(&links);
            one_link_settle(&link);
            for (uint32_t j = 0; j < MANY; j++)
                if (max_min_has(&links, j))
                    cr_assert_eq(links.jobs[j].rate, one_link_rate(&link, links.jobs[j].most));
        }
        one_link_finish(&link);
        max_min_finish(&links);
    }
    gsl_rng_free(rng);
}
