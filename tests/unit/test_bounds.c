/* Bounds (src/bounds) against schedules: of tiny cases all of them, found by search; of others the
   laws that bounds obey. Expected values are worked by hand or come from that search, which shares
   nothing with the bounds but their input. */
#include "bounds/internal.h"

#include "base/rng.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#define MOST_JOBS  5
#define MOST_RATES 4
#define NEAR(actual, expected) \
    cr_expect_float_eq((actual), (expected), 1e-7 * fabs((double)(expected)))

/* ---- Cases ---- */

/* One configuration: what it is, not what bounds make of it. */
struct choice {
    uint32_t gpu_type, gpus;
    double speed, power_w; /* of one GPU */
};

struct tiny {
    struct gpu_type types[2];
    struct node nodes[2];
    struct cluster cluster;
    struct choice choices[2][MOST_RATES]; /* by group */
    uint32_t choice_counts[2];
    struct demand_job jobs[MOST_JOBS];
    uint32_t job_count;
};

static void make_cluster(struct tiny *t, uint32_t types, uint32_t gpus0, uint32_t gpus1) {
    for (uint32_t h = 0; h < types; h++) {
        t->types[h].gpus = h == 0 ? gpus0 : gpus1;
        t->types[h].sleep_after_s = INFINITY;
        t->nodes[h] = (struct node){.gpu_type = h, .gpus = t->types[h].gpus};
    }
    t->cluster = (struct cluster){
        .gpu_types = t->types, .gpu_type_count = types, .nodes = t->nodes, .node_count = types};
}

static double setup_power_w(const struct tiny *t, const struct choice *c) {
    const struct gpu_type *type = &t->types[c->gpu_type];
    return c->gpus * (type->ctx_w - type->idle_w);
}

/* As demand_find does from a table; release with demand_finish. */
static struct demand demand_of(struct tiny *t) {
    t->cluster.gpu_types = t->types; /* of this copy */
    t->cluster.nodes = t->nodes;
    struct demand d = {.cluster = &t->cluster, .group_count = 2};
    uint32_t types = t->cluster.gpu_type_count;
    d.groups = mem_zalloc(2, sizeof *d.groups);
    d.idle_w = arena_alloc(&d.arena, types * sizeof *d.idle_w);
    for (uint32_t h = 0; h < types; h++) {
        d.idle_w[h] = t->types[h].idle_w;
        d.static_w += t->types[h].gpus * t->types[h].idle_w + t->nodes[h].fixed_w;
    }
    for (int g = 0; g < 2; g++) {
        struct demand_group *group = &d.groups[g];
        group->least_gpu_s = arena_alloc(&d.arena, types * sizeof(double));
        group->least_gpus = arena_alloc(&d.arena, types * sizeof(double));
        group->setup_w = INFINITY;
        for (uint32_t h = 0; h < types; h++)
            group->least_gpu_s[h] = group->least_gpus[h] = INFINITY;
        for (uint32_t c = 0; c < t->choice_counts[g]; c++) {
            const struct choice *x = &t->choices[g][c];
            uint32_t h = x->gpu_type;
            array_push(&group->rates, ((struct demand_rate){
                                          h, x->gpus, x->gpus / x->speed,
                                          x->gpus * (x->power_w - t->types[h].idle_w) / x->speed}));
            group->least_gpu_s[h] = fmin(group->least_gpu_s[h], x->gpus / x->speed);
            group->least_gpus[h] = fmin(group->least_gpus[h], x->gpus);
            group->fastest = fmax(group->fastest, x->speed);
            group->setup_w = fmin(group->setup_w, setup_power_w(t, x));
        }
    }
    for (uint32_t j = 0; j < t->job_count; j++) {
        array_push(&d.jobs, t->jobs[j]);
        d.groups[t->jobs[j].group].jobs++;
    }
    return d;
}

/* ---- All schedules: at each arrival and finish every job present waits or has any of its
   configurations; nothing is lost by a preemption, and each change pays the set-up ---- */

struct moment {
    double now_s, energy_j, delay_s; /* of the jobs that are done */
    double remaining[MOST_JOBS], setup_s[MOST_JOBS];
    int choice[MOST_JOBS]; /* -1: waits */
};

struct exhaustive {
    const struct tiny *t;
    double least_energy_j, least_delay_s;
    bool for_energy;
};

static double static_power_w(const struct tiny *t) {
    double w = 0;
    for (uint32_t h = 0; h < t->cluster.gpu_type_count; h++)
        w += t->types[h].gpus * t->types[h].idle_w + t->nodes[h].fixed_w;
    return w;
}

static void look_on(struct exhaustive *all, const struct moment *m);

/* Up to the next arrival or finish with these choices, or to end_s. False: all wait for nothing. */
static bool step_on(const struct tiny *t, struct moment *m, double end_s) {
    double step_s = end_s - m->now_s;
    bool works = end_s < INFINITY;
    for (uint32_t j = 0; j < t->job_count; j++) {
        if (m->remaining[j] <= 0)
            continue;
        if (t->jobs[j].submit_s > m->now_s)
            step_s = fmin(step_s, t->jobs[j].submit_s - m->now_s);
        if (m->choice[j] < 0)
            continue;
        const struct choice *c = &t->choices[t->jobs[j].group][m->choice[j]];
        step_s = fmin(step_s, m->setup_s[j] + m->remaining[j] / c->speed);
        works = true;
    }
    if (step_s == INFINITY && !works)
        return false;
    m->energy_j += static_power_w(t) * step_s;
    for (uint32_t j = 0; j < t->job_count; j++) {
        if (m->remaining[j] <= 0 || m->choice[j] < 0)
            continue;
        const struct choice *c = &t->choices[t->jobs[j].group][m->choice[j]];
        double setup_s = fmin(step_s, m->setup_s[j]), run_s = step_s - setup_s;
        m->energy_j += setup_power_w(t, c) * setup_s +
                       c->gpus * (c->power_w - t->types[c->gpu_type].idle_w) * run_s;
        m->setup_s[j] -= setup_s;
        m->remaining[j] -= run_s * c->speed;
        if (m->remaining[j] < 1e-9) {
            m->remaining[j] = 0;
            m->delay_s += m->now_s + step_s - t->jobs[j].submit_s;
        }
    }
    m->now_s += step_s;
    return true;
}

static void advance(struct exhaustive *all, const struct moment *from) {
    struct moment m = *from;
    if (step_on(all->t, &m, INFINITY))
        look_on(all, &m);
}

static void choose_from(struct exhaustive *all, const struct moment *m, uint32_t job,
                        const uint32_t *free_gpus) {
    const struct tiny *t = all->t;
    if (job == t->job_count || job == MOST_JOBS) { /* the latter for gcc, which unrolls to there */
        advance(all, m);
        return;
    }
    struct moment next = *m;
    if (m->remaining[job] <= 0 || t->jobs[job].submit_s > m->now_s) {
        choose_from(all, m, job + 1, free_gpus);
        return;
    }
    next.choice[job] = -1;
    choose_from(all, &next, job + 1, free_gpus);
    uint32_t group = t->jobs[job].group;
    for (uint32_t c = 0; c < t->choice_counts[group]; c++) {
        const struct choice *x = &t->choices[group][c];
        uint32_t left[2] = {free_gpus[0], free_gpus[1]};
        if (x->gpus > left[x->gpu_type])
            continue;
        left[x->gpu_type] -= x->gpus;
        next.choice[job] = (int)c;
        next.setup_s[job] = m->choice[job] == (int)c ? m->setup_s[job] : t->jobs[job].setup_s;
        choose_from(all, &next, job + 1, left);
    }
}

static double fastest_of(const struct tiny *t, uint32_t group) {
    double fastest = 0;
    for (uint32_t c = 0; c < t->choice_counts[group]; c++)
        fastest = fmax(fastest, t->choices[group][c].speed);
    return fastest;
}

/* Done, or hopeless, or one more decision. */
static void look_on(struct exhaustive *all, const struct moment *m) {
    const struct tiny *t = all->t;
    double least_delay_s = m->delay_s, least_rest_s = 0;
    bool done = true;
    for (uint32_t j = 0; j < t->job_count; j++) {
        if (m->remaining[j] <= 0)
            continue;
        double rest_s = m->remaining[j] / fastest_of(t, t->jobs[j].group);
        double from_s = fmax(m->now_s, t->jobs[j].submit_s);
        least_delay_s += from_s - t->jobs[j].submit_s + rest_s;
        least_rest_s = fmax(least_rest_s, from_s - m->now_s + rest_s);
        done = false;
    }
    if (done) {
        all->least_energy_j = fmin(all->least_energy_j, m->energy_j);
        all->least_delay_s = fmin(all->least_delay_s, m->delay_s);
        return;
    }
    double least_energy_j = m->energy_j + static_power_w(t) * least_rest_s;
    if (all->for_energy ? least_energy_j >= all->least_energy_j
                        : least_delay_s >= all->least_delay_s)
        return;
    uint32_t gpus[2] = {t->types[0].gpus, t->types[1].gpus};
    choose_from(all, m, 0, gpus);
}

/* Nothing runs before the first job comes. */
static double least_of_all(const struct tiny *t, bool for_energy) {
    struct exhaustive all = {t, INFINITY, INFINITY, for_energy};
    struct moment m = {.now_s = 0};
    for (uint32_t j = 0; j < t->job_count; j++) {
        m.remaining[j] = t->jobs[j].work;
        m.choice[j] = -1;
    }
    look_on(&all, &m);
    return for_energy ? all.least_energy_j : all.least_delay_s / t->job_count;
}

/* ---- Draws ---- */

static double draw(gsl_rng *rng, double from, double to) {
    return from + (to - from) * gsl_rng_uniform(rng);
}

static struct tiny draw_case(gsl_rng *rng, uint32_t jobs) {
    struct tiny t = {.job_count = jobs};
    uint32_t types = 1 + (uint32_t)gsl_rng_uniform_int(rng, 2);
    make_cluster(&t, types, 2, 1 + (uint32_t)gsl_rng_uniform_int(rng, 2));
    for (uint32_t h = 0; h < types; h++) {
        t.types[h].idle_w = draw(rng, 10, 60);
        t.types[h].ctx_w = t.types[h].idle_w + draw(rng, 0, 30);
        t.nodes[h].fixed_w = draw(rng, 0, 50);
    }
    for (int g = 0; g < 2; g++) {
        t.choice_counts[g] = 2;
        for (uint32_t c = 0; c < 2; c++) {
            uint32_t h = (uint32_t)gsl_rng_uniform_int(rng, types);
            uint32_t gpus = 1 + (uint32_t)gsl_rng_uniform_int(rng, t.types[h].gpus);
            t.choices[g][c] = (struct choice){h, gpus, draw(rng, 0.5, 1.1) * gpus,
                                              t.types[h].idle_w + draw(rng, 0, 300)};
        }
    }
    double setup_s = gsl_rng_uniform_int(rng, 2) * draw(rng, 0, 10), now_s = 0;
    for (uint32_t j = 0; j < jobs; j++) {
        t.jobs[j] = (struct demand_job){.submit_s = now_s,
                                        .work = draw(rng, 5, 60),
                                        .setup_s = setup_s,
                                        .group = (uint32_t)gsl_rng_uniform_int(rng, 2),
                                        .measured = true};
        now_s += gsl_rng_uniform_int(rng, 2) * draw(rng, 0, 40);
    }
    return t;
}

/* What some schedule does until end_s: at each event every job has a configuration that fits, keeps
   its own or waits, at random. */
static struct moment draw_schedule(gsl_rng *rng, const struct tiny *t, double end_s) {
    struct moment m = {.now_s = 0};
    for (uint32_t j = 0; j < t->job_count; j++) {
        m.remaining[j] = t->jobs[j].work;
        m.choice[j] = -1;
    }
    while (m.now_s < end_s) {
        uint32_t gpus[2] = {t->types[0].gpus, t->types[1].gpus};
        for (uint32_t j = 0; j < t->job_count; j++) {
            uint32_t group = t->jobs[j].group;
            int before = m.choice[j],
                wanted = before >= 0 && gsl_rng_uniform_int(rng, 4) > 0
                             ? before
                             : (int)gsl_rng_uniform_int(rng, t->choice_counts[group] + 1) - 1;
            bool there = m.remaining[j] > 0 && t->jobs[j].submit_s <= m.now_s;
            const struct choice *c = &t->choices[group][wanted < 0 ? 0 : wanted];
            m.choice[j] = there && wanted >= 0 && c->gpus <= gpus[c->gpu_type] ? wanted : -1;
            if (m.choice[j] >= 0)
                gpus[c->gpu_type] -= c->gpus;
            if (m.choice[j] != before)
                m.setup_s[j] = t->jobs[j].setup_s;
        }
        (void)step_on(t, &m, end_s);
    }
    return m;
}

static struct time_bound time_bound_of(struct tiny *t, double end_s) {
    struct demand demand = demand_of(t);
    struct time_bound bound = time_bound_find(&demand, end_s);
    demand_finish(&demand);
    return bound;
}

static double best_time_s(struct tiny *t) {
    const struct time_bound bound = time_bound_of(t, INFINITY);
    return bound.by[bound.best];
}

static double best_energy_j(struct tiny *t, double end_s) {
    struct demand demand = demand_of(t);
    struct energy_bound bound = energy_bound_find(&demand, end_s);
    cr_expect(bound.solved);
    demand_finish(&demand);
    return bound.energy_j;
}

/* ---- Tests ---- */

Test(bounds, no_schedule_of_tiny_cases_is_below) {
    gsl_rng *rng = rng_create(17, 0, "bounds");
    double tightest_time = 0, tightest_energy = 0;
    const char *form = getenv("EASIM_TESTS");
    for (int i = 0; i < (form && strcmp(form, "short") == 0 ? 290 : 300); i++) {
        struct tiny t = draw_case(rng, i < 240 ? 3 : i < 290 ? 4 : MOST_JOBS);
        const struct time_bound bound = time_bound_of(&t, INFINITY);
        double time_s = bound.by[bound.best], least_s = least_of_all(&t, false);
        double energy_j = best_energy_j(&t, INFINITY), least_j = least_of_all(&t, true);
        for (int a = 0; a < TIME_ARGUMENTS; a++)
            cr_expect_leq(bound.by[a], least_s, "case %d, (%s): %.17g s, but %.17g s is possible",
                          i, time_argument_names[a], bound.by[a], least_s);
        cr_expect_leq(energy_j, least_j, "case %d: %.17g J, but %.17g J is possible", i, energy_j,
                      least_j);
        tightest_time = fmax(tightest_time, time_s / least_s);
        tightest_energy = fmax(tightest_energy, energy_j / least_j);
    }
    gsl_rng_free(rng);
    /* they are bounds, not just small numbers: some are reached */
    cr_expect_gt(tightest_time, 1 - 1e-6);
    cr_expect_gt(tightest_energy, 1 - 1e-6);
}

/* One GPU, preemption free of charge: shortest remaining time first is the optimum. Jobs of 10 s at
   0, 2 s at 1, 4 s at 2: 0-1 A, 1-3 B, 3-7 C, 7-16 A: 16 + 2 + 5 = 23 s. */
Test(bounds, one_gpu_is_exact) {
    struct tiny t = {.job_count = 3, .choice_counts = {1, 0}};
    make_cluster(&t, 1, 1, 0);
    t.choices[0][0] = (struct choice){0, 1, 1, 100};
    const double submits_s[] = {0, 1, 2}, works[] = {10, 2, 4};
    for (int j = 0; j < 3; j++)
        t.jobs[j] =
            (struct demand_job){.submit_s = submits_s[j], .work = works[j], .measured = true};
    struct demand demand = demand_of(&t);
    struct time_bound bound = time_bound_find(&demand, INFINITY);
    NEAR(bound.by[TIME_SRPT], 23.0 / 3);
    NEAR(least_of_all(&t, false), 23.0 / 3);
    /* by 6 s: A has 4 of its 10 s done, B is done, C has 3 of 4: 6 + 2 + 4 */
    NEAR(time_bound_find(&demand, 6).by[TIME_SRPT], 12.0 / 3);
    cr_expect(isnan(time_bound_find(&demand, 6).by[TIME_BUSY]));
    demand_finish(&demand);
}

/* Static order by size / weight: B of 2 s at 1 goes before A of 10 s at 0 (weights 1): A is worked
   on in 0-1 and 3-12, B in 1-3. Mean busy times: A (0.5 + 7.5 x 9) / 10 = 6.8, B 2. With weight 10
   A goes first: 5 and 11. */
Test(bounds, mean_busy_times) {
    struct machine_job jobs[] = {{0, 10, 1}, {1, 2, 1}};
    double busy_s[2];
    one_machine_busy(jobs, 2, busy_s);
    NEAR(busy_s[0], 6.8);
    NEAR(busy_s[1], 2);
    jobs[0].weight = 10;
    one_machine_busy(jobs, 2, busy_s);
    NEAR(busy_s[0], 5);
    NEAR(busy_s[1], 11);
}

/* Three jobs of 4 s come at once to a machine that does one of them in 1 s (size 1), each takes 4 s
   alone: all three are there until 4, and by then none is left behind: 12 s. If each takes 2 s
   alone and has size 2, at 2 one can be done, at 4 two: 3 x 2 + 2 x 2 + 1 x 2 = 12 s. */
Test(bounds, jobs_present) {
    const struct machine_job small[] = {{0, 1, 1}, {0, 1, 1}, {0, 1, 1}};
    const struct machine_job large[] = {{0, 2, 1}, {0, 2, 1}, {0, 2, 1}};
    NEAR(presence_s(small, (double[]){4, 4, 4}, 3, INFINITY), 12);
    NEAR(presence_s(large, (double[]){2, 2, 2}, 3, INFINITY), 12);
    NEAR(presence_s(large, (double[]){2, 2, 2}, 3, 5), 11);
}

/* Two jobs of 12 s, or of 10 s on both of two GPUs, come at once. Beside each other they take 12 s,
   the optimum. One machine does each in 6 s, so that at 10 s one may be done, and at 12 s both are:
   10 + 12 s. At a price of 0.25 s a GPU second up to 12 s, both ways cost 15 s, and the cluster
   earns 2 x 12 x 0.25 = 6 s: 2 x 15 - 6 = 24 s, which shows that 12 s is the least mean. */
Test(bounds, prices_by_hand) {
    struct tiny t = {.job_count = 2, .choice_counts = {2, 0}};
    make_cluster(&t, 1, 2, 0);
    t.choices[0][0] = (struct choice){0, 1, 1, 100};
    t.choices[0][1] = (struct choice){0, 2, 1.2, 100};
    for (int j = 0; j < 2; j++)
        t.jobs[j] = (struct demand_job){.work = 12, .measured = true};
    const struct time_bound bound = time_bound_of(&t, INFINITY);
    NEAR(least_of_all(&t, false), 12);
    NEAR(bound.by[TIME_PRESENT], 11);
    cr_expect_gt(bound.by[TIME_PRICED], 11.8); /* prices are searched in a few steps */
    cr_expect_leq(bound.by[TIME_PRICED], 12);
    cr_expect_eq(bound.best, TIME_PRICED);
}

/* Two equal GPUs of 10 W idle, 110 W busy, speed 1, a node of 30 W; one job of 100 s at 0: 50 W for
   100 s and 100 W above for 100 s. Three such jobs at 0: two GPUs need 150 s. */
Test(bounds, energy_by_hand) {
    struct tiny t = {.job_count = 1, .choice_counts = {1, 0}};
    make_cluster(&t, 1, 2, 0);
    t.types[0].idle_w = t.types[0].ctx_w = 10;
    t.nodes[0].fixed_w = 30;
    t.choices[0][0] = (struct choice){0, 1, 1, 110};
    for (int j = 0; j < 3; j++)
        t.jobs[j] = (struct demand_job){.work = 100, .measured = true};
    NEAR(best_energy_j(&t, INFINITY), 50 * 100 + 100 * 100);
    t.job_count = 3;
    NEAR(best_energy_j(&t, INFINITY), 50 * 150 + 3 * 100 * 100);
    /* A second configuration, both GPUs at speed 1.5 and 90 W each: 160 W above for 100 / 1.5 s, in
       all 50 x 66.7 + 160 x 66.7 = 14,000 J, the least. The bound lets the job draw what the first
       draws and end when the second does: 50 x 66.7 + 100 x 100. */
    t.job_count = 1;
    t.choice_counts[0] = 2;
    t.choices[0][1] = (struct choice){0, 2, 1.5, 90};
    NEAR(least_of_all(&t, true), 14000);
    NEAR(best_energy_j(&t, INFINITY), 50 * 100 / 1.5 + 100 * 100);
}

/* One GPU of 10 W idle, a node of 30 W. A unit of work takes 1 s and 100 W above idle, or half a
   second and 300 W: of 150 units within 100 s, 100 must be done the dear way, 50 x 100 J + 100 x
   150 J, and 40 W for 100 s. A price of 100 W for the GPU shows it, more than all draws when idle.
   Of 60 units all are done the cheap way, and of none the cluster draws 40 W. */
Test(bounds, energy_until_a_horizon_by_hand) {
    struct tiny t = {.job_count = 1, .choice_counts = {2, 0}};
    make_cluster(&t, 1, 1, 0);
    t.types[0].idle_w = t.types[0].ctx_w = 10;
    t.nodes[0].fixed_w = 30;
    t.choices[0][0] = (struct choice){0, 1, 1, 110};
    t.choices[0][1] = (struct choice){0, 1, 2, 310};
    t.jobs[0] = (struct demand_job){.work = 150, .measured = true};
    NEAR(best_energy_j(&t, 100), 4000 + 50 * 100 + 100 * 150);
    t.jobs[0].work = 60;
    NEAR(best_energy_j(&t, 100), 4000 + 60 * 100);
    t.jobs[0].work = 0;
    NEAR(best_energy_j(&t, 100), 4000);
}

/* Jobs that are not done count until the end. */
static double restricted_mean_s(const struct tiny *t, const struct moment *m, double end_s) {
    double sum_s = m->delay_s;
    uint32_t came = 0;
    for (uint32_t j = 0; j < t->job_count && t->jobs[j].submit_s < end_s; j++, came++)
        sum_s += m->remaining[j] > 0 ? end_s - t->jobs[j].submit_s : 0;
    return sum_s / came;
}

/* Whatever was done until a horizon, at random: its energy is not below the bound of that work, nor
   its restricted mean below that of all work, by any argument. */
Test(bounds, no_schedule_until_a_horizon_is_below) {
    gsl_rng *rng = rng_create(21, 0, "bounds");
    double tightest = 0;
    for (int i = 0; i < 250; i++) {
        struct tiny t = draw_case(rng, 1 + (uint32_t)gsl_rng_uniform_int(rng, MOST_JOBS));
        double end_s = draw(rng, 10, 120);
        struct moment m = draw_schedule(rng, &t, end_s);
        uint32_t came = 0;
        while (came < t.job_count && t.jobs[came].submit_s < end_s)
            came++;
        t.job_count = came;
        const struct time_bound bound = time_bound_of(&t, end_s);
        for (int a = 0; a < TIME_ARGUMENTS; a++)
            cr_expect_not(bound.by[a] > restricted_mean_s(&t, &m, end_s), "case %d, (%s)", i,
                          time_argument_names[a]);
        for (uint32_t j = 0; j < t.job_count; j++) {
            t.jobs[j].work -= m.remaining[j];
            t.jobs[j].setup_s = t.jobs[j].work > 0 ? t.jobs[j].setup_s : 0;
        }
        double bound_j = best_energy_j(&t, end_s);
        cr_expect_leq(bound_j, m.energy_j, "case %d: %.17g J, but %.17g J were enough", i, bound_j,
                      m.energy_j);
        tightest = fmax(tightest, bound_j / m.energy_j);
    }
    gsl_rng_free(rng);
    cr_expect_gt(tightest, 1 - 1e-6);
}

Test(bounds, time_scales) {
    gsl_rng *rng = rng_create(18, 0, "bounds");
    for (int i = 0; i < 100; i++) {
        struct tiny t = draw_case(rng, MOST_JOBS), half = t, fast = t;
        for (uint32_t j = 0; j < t.job_count; j++) {
            half.jobs[j].submit_s /= 2;
            half.jobs[j].setup_s /= 2;
            half.jobs[j].work /= 2;
        }
        for (int g = 0; g < 2; g++)
            for (uint32_t c = 0; c < 2; c++)
                fast.choices[g][c].speed *= 2;
        NEAR(best_time_s(&half), best_time_s(&t) / 2);
        cr_expect_leq(best_time_s(&fast), best_time_s(&t) * (1 + 1e-9));
    }
    gsl_rng_free(rng);
}

/* (d) mixes (a) and (c); (e) holds what (a) and (b) hold, with the weights of (b); (f) is (a) at no
   prices. */
Test(bounds, later_arguments_are_no_worse) {
    gsl_rng *rng = rng_create(19, 0, "bounds");
    for (int i = 0; i < 200; i++) {
        struct tiny t = draw_case(rng, MOST_JOBS);
        struct demand demand = demand_of(&t);
        struct time_bound bound = time_bound_find(&demand, INFINITY);
        cr_expect_geq(bound.by[TIME_MIXED], bound.by[TIME_BUSY]);
        cr_expect_geq(bound.by[TIME_MIXED], bound.by[TIME_ALONE] * (1 - 1e-12));
        cr_expect_geq(bound.by[TIME_PRESENT], bound.by[TIME_ALONE] * (1 - 1e-12));
        cr_expect_geq(bound.by[TIME_PRICED], bound.by[TIME_ALONE] * (1 - 1e-12));
        cr_expect_geq(bound.by[TIME_PRESENT], bound.by[TIME_SRPT] * (1 - 1e-12));
        demand_finish(&demand);
    }
    gsl_rng_free(rng);
}

/* Whatever the prices are, what they prove is below the best that they could: the value of the
   program, which the solver's prices reach but for rounding. */
Test(bounds, other_prices_prove_less) {
    gsl_rng *rng = rng_create(20, 0, "bounds");
    for (int i = 0; i < 200; i++) {
        struct tiny t = draw_case(rng, MOST_JOBS);
        struct demand demand = demand_of(&t);
        struct energy_work work;
        energy_work_find(&work, &demand, INFINITY);
        size_t count = t.cluster.gpu_type_count * work.intervals;
        double *prices = mem_zalloc(count, sizeof *prices);
        cr_assert(energy_prices_find(&demand, &work, prices));
        double best_j = energy_bound_certified_j(&demand, &work, prices);
        for (int other = 0; other < 10; other++) {
            for (size_t k = 0; k < count; k++)
                prices[k] = prices[k] * draw(rng, 0.5, 1.5) + (other > 4 ? draw(rng, -50, 50) : 0);
            cr_expect_leq(energy_bound_certified_j(&demand, &work, prices), best_j * (1 + 1e-9));
        }
        free(prices);
        energy_work_finish(&work);
        demand_finish(&demand);
    }
    gsl_rng_free(rng);
}
