/* The greatest sum of gains, exactly: see allocation.h. A state is how many GPUs of each type, in
   units that all choices share, may be used; jobs come one by one, who goes first last, so that of
   equal sums the one that is best for the first is found. */
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
    size_t states, *strides; /* a state is the sum of units x stride */
    uint32_t *units;         /* by type: GPUs that are always taken together */
    uint32_t *gpus;          /* units of type t in state s: gpus[t * states + s] */
    int64_t *best;           /* greatest sum of the jobs so far, by state */
};

static uint32_t common_divisor(uint32_t a, uint32_t b) {
    while (b != 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* What divides every k of a type: a state between two of its multiples is worth the lower one. */
static uint32_t unit_of(const struct allocation *a, uint32_t gpu_type) {
    uint32_t unit = 0;
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t c = 0; c < a->jobs[i].count && !a->jobs[i].pinned; c++)
            if (a->jobs[i].choices[c].gpu_type == gpu_type)
                unit = common_divisor(a->jobs[i].choices[c].k, unit);
    return unit > 0 ? unit : 1;
}

static struct table make_table(const struct allocation *a) {
    const struct easim_pass *pass = a->pass;
    struct table t = {.states = 1};
    t.strides = pass->host->scratch(pass->plan, a->type_count * sizeof *t.strides);
    t.units = pass->host->scratch(pass->plan, a->type_count * sizeof *t.units);
    for (uint32_t h = 0; h < a->type_count; h++) {
        t.units[h] = unit_of(a, h);
        t.strides[h] = t.states;
        t.states *= (size_t)a->capacity[h] / t.units[h] + 1;
    }
    t.gpus = pass->host->scratch(pass->plan, t.states * a->type_count * sizeof *t.gpus);
    t.best = pass->host->scratch(pass->plan, t.states * sizeof *t.best);
    for (uint32_t h = 0; h < a->type_count; h++)
        for (size_t s = 0; s < t.states; s++)
            t.gpus[h * t.states + s] =
                (uint32_t)(s / t.strides[h] % (a->capacity[h] / t.units[h] + 1));
    return t;
}

static uint32_t units_of(const struct table *t, const struct allocation_choice *choice) {
    return choice->k / t->units[choice->gpu_type];
}

/* Whether of equal sums the one in which the job has `choice` goes before that in which it has
   `held`, NULL: nothing: a running job keeps what it has, else the job has more of it. */
static bool breaks_tie(const struct allocation_job *job, const struct allocation_choice *choice,
                       const struct allocation_choice *held) {
    if (!held)
        return choice->gain >= 0;
    return !(job->runs && held == job->choices) && choice->gain > held->gain;
}

/* What a choice takes: units, how many states lower that is, and what each state has of them. */
struct step {
    uint32_t units;
    size_t states;
    const uint32_t *gpus;
};

/* What the job takes in each state, 0: nothing, else the choice + 1. States go down: smaller ones
   still hold the sums without this job. */
static void add_job(const struct table *t, const struct allocation_job *job,
                    const struct step *steps, uint16_t *takes) {
    for (size_t s = t->states; s-- > 0;) {
        int64_t best = t->best[s];
        for (uint32_t c = 0; c < job->count; c++) {
            const struct allocation_choice *choice = &job->choices[c];
            if (steps[c].units > steps[c].gpus[s])
                continue;
            int64_t sum = t->best[s - steps[c].states] + choice->gain;
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

/* The steps of each choice of a job, into room for the most choices of one. */
static void find_steps(const struct table *t, const struct allocation_job *job,
                       struct step *steps) {
    for (uint32_t c = 0; c < job->count; c++) {
        uint32_t h = job->choices[c].gpu_type, units = units_of(t, &job->choices[c]);
        steps[c] = (struct step){units, units * t->strides[h], &t->gpus[h * t->states]};
    }
}

void allocation_solve_exact(struct allocation *a) {
    struct table t = make_table(a);
    uint16_t *takes = a->pass->host->scratch(a->pass->plan, a->count * t.states * sizeof *takes);
    uint32_t most = 1;
    for (uint32_t i = 0; i < a->count; i++)
        most = a->jobs[i].count > most ? a->jobs[i].count : most;
    struct step *steps = a->pass->host->scratch(a->pass->plan, most * sizeof *steps);
    for (uint32_t i = a->count; i-- > 0;)
        if (!a->jobs[i].pinned) {
            find_steps(&t, &a->jobs[i], steps);
            add_job(&t, &a->jobs[i], steps, &takes[i * t.states]);
        }
    size_t left = t.states - 1;
    for (uint32_t i = 0; i < a->count; i++) {
        struct allocation_job *job = &a->jobs[i];
        if (job->pinned || takes[i * t.states + left] == 0)
            continue;
        job->chosen = takes[i * t.states + left] - 1u;
        const struct allocation_choice *choice = &job->choices[job->chosen];
        left -= units_of(&t, choice) * t.strides[choice->gpu_type];
    }
}
