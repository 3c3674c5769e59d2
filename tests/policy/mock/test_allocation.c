/* The solvers of goodput and sia on random problems: against all allocations of small ones, against
   GLPK's branch and bound on those as large as a round, and by prices against the exact one. */
#include "../../../policies/allocation/allocation.h"

#include "check.h"

#include <glpk.h>
#include <stdlib.h>
#include <string.h>

#define MOST_JOBS    40
#define MOST_CHOICES 8
#define MOST_TYPES   2

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
                               .count = jobs};
    bool coarse = seed % 2;
    for (uint32_t t = 0; t < types; t++)
        p->capacity[t] = gpus;
    for (uint32_t i = 0; i < jobs; i++) {
        p->in_view[i].index = i;
        p->jobs[i] = (struct allocation_job){
            .job = &p->in_view[i], .choices = p->choices[i], .chosen = EASIM_NONE};
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

/* The sum of what has been chosen; -1 if there are not as many GPUs. */
static int64_t value(const struct problem *p) {
    int64_t sum = 0;
    uint32_t used[MOST_TYPES] = {0};
    for (uint32_t i = 0; i < p->a.count; i++)
        if (p->jobs[i].chosen != EASIM_NONE) {
            const struct allocation_choice *c = &p->jobs[i].choices[p->jobs[i].chosen];
            used[c->gpu_type] += c->k;
            sum += c->gain;
        }
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
        if (choice->k > p->capacity[choice->gpu_type])
            continue;
        p->capacity[choice->gpu_type] -= choice->k;
        int64_t sum = choice->gain + best_of_all(p, job + 1);
        p->capacity[choice->gpu_type] += choice->k;
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

/* The same by integer programming: a column for each choice, rows for GPU types and jobs. */
static double by_glpk(const struct problem *p) {
    static int rows[2 * MOST_JOBS * MOST_CHOICES + 1], columns[2 * MOST_JOBS * MOST_CHOICES + 1];
    static double values[2 * MOST_JOBS * MOST_CHOICES + 1];
    int types = (int)p->a.type_count, entries = 0, column = 0;
    glp_prob *program = glp_create_prob();
    glp_iocp how;
    glp_term_out(GLP_OFF);
    glp_set_obj_dir(program, GLP_MAX);
    glp_add_rows(program, types + (int)p->a.count);
    for (int t = 0; t < types; t++)
        glp_set_row_bnds(program, 1 + t, GLP_UP, 0, p->capacity[t]);
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
        double bound = allocation_solve_prices(&p.a);
        int64_t found = value(&p);
        CHECK(found >= 0 && found <= best && (double)best <= bound * (1 + 1e-12));
        lost += 1 - (double)found / (double)best;
        drop(&p);
    }
    printf("by prices %.3f %% less than exact, mean\n", 100 * lost / problems);
    CHECK(lost / problems < 0.005);
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
    allocation_solve_exact(&p.a);
    CHECK(p.jobs[0].chosen == 0 && p.jobs[1].chosen == 0 && p.jobs[2].chosen == EASIM_NONE);
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
    allocation_solve_prices(&p.a);
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
    check_ties();
    check_pinned();
    check_score();
    return checks_failed > 0;
}
