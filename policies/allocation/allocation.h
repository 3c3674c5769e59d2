/* Who gets which GPUs, all jobs at once and in rounds: what goodput and sia have in common. Each
   tells what every job would cost with every allocation and with none; here the sum is minimised
   under the numbers of GPUs and the power below an enforced cap, and the plan carried out. */
#ifndef EASIM_ALLOCATION_H
#define EASIM_ALLOCATION_H

#include <easim/power.h>

#define ALLOCATION_MOST_TYPES 64 /* of GPUs, and power, whose prices are kept */

/* A job with k GPUs of a type, in the configuration of most goodput among those. */
struct allocation_choice {
    uint32_t config, gpu_type, k;
    double goodput; /* on the empty cluster; of the present allocation: as it is placed */
    double cost;    /* from the rule */
    int64_t gain;   /* against nothing, in whole units, so that ties are exact */
    int64_t nw;     /* power that it takes below an enforced cap; 0: there is none */
};

struct allocation_job {
    const struct easim_job *job;
    struct allocation_choice *choices; /* the present one first, then by GPU type and k */
    uint32_t count;
    bool runs;         /* choices[0] is its present allocation */
    bool pinned;       /* and it keeps it */
    double none_cost;  /* from the rule: if it has no GPUs, or loses those it has */
    double leave_cost; /* from the rule: of losing them, on top; >= 0 */
    uint32_t chosen;   /* of choices; EASIM_NONE: no GPUs */
    uint32_t like;     /* of the jobs: the first that has the same choices, or itself */
};

struct allocation {
    const struct easim_pass *pass;
    uint32_t type_count, *capacity;  /* GPUs that can be given, those of pinned jobs left out */
    const struct easim_power *power; /* NULL: no cap is enforced now */
    int64_t nw;                      /* likewise power; 0 without a cap */
    bool lacks_power;                /* GPUs alone do not decide: it is to be shared, too */
    bool has_lacked;                 /* in this round or an earlier one */
    struct allocation_job *jobs;     /* who goes first on a tie first: running, then waiting */
    uint32_t count;
    struct allocation_choice *room; /* while jobs are collected: for those of one */
    uint32_t room_count;
    uint32_t everybody; /* running and waiting jobs, those left out of `jobs` too */
    double unit;        /* gains that a cost of 1 is */
};

struct allocation_rule {
    double interval_s;  /* between rounds */
    int64_t most_steps; /* of the exact solver, per round */
    /* Fills in the costs of one job; of a waiting job a function of its configurations alone. */
    void (*weigh)(const struct allocation *a, struct allocation_job *job);
};

/* Of the last round that was solved by prices, by GPU type: what a GPU costs; then a nW. */
struct allocation_prices {
    bool known;
    double price[ALLOCATION_MOST_TYPES];
};

/* Zeroed by the host, one per run. */
struct allocation_state {
    double next_s;                    /* of the next round; has been asked for if it lies ahead */
    struct allocation_prices last[2]; /* of rounds without and with power */
    bool has_lacked;                  /* power, in a round */
};

/* A decision: a round if one is due. */
void allocation_decide(const struct easim_pass *pass, struct allocation_state *state,
                       const struct allocation_rule *rule);
/* Pollux's and Sia's factor for a job that has to restart: (age - R d) / (age + d), at least 0; R
   restarts so far, d what one takes. */
double allocation_restart_factor(const struct easim_view *view, const struct easim_job *job);

/* --- parts --- */

/* Jobs and their choices, memory of the decision. Waiting jobs of the same configurations share
   choices; of these jobs there are at most as many as GPUs, because the others cannot matter. */
void allocation_collect(struct allocation *a, const struct easim_pass *pass);
/* Costs to gains; every job's `chosen` becomes none, of pinned ones the present. */
void allocation_score(struct allocation *a);
/* Work of the exact solver, in steps; INFINITY if a double does not hold the number of states. */
double allocation_exact_steps(const struct allocation *a);
/* Greatest sum of gains, by dynamic programming over the numbers of GPUs. */
void allocation_solve_exact(struct allocation *a);
/* Whether the power suffices for what has been chosen. */
bool allocation_has_power(const struct allocation *a);
/* By prices of GPUs, and of power if that is lacking, from those of the last round on, which become
   those of this. Returns an upper bound of the greatest sum. */
double allocation_solve_prices(struct allocation *a, struct allocation_prices *last);
void allocation_carry_out(const struct allocation *a);

#endif
