/* Declarations shared by the files of src/insight/rules, for this folder alone. */
#ifndef EASIM_INSIGHT_RULES_INTERNAL_H
#define EASIM_INSIGHT_RULES_INTERNAL_H

#include "base/intern.h"
#include "easim/policy.h"
#include "insight/rules/insight.h"
#include "insight/rules/power_steps.h"
#include "insight/rules/rule_run.h"
#include "insight/waste/instants.h"

/* --- rules: of each rule: the struct of its thresholds, what looks for it, and its figures --- */

/* clang-format off */
#define RULE(of, ...) struct of##_thresholds {
#define ROW(of, name, member, type, ...) type member;
#define RULE_END(of) }; \
    void find_##of(const struct rule_run *run, const void *thresholds, struct insights *insights);
#define MORE_FIGURES(of, ...) \
    struct of##_figures { __VA_ARGS__ }; \
    extern const struct insight_figure of##_figures[];
#define X(name, unit, meaning) double name;
#define X_TEXT(name, meaning) const char *name;
#include "insight/rules/rules.def"
/* clang-format on */

/* SHOW(insight, frag, .time_share = x, ...): all figures of FIGURES(frag, ...). */
#define SHOW(insight, of, ...) \
    insight_figures(insight, of##_figures, &(const struct of##_figures){__VA_ARGS__})

/* --- proposal --- */
/* A change is offered only if the run's policy, models and scenario know what it changes. */

/* policy.params.NAME=VALUE if the policy has a parameter of that role with another value. */
bool proposal_param(struct insight *insight, const char *role, const char *value);
/* The same for a number of seconds, times `factor` of its value; off and 0 become usual_s. */
bool proposal_duration(struct insight *insight, const char *role, double factor, double usual_s);
/* Every other policy that declares one of these, EASIM_READS_* and EASIM_KEEPS_*; those that are
   there and run are tried with their usual parameters. */
static inline void proposal_policies(struct insight *insight, uint32_t reads, uint32_t keeps) {
    insight->what_if.reads = reads;
    insight->what_if.keeps = keeps;
}
/* A constant cap without effect: the most that all GPUs and nodes can draw; an assumption. */
void proposal_free_cap(struct insight *insight);
/* Jobs that may take fewer GPUs: the scenario's list `workload.k` with 1 and the powers of two
   below its least. False: it has no such list, or several streams. */
bool proposal_smaller_k(struct insight *insight);
/* Power limits, where the policy may set them, does not, and the models have levels. */
bool proposal_power_limits(struct insight *insight);
/* One more entry of model_overrides, as a YAML mapping. */
void proposal_override(struct insight *insight, const char *entry);

/* A section of the scenario; NULL: it has none. */
const struct yaml_node *proposal_section(const struct insight *insight, const char *key);
/* The shortest text that reads back as the number. */
const char *proposal_number(struct insight *insight, double value);
/* Why there is nothing to try. A literal, or in the list's arena. */
static inline void proposal_none(struct insight *insight, const char *why) {
    insight->what_if.note = why;
}

/* --- narrower --- */
/* What-ifs that let jobs choose from less: the lists k, b and h of the section workload. A change
   is offered only if the scenario has such lists and something is left of them. */

/* Numbers of GPUs up to `most`. */
bool narrower_k(struct insight *insight, uint32_t most);
/* Exactly these batches per GPU, ascending. */
bool narrower_b(struct insight *insight, const double *batches, size_t count);
/* One GPU type alone. */
bool narrower_h(struct insight *insight, uint32_t gpu_type);

/* --- queue_replay --- */
/* Jobs wait in groups of equal wishes, so a step costs what there are of these, not the queue's
   length. */

/* GPUs of a type that jobs of a group could take: of their configurations with as many the fastest,
   and what they add to the power at least, by span. */
struct queue_choice {
    uint32_t config;
    int64_t added_nw[EASIM_ACROSS_NODES + 1];
};

struct queue_group {
    uint32_t first, count; /* choices */
    uint32_t waiting;      /* jobs now */
    uint32_t place;        /* among the groups that somebody of waits */
};

/* The state from from_ns to to_ns. Release with queue_replay_finish. */
struct queue_replay {
    const struct recorded_run *run;
    const struct power_steps *power; /* NULL: no cap counts */
    int64_t from_ns, to_ns;
    struct power_step drawn; /* the power now */
    double cap_w;            /* INFINITY: none */
    struct room_free *free;  /* by GPU type */
    struct idset waiting;    /* jobs by index: the first is the first submitted */
    uint32_t waiting_count;
    struct instants instants;
    ARRAY_OF(struct queue_choice) choices;
    ARRAY_OF(struct queue_group) groups;
    ARRAY_OF(uint32_t) active; /* groups that somebody of waits */
    uint32_t *group_of_set;    /* of the table of configurations; EASIM_NONE: not met yet */
    uint32_t *waits_in;        /* by job: its group, while it waits */
    struct intern keys;
    ARRAY_OF(uint32_t) came; /* jobs that wait since from_ns */
    size_t next_power, next_step;
};

/* power NULL: no cap holds, as for a policy that does not keep it. */
void queue_replay_init(struct queue_replay *replay, const struct rule_run *rule_run,
                       const struct power_steps *power);
void queue_replay_finish(struct queue_replay *replay);

/* The next interval, longer than nothing; false: the run is over, or holds what its nodes have not
   (which waste_of_run reports). The first begins at 0. */
bool queue_replay_next(struct queue_replay *replay);

/* The first waiting job in order of submission; EASIM_NONE: no job waits. */
uint32_t queue_replay_head(const struct queue_replay *replay);
/* The group of a job that waits now. */
uint32_t queue_replay_group(const struct queue_replay *replay, uint32_t job);

/* The configurations that a job of a group could start in now. */
struct queue_fit {
    bool gpus;              /* some choice fits what is free */
    bool power;             /* and one of them the cap, too, or there is no cap */
    double goodput;         /* of the fastest that fits both; 0: none does */
    int64_t least_added_nw; /* of choices that fit the GPUs; INT64_MAX: none does */
};
struct queue_fit queue_replay_fit(const struct queue_replay *replay, uint32_t group);

#endif
