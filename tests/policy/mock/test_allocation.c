/* The solvers of goodput and sia on random problems: against all allocations of small ones, against
   GLPK's branch and bound on those as large as a round, and by prices against the exact one and,
   on clusters that are too large for it, against the bound that the prices give. */
#include "../../../policies/allocation/allocation.h"

#include "check.h"

#include <glpk.h>
#include <stdlib.h>
#include <string.h>

#define MOST_JOBS    2000
#define MOST_CHOICES 16
#define MOST_TYPES   4
#define GLPK_ENTRIES (3 * 40 * 8 + 1)

struct easim_plan {
    void *memory[64];
    int count;
};

static void *scratch(struct easim_plan *plan, size_t bytes) {
    return plan->memory[plan->count++] = calloc(1, bytes + 1);
}

static const struct easim_host host = {.struct_size = sizeof host, .scratch = scratch};

/* A linear congruential generator of Knuth's (MMIX): the same problems everywhere. */
static uint64_t next_random(uint64_t *seed, uint64_t below) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (*seed >> 33) % below;
}

struct problem {
    struct allocation a;
    struct allocation_job jobs[MOST_JOBS];
    struct allocation_choice choices[MOST_JOBS][MOST_CHOICES];
    struct easim_power power;
    struct easim_job in_view[MOST_JOBS];
    uint32_t capacity[MOST_TYPES];
    struct easim_plan plan;
    struct easim_pass pass;
};

/* Jobs with 1, 2, 4, 8 GPUs of each type. Gains grow with k, by less and less or not at all; every
   other problem has few different ones, so that there are ties. */
static void make(struct problem *p, uint64_t seed, uint32_t jobs, uint32_t types, uint32_t gpus) {
    *p = (struct problem){.pass = {.host = &host, .plan = &p->plan}};
    p->a = (struct allocation){.pass = &p->pass,
                               .type_count = types,
                               .capacity = p->capacity,
                               .jobs = p->jobs,
                               .count = jobs,
                               .unit = 1};
    bool coarse = seed % 2;
    for (uint32_t t = 0; t < types; t++)
        p->capacity[t] = gpus;
    for (uint32_t i = 0; i < jobs; i++) {
        p->in_view[i].index = p->in_view[i].first_config = i;
        p->jobs[i] = (struct allocation_job){
            .job = &p->in_view[i], .choices = p->choices[i], .chosen = EASIM_NONE, .like = i};
        p->jobs[i].runs = next_random(&seed, 3) == 0;
        for (uint32_t t = 0; t < types; t++) {
            int64_t gain = 0, step = coarse ? 4 : 100000;
            for (uint32_t k = 1; k <= 8; k *= 2, step = step * 3 / 4) {
                gain += (int64_t)next_random(&seed, (uint64_t)step + 1);
                p->choices[i][p->jobs[i].count++] =
                    (struct allocation_choice){.gpu_type = t, .k = k, .gain = gain};
            }
        }
    }
}

static void drop(struct problem *p) {
    for (int i = 0; i < p->plan.count; i++)
        free(p->plan.memory[i]);
    p->plan.count = 0;
}

/* A GPU takes 100 to 400 W of each job, and all jobs together may take as much as `gpus` do; those
   that run have half of it at most. */
static void limit_power(struct problem *p, uint64_t seed, double gpus) {
    int64_t running = 0;
    p->a.power = &p->power;
    p->a.lacks_power = true;
    p->a.nw = (int64_t)(250e9 * gpus);
    for (uint32_t i = 0; i < p->a.count; i++) {
        for (uint32_t c = 0; c < p->jobs[i].count; c++)
            p->choices[i][c].nw =
                (int64_t)(p->choices[i][c].k * (100 + next_random(&seed, 301))) * 1000000000;
        p->jobs[i].runs = p->jobs[i].runs && running + p->choices[i][0].nw <= p->a.nw / 2;
        running += p->jobs[i].runs ? p->choices[i][0].nw : 0;
    }
}

/* The sum of what has been chosen; -1 if there are not as many GPUs, or watts. */
static int64_t value(const struct problem *p) {
    int64_t sum = 0, nw = 0;
    uint32_t used[MOST_TYPES] = {0};
    for (uint32_t i = 0; i < p->a.count; i++)
        if (p->jobs[i].chosen != EASIM_NONE && !p->jobs[i].pinned) {
            const struct allocation_choice *c = &p->jobs[i].choices[p->jobs[i].chosen];
            used[c->gpu_type] += c->k;
            sum += c->gain;
            nw += c->nw;
        }
    CHECK(allocation_has_power(&p->a) == (nw <= p->a.nw));
    if (nw > p->a.nw)
        return -1;
    for (uint32_t t = 0; t < p->a.type_count; t++)
        if (used[t] > p->capacity[t])
            return -1;
    return sum;
}

/* Over all allocations of the jobs from `job` on. */
static int64_t best_of_all(struct problem *p, uint32_t job) {
    if (job == p->a.count)
        return 0;
    int64_t best = best_of_all(p, job + 1);
    for (uint32_t c = 0; c < p->jobs[job].count; c++) {
        const struct allocation_choice *choice = &p->choices[job][c];
        if (choice->k > p->capacity[choice->gpu_type] || choice->nw > p->a.nw)
            continue;
        p->capacity[choice->gpu_type] -= choice->k;
        p->a.nw -= choice->nw;
        int64_t sum = choice->gain + best_of_all(p, job + 1);
        p->capacity[choice->gpu_type] += choice->k;
        p->a.nw += choice->nw;
        best = sum > best ? sum : best;
    }
    return best;
}

static void check_small(void) {
    static struct problem p;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        make(&p, seed, 1 + (uint32_t)(seed % 4), 1 + (uint32_t)(seed / 4 % 2),
             1 + (uint32_t)(seed % 9));
        int64_t best = best_of_all(&p, 0);
        allocation_solve_exact(&p.a);
        CHECK(value(&p) == best);
        drop(&p);
    }
}

/* The same by integer programming: a column for each choice, rows for GPU types, power and jobs. */
static double by_glpk(const struct problem *p) {
    static int rows[GLPK_ENTRIES], columns[GLPK_ENTRIES];
    static double values[GLPK_ENTRIES];
    int types = (int)p->a.type_count + 1, entries = 0, column = 0;
    glp_prob *program = glp_create_prob();
    glp_iocp how;
    glp_term_out(GLP_OFF);
    glp_set_obj_dir(program, GLP_MAX);
    glp_add_rows(program, types + (int)p->a.count);
    for (int t = 0; t < types - 1; t++)
        glp_set_row_bnds(program, 1 + t, GLP_UP, 0, p->capacity[t]);
    glp_set_row_bnds(program, types, GLP_UP, 0, (double)p->a.nw / 1e9);
    for (uint32_t i = 0; i < p->a.count; i++) {
        glp_set_row_bnds(program, 1 + types + (int)i, GLP_UP, 0, 1);
        for (uint32_t c = 0; c < p->jobs[i].count; c++) {
            const struct allocation_choice *choice = &p->choices[i][c];
            column = glp_add_cols(program, 1);
            glp_set_col_kind(program, column, GLP_BV);
            glp_set_obj_coef(program, column, (double)choice->gain);
            entries++;
            rows[entries] = 1 + (int)choice->gpu_type;
            columns[entries] = column;
            values[entries] = choice->k;
            entries++;
            rows[entries] = types;
            columns[entries] = column;
            values[entries] = (double)choice->nw / 1e9;
            entries++;
            rows[entries] = 1 + types + (int)i;
            columns[entries] = column;
            values[entries] = 1;
        }
    }
    glp_load_matrix(program, entries, rows, columns, values);
    glp_init_iocp(&how);
    how.presolve = GLP_ON;
    double best = glp_intopt(program, &how) == 0 && glp_mip_status(program) == GLP_OPT
                      ? glp_mip_obj_val(program)
                      : NAN;
    glp_delete_prob(program);
    return best;
}

static void check_against_glpk(void) {
    static struct problem p;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        make(&p, seed, 5 + (uint32_t)seed, 2, 8);
        allocation_solve_exact(&p.a);
        CHECK((double)value(&p) == round(by_glpk(&p)));
        drop(&p);
    }
    glp_free_env();
}

/* What prices give is an allocation, at most the exact one and that at most the bound, and close to
   it on average. */
static void check_prices(void) {
    static struct problem p;
    double lost = 0;
    int problems = 60;
    for (int seed = 1; seed <= problems; seed++) {
        make(&p, (uint64_t)seed * 2, 40, 2, 32);
        allocation_solve_exact(&p.a);
        int64_t best = value(&p);
        double bound = allocation_solve_prices(&p.a, &(struct allocation_prices){0});
        int64_t found = value(&p);
        CHECK(found >= 0 && found <= best && (double)best <= bound * (1 + 1e-12));
        lost += 1 - (double)found / (double)best;
        drop(&p);
    }
    printf("by prices %.3f %% less than exact, mean\n", 100 * lost / problems);
    CHECK(lost / problems < 0.005);
}

/* The same with watts: all allocations of small problems, and integer programming of those as large
   as a round, in which watts are short, GPUs are, or both. Fewer jobs than above leave larger
   parts unused, so that the sums are further from the best. */
static void check_power(void) {
    static struct problem p;
    double lost = 0;
    int problems = 45;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        make(&p, seed, 1 + (uint32_t)(seed % 4), 1 + (uint32_t)(seed / 4 % 2), 8);
        limit_power(&p, seed, 1 + (double)(seed % 12));
        int64_t best = best_of_all(&p, 0);
        double bound = allocation_solve_prices(&p.a, &(struct allocation_prices){0});
        int64_t found = value(&p);
        CHECK(found >= 0 && found <= best && (double)best <= bound * (1 + 1e-12));
        drop(&p);
    }
    for (int seed = 1; seed <= problems; seed++) {
        make(&p, (uint64_t)seed * 2, 40, 2, 32);
        limit_power(&p, (uint64_t)seed, 16 + seed);
        double best = round(by_glpk(&p)),
               bound = allocation_solve_prices(&p.a, &(struct allocation_prices){0});
        int64_t found = value(&p);
        CHECK(found >= 0 && (double)found <= best && best <= bound * (1 + 1e-12));
        lost += 1 - (double)found / best;
        drop(&p);
    }
    glp_free_env();
    printf("with watts %.3f %% less than the best, mean\n", 100 * lost / problems);
    CHECK(lost / problems < 0.01);
}

/* What jobs gain as speedups do: k^a, with a from 0.3 to 0.95, times what the type and job are. */
static void make_smooth(struct problem *p, uint64_t seed) {
    for (uint32_t i = 0; i < p->a.count; i++) {
        double a = 0.3 + 0.65 * (double)next_random(&seed, 1001) / 1000, one = 0;
        for (uint32_t c = 0; c < p->jobs[i].count; c++) {
            struct allocation_choice *choice = &p->choices[i][c];
            if (choice->k == 1)
                one = 5e5 + (double)next_random(&seed, 1000001);
            choice->gain = llround(one * pow(choice->k, a));
        }
    }
}

/* As allocation_collect: waiting jobs of the same configurations share choices. */
static void share(struct problem *p) {
    for (uint32_t i = 0; i < p->a.count; i++) {
        uint32_t first = i;
        for (uint32_t j = 0; j < i && first == i && !p->jobs[i].runs; j++)
            if (!p->jobs[j].runs && p->in_view[j].first_config == p->in_view[i].first_config)
                first = j;
        p->jobs[i].like = first;
        p->jobs[i].choices = p->jobs[first].choices;
    }
}

/* A round of a large cluster: a third of the jobs run, a tenth of these pinned, and those that wait
   are of 20 kinds. */
static void make_large(struct problem *p, uint64_t seed, uint32_t jobs, uint32_t types) {
    make(p, seed, jobs, types, 504 / types);
    if (seed % 2 == 0)
        make_smooth(p, seed);
    for (uint32_t i = 0; i < jobs; i++) {
        struct allocation_job *job = &p->jobs[i];
        uint32_t kind = i % 20;
        if (job->runs && i % 10 == 0 && p->capacity[job->choices->gpu_type] > 8) {
            job->pinned = true;
            job->chosen = 0;
            p->capacity[job->choices->gpu_type] -= job->choices->k;
        }
        if (job->runs)
            continue;
        p->in_view[i].first_config = MOST_JOBS + kind;
        memcpy(p->choices[i], p->choices[kind], sizeof p->choices[i]);
    }
    share(p);
}

/* Lagrange's bound, job by job: the value of all GPUs and what each job gains beyond its price. */
static double bound_at(const struct problem *p, const double *price) {
    double bound = 0;
    for (uint32_t t = 0; t < p->a.type_count; t++)
        bound += price[t] * p->capacity[t];
    for (uint32_t i = 0; i < p->a.count; i++) {
        double most = 0;
        for (uint32_t c = 0; c < p->jobs[i].count && !p->jobs[i].pinned; c++) {
            const struct allocation_choice *choice = &p->jobs[i].choices[c];
            if (choice->k <= p->capacity[choice->gpu_type])
                most = fmax(most, (double)choice->gain - price[choice->gpu_type] * choice->k);
        }
        bound += most;
    }
    return bound;
}

/* How far, as a share, what prices find is below the bound; with what must hold of any solution. */
static double check_gap(struct problem *p, struct allocation_prices *last) {
    static uint32_t before[MOST_JOBS];
    struct allocation_prices again = *last;
    double bound = allocation_solve_prices(&p->a, last);
    int64_t found = value(p);
    CHECK(found >= 0 && (double)found <= bound * (1 + 1e-12));
    CHECK(fabs(bound_at(p, last->price) - bound) <= 1e-9 * bound);
    for (uint32_t i = 0; i < p->a.count; i++) {
        before[i] = p->jobs[i].chosen;
        CHECK(!p->jobs[i].pinned || before[i] == 0);
    }
    allocation_solve_prices(&p->a, &again);
    for (uint32_t i = 0; i < p->a.count; i++)
        CHECK(p->jobs[i].chosen == before[i]);
    drop(p);
    return bound > 0 ? 1 - (double)found / bound : 0;
}

/* Each round from nothing, then with some GPUs less from its prices, and from prices that tell
   nothing. Half of them have steps in their gains, and many ties. */
static void check_large(void) {
    static struct problem p;
    const uint32_t jobs[] = {60, 300, 2000};
    double mean[2] = {0}, worst[2] = {0};
    for (uint64_t seed = 1; seed <= 24; seed++) {
        struct allocation_prices last = {0};
        make_large(&p, seed, jobs[seed % 3], 1 + (uint32_t)(seed / 3 % MOST_TYPES));
        for (int i = 0; i < 4; i++) {
            double gap = check_gap(&p, &last);
            mean[seed % 2] += gap / 48;
            worst[seed % 2] = fmax(worst[seed % 2], gap);
            p.capacity[0] -= i == 0 ? p.capacity[0] / 10 : 0;
            for (uint32_t t = 0; t < p.a.type_count && i > 0; t++)
                last.price[t] *= i == 1 ? 1e-6 : 1e9;
        }
    }
    printf("by prices %.4f %% less than the bound, mean, %.3f %% at worst; with steps %.3f, %.2f\n",
           100 * mean[0], 100 * worst[0], 100 * mean[1], 100 * worst[1]);
    CHECK(mean[0] < 0.001 && worst[0] < 0.01 && mean[1] < 0.005 && worst[1] < 0.04);
}

/* No types, no jobs, no GPUs, no gains: nobody has any. */
static void check_nothing(void) {
    static struct problem p;
    for (uint32_t types = 0; types <= 3; types++)
        for (int nothing = 0; nothing < 3; nothing++) {
            make(&p, 4, nothing == 0 ? 0 : 30, types, nothing == 1 ? 0 : 64);
            for (uint32_t i = 0; i < p.a.count; i++)
                for (uint32_t c = 0; c < p.jobs[i].count && nothing == 2; c++)
                    p.choices[i][c].gain = -1 - (int64_t)c;
            struct allocation_prices last = {0};
            CHECK(allocation_solve_prices(&p.a, &last) == 0);
            for (uint32_t i = 0; i < p.a.count; i++)
                CHECK(p.jobs[i].chosen == EASIM_NONE);
            drop(&p);
        }
}

/* 900 equal jobs on 504 GPUs of one type, each worth 7 with one and 10 with two: one each, to the
   first. So 504 x 7, and that is the bound, at 7 a GPU. */
static void check_equal(void) {
    static struct problem p;
    struct allocation_prices last = {0};
    make(&p, 2, 900, 1, 504);
    for (uint32_t i = 0; i < p.a.count; i++) {
        p.jobs[i].runs = false;
        p.jobs[i].count = 2;
        p.choices[i][0] = (struct allocation_choice){.k = 1, .gain = 7000000};
        p.choices[i][1] = (struct allocation_choice){.k = 2, .gain = 10000000};
        p.in_view[i].first_config = 0;
    }
    share(&p);
    CHECK(fabs(allocation_solve_prices(&p.a, &last) - 504 * 7e6) < 1e-6 * 504 * 7e6);
    CHECK(fabs(last.price[0] - 7e6) < 1e-6 * 7e6 && value(&p) == 504 * 7000000LL);
    for (uint32_t i = 0; i < p.a.count; i++)
        CHECK(p.jobs[i].chosen == (i < 504 ? 0 : EASIM_NONE));
    drop(&p);
}

/* As check_equal, where a GPU takes 350 W and there are 35,000 W: one each, to the first 100; GPUs
   cost nothing, 350 W cost 7. Where the second GPU takes no more watts: two each, to 100. 60 cuts
   of an ellipse leave prices less exact than 30 of a line do. */
static void check_equal_power(void) {
    static struct problem p;
    for (int is_free = 0; is_free < 2; is_free++) {
        struct allocation_prices last = {0};
        make(&p, 2, 900, 1, 504);
        p.a.power = &p.power;
        p.a.lacks_power = true;
        p.a.nw = 100 * 350000000000;
        for (uint32_t i = 0; i < p.a.count; i++) {
            p.jobs[i].runs = false;
            p.jobs[i].count = 2;
            p.choices[i][0] =
                (struct allocation_choice){.k = 1, .gain = 7000000, .nw = 350000000000};
            p.choices[i][1] = (struct allocation_choice){
                .k = 2, .gain = 10000000, .nw = is_free ? 350000000000 : 700000000000};
            p.in_view[i].first_config = 0;
        }
        share(&p);
        double each = is_free ? 10e6 : 7e6;
        CHECK(fabs(allocation_solve_prices(&p.a, &last) - 100 * each) < 1e-4 * 100 * each);
        CHECK(value(&p) == llround(100 * each) && last.price[0] < 1e-4 * each);
        CHECK(fabs(last.price[1] * 350e9 - each) < 1e-4 * each);
        for (uint32_t i = 0; i < p.a.count; i++)
            CHECK(p.jobs[i].chosen == (i < 100 ? (uint32_t)is_free : EASIM_NONE));
        drop(&p);
    }
}

/* Four jobs run and two wait when the cap falls to half of what they take: they keep it. With all
   of it, nobody gains by an exchange; with that of one more, the first that waits has it. */
static void check_fall(void) {
    static struct problem p;
    for (int watts = 700; watts <= 1750; watts += 350) {
        make(&p, 2, 6, 1, 8);
        p.a.power = &p.power;
        p.a.lacks_power = true;
        p.a.nw = watts * 1000000000LL;
        for (uint32_t i = 0; i < 6; i++) {
            p.jobs[i].runs = i < 4;
            p.jobs[i].count = 1;
            p.choices[i][0] =
                (struct allocation_choice){.k = 1, .gain = 7000000, .nw = 350000000000};
        }
        allocation_solve_prices(&p.a, &(struct allocation_prices){0});
        for (uint32_t i = 0; i < 6; i++)
            CHECK(p.jobs[i].chosen == (i < (watts < 1750 ? 4 : 5) ? 0 : EASIM_NONE));
        drop(&p);
    }
}

/* Identical jobs and few GPUs: the first have them, running ones before waiting ones keep theirs.
 */
static void check_ties(void) {
    static struct problem p;
    make(&p, 1, 5, 1, 2);
    for (uint32_t i = 0; i < 5; i++) {
        p.jobs[i].runs = i < 1;
        p.jobs[i].count = 2;
        p.choices[i][0] = (struct allocation_choice){.k = 1, .gain = 1000};
        p.choices[i][1] = (struct allocation_choice){.k = 2, .gain = 1500};
    }
    for (int by_prices = 0; by_prices < 2; by_prices++) {
        if (by_prices)
            allocation_solve_prices(&p.a, &(struct allocation_prices){0});
        else
            allocation_solve_exact(&p.a);
        CHECK(p.jobs[0].chosen == 0 && p.jobs[1].chosen == 0 && p.jobs[2].chosen == EASIM_NONE);
    }
    drop(&p);
}

/* A pinned job keeps what it has, whatever others would gain. */
static void check_pinned(void) {
    static struct problem p;
    make(&p, 2, 2, 1, 8);
    p.jobs[0].runs = p.jobs[0].pinned = true;
    p.jobs[0].chosen = 0;
    p.jobs[1].choices[3].gain = 1000000000;
    p.capacity[0] -= p.jobs[0].choices[0].k;
    allocation_solve_exact(&p.a);
    CHECK(p.jobs[0].chosen == 0 && p.jobs[1].chosen != 3);
    allocation_solve_prices(&p.a, &(struct allocation_prices){0});
    CHECK(p.jobs[0].chosen == 0 && p.jobs[1].chosen != 3);
    drop(&p);
}

/* Costs of a job without GPUs so large that they leave nothing of the others, and all the same. */
static void check_score(void) {
    static struct problem p;
    make(&p, 2, 3, 1, 8);
    for (uint32_t i = 0; i < 3; i++) {
        p.jobs[i].none_cost = 1e12;
        for (uint32_t c = 0; c < p.jobs[i].count; c++)
            p.choices[i][c].cost = 1 / (1.0 + c);
    }
    allocation_score(&p.a);
    for (uint32_t c = 1; c < p.jobs[0].count; c++)
        CHECK(p.choices[0][c].gain > p.choices[0][c - 1].gain);
    /* all three have GPUs: 4 + 2 + 2 (1/3 + 1/2 + 1/2) is less than any other */
    allocation_solve_exact(&p.a);
    CHECK(p.jobs[0].chosen == 2 && p.jobs[1].chosen == 1 && p.jobs[2].chosen == 1);
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t c = 0; c < p.jobs[i].count; c++)
            p.choices[i][c].cost = 1e12;
    allocation_score(&p.a);
    CHECK(p.choices[0][0].gain == p.choices[2][3].gain && p.choices[0][0].gain >= 0);
    drop(&p);
}

int main(void) {
    check_small();
    check_against_glpk();
    check_prices();
    check_power();
    check_equal_power();
    check_large();
    check_nothing();
    check_equal();
    check_fall();
    check_ties();
    check_pinned();
    check_score();
    return checks_failed > 0;
}
