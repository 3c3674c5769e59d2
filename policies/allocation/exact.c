/* The greatest sum of gains, exactly: see allocation.h. A state is how many GPUs of each type may
   be used; jobs come one by one, who goes first last, so that of equal sums the one that is best
   for the first is found. */
#include "allocation.h"

double allocation_exact_steps(const struct allocation *a) {
    double states = 1, choices = 0;
    for (uint32_t t = 0; t < a->type_count; t++)
        states *= a->capacity[t] + 1.0;
    for (uint32_t i = 0; i < a->count; i++)
        choices += a->jobs[i].pinned ? 0 : a->jobs[i].count + 1.0;
    return states * choices;
}

struct table {
    size_t states, *strides; /* a state is the sum of GPUs x stride */
    uint32_t *gpus;          /* of type t in state s: gpus[t * states + s] */
    int64_t *best;           /* greatest sum of the jobs so far, by state */
};

static struct table make_table(const struct allocation *a) {
    const struct easim_pass *pass = a->pass;
    struct table t = {.states = 1};
    t.strides = pass->host->scratch(pass->plan, a->type_count * sizeof *t.strides);
    for (uint32_t h = 0; h < a->type_count; h++) {
        t.strides[h] = t.states;
        t.states *= (size_t)a->capacity[h] + 1;
    }
    t.gpus = pass->host->scratch(pass->plan, t.states * a->type_count * sizeof *t.gpus);
    t.best = pass->host->scratch(pass->plan, t.states * sizeof *t.best);
    for (uint32_t h = 0; h < a->type_count; h++)
        for (size_t s = 0; s < t.states; s++)
            t.gpus[h * t.states + s] = (uint32_t)(s / t.strides[h] % (a->capacity[h] + 1));
    return t;
}

/* Whether of equal sums the one in which the job has `choice` goes before that in which it has
   `held`, NULL: nothing: a running job keeps what it has, else the job has more of it. */
static bool breaks_tie(const struct allocation_job *job, const struct allocation_choice *choice,
                       const struct allocation_choice *held) {
    if (!held)
        return choice->gain >= 0;
    return !(job->runs && held == job->choices) && choice->gain > held->gain;
}

/* What the job takes in each state, 0: nothing, else the choice + 1. States go down: smaller ones
   still hold the sums without this job. */
static void add_job(const struct table *t, const struct allocation_job *job, uint16_t *takes) {
    for (size_t s = t->states; s-- > 0;) {
        int64_t best = t->best[s];
        for (uint32_t c = 0; c < job->count; c++) {
            const struct allocation_choice *choice = &job->choices[c];
            if (choice->k > t->gpus[choice->gpu_type * t->states + s])
                continue;
            int64_t sum = t->best[s - choice->k * t->strides[choice->gpu_type]] + choice->gain;
            if (sum > best ||
                (sum == best &&
                 breaks_tie(job, choice, takes[s] ? &job->choices[takes[s] - 1] : NULL))) {
                best = sum;
                takes[s] = (uint16_t)(c + 1);
            }
        }
        t->best[s] = best;
    }
}

void allocation_solve_exact(struct allocation *a) {
    struct table t = make_table(a);
    uint16_t *takes = a->pass->host->scratch(a->pass->plan, a->count * t.states * sizeof *takes);
    for (uint32_t i = a->count; i-- > 0;)
        if (!a->jobs[i].pinned)
            add_job(&t, &a->jobs[i], &takes[i * t.states]);
    size_t left = t.states - 1;
    for (uint32_t i = 0; i < a->count; i++) {
        struct allocation_job *job = &a->jobs[i];
        if (job->pinned || takes[i * t.states + left] == 0)
            continue;
        job->chosen = takes[i * t.states + left] - 1u;
        const struct allocation_choice *choice = &job->choices[job->chosen];
        left -= choice->k * t.strides[choice->gpu_type];
    }
}
