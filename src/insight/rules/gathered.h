/* Figures that a rule gathers from many jobs: their owners, sums, and the jobs of most weight. */
#ifndef EASIM_INSIGHT_RULES_GATHERED_H
#define EASIM_INSIGHT_RULES_GATHERED_H

#include "base/intern.h"
#include "insight/rules/insight.h"
#include "insight/rules/rule_run.h"
#include "model/model.h"

/* --- top_list: the few of many that weigh most, in one pass --- */

struct top_entry {
    double weight;
    uint32_t index;         /* of a job, a user, whatever was counted */
    int64_t from_ns, to_ns; /* if it is of a time */
};

/* Zero-initialise. Heaviest first, of equal ones the first that came. */
struct top_list {
    struct top_entry at[INSIGHT_MOST_EVIDENCE];
    size_t count; /* at most INSIGHT_MOST_EVIDENCE */
    size_t total; /* of all that came */
};

static inline void top_list_add(struct top_list *list, struct top_entry entry) {
    list->total++;
    if (list->count == INSIGHT_MOST_EVIDENCE &&
        entry.weight <= list->at[INSIGHT_MOST_EVIDENCE - 1].weight)
        return;
    size_t place = list->count < INSIGHT_MOST_EVIDENCE ? list->count++ : list->count - 1;
    for (; place > 0 && list->at[place - 1].weight < entry.weight; place--)
        list->at[place] = list->at[place - 1];
    list->at[place] = entry;
}

/* --- kept_work --- */
/* The computing of a run that was kept, piece by piece, for rules about configurations. Rigid jobs
   have no choice of a configuration, and no pieces. */

/* The part of a segment within the measured time. */
struct kept_piece {
    const struct recorded_segment *segment;
    const struct job_spec *spec;
    const struct easim_config *config;
    uint32_t job, set; /* of the table: that of the segment's phase */
    double work;       /* reference samples */
    double s, gpu_s, energy_j;
};

/* That of a segment; false: it has none. */
bool kept_work_at(const struct rule_run *rule_run, size_t at, struct kept_piece *piece);
/* From segment *at on; false: there is none. Start with *at = 0. */
bool kept_work_next(const struct rule_run *rule_run, size_t *at, struct kept_piece *piece);

/* A place among all configurations that a set allows. */
struct kept_configs {
    const struct easim_config *at;
    uint32_t count;
};
struct kept_configs kept_work_configs(const struct rule_run *rule_run, uint32_t set);

/* The span in which configurations are compared: that of the empty cluster; the one that it got, if
   it is not known there. */
uint32_t kept_work_span(const struct kept_piece *piece);
/* For one unit of work, by the model: energy of the GPUs, J, and GPU-seconds. Needs a goodput. */
double kept_work_unit_j(const struct easim_config *config, uint32_t span);
double kept_work_unit_gpu_s(const struct easim_config *config, uint32_t span);

/* --- gathered --- */

#define GATHERED_MEANS 6

/* The sums for one key. */
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
/* Counts a piece of a job, with this weight among the evidence. */
void gathered_add(struct gathered *gathered, uint32_t job, int64_t from_ns, int64_t to_ns,
                  double weight);
/* A piece with its GPU time; its work is the caller's to add. */
void gathered_add_piece(struct gathered *gathered, const struct kept_piece *piece, double weight);
double gathered_mean(const struct gathered *gathered, size_t which); /* by work */
void gathered_list_finish(struct gathered_list *list);

/* After the last piece: a new insight about the model of the key, else the GPU type, with the
   window and the jobs of most weight; note: "%.4g kWh over the best" of the weight times factor. */
struct insight *gathered_report(const struct rule_run *rule_run, struct gathered *gathered,
                                const char *note, double factor, struct insights *insights);

typedef void (*gathered_piece_fn)(const struct rule_run *rule_run, const struct kept_piece *piece,
                                  const void *thresholds, struct gathered_list *list);
typedef void (*gathered_report_fn)(const struct rule_run *rule_run, struct gathered *gathered,
                                   struct insights *insights);
/* Reports each key, and releases the list. */
void gathered_report_all(const struct rule_run *rule_run, struct gathered_list *list,
                         gathered_report_fn report, struct insights *insights);
/* The whole of a rule that gathers the pieces of kept work one by one. */
void gathered_rule(const struct rule_run *rule_run, const void *thresholds,
                   gathered_piece_fn gather, gathered_report_fn report, struct insights *insights);

/* --- job_evidence --- */
/* Jobs as evidence: those of most weight, each with its time and what to see. */

/* One of them: entry->index is that of a job, and its time is the entry's. The note is made as by
   printf. */
void job_evidence_add(struct insight *insight, const struct top_entry *entry, const char *format,
                      ...) __attribute__((format(printf, 3, 4)));

#endif
