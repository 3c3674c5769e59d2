/* What a rule gathers of many jobs before it speaks: whose it is, how much, and the jobs of most.
 */
#ifndef EASIM_INSIGHT_RULES_GATHERED_H
#define EASIM_INSIGHT_RULES_GATHERED_H

#include "base/intern.h"
#include "insight/rules/rule_run.h"
#include "insight/rules/top_list.h"

#define GATHERED_MEANS 6

/* All that was said of one key. */
struct gathered {
    uint32_t model, type, other;         /* the key */
    double work, gpu_s, s, energy_j;     /* of the pieces */
    double lost_j, lost_gpu_s, gained_s; /* against something else; may be negative */
    double means[GATHERED_MEANS];        /* sums of a figure x work; gathered_mean */
    double least;                        /* of some figure, INFINITY at first */
    int64_t first_ns, last_ns;
    uint32_t jobs, last_job; /* how many; the one counted last: jobs come one after the other */
    double job_weight;       /* of that one so far, and when */
    int64_t job_first_ns, job_last_ns;
    struct top_list heaviest;
};

/* Zero-initialise; release with gathered_list_finish. */
struct gathered_list {
    struct intern keys;
    ARRAY_OF(struct gathered) at;
};

struct gathered *gathered_find(struct gathered_list *list, uint32_t model, uint32_t type,
                               uint32_t other);
/* Counts a piece of a job, of so much weight among the evidence. */
void gathered_add(struct gathered *gathered, uint32_t job, int64_t from_ns, int64_t to_ns,
                  double weight);
/* After the last piece. */
void gathered_end(struct gathered *gathered);
double gathered_mean(const struct gathered *gathered, size_t which); /* by work */
void gathered_list_finish(struct gathered_list *list);

/* A new insight with the window and the jobs of most weight; note: "%.4g kWh over the best" of the
   weight times factor. */
struct insight *gathered_report(const struct rule_run *rule_run, const struct gathered *gathered,
                                const struct rule *rule, const char *note, double factor,
                                struct insights *insights);

#endif
