/* A recorded run again, from one change to the next: what is free, who waits and could start, power
   and cap. Jobs that wait stand in groups of equal wishes, so that a step costs what there are of
   these, however long the queue is. */
#ifndef EASIM_INSIGHT_RULES_QUEUE_REPLAY_H
#define EASIM_INSIGHT_RULES_QUEUE_REPLAY_H

#include "base/intern.h"
#include "insight/rules/power_steps.h"
#include "insight/waste/instants.h"

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

/* What holds from from_ns to to_ns. Release with queue_replay_finish. */
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
void queue_replay_init(struct queue_replay *replay, const struct recorded_run *run,
                       const struct power_steps *power);
void queue_replay_finish(struct queue_replay *replay);

/* The next interval, longer than nothing; false: the run is over, or holds what its nodes have not
   (which waste_of_run reports). The first begins at 0. */
bool queue_replay_next(struct queue_replay *replay);

/* The first in order of submission of those who wait; EASIM_NONE: nobody. */
uint32_t queue_replay_head(const struct queue_replay *replay);
/* The group of a job that waits now. */
uint32_t queue_replay_group(const struct queue_replay *replay, uint32_t job);

/* What a job of a group finds now. */
struct queue_fit {
    bool gpus;              /* some choice fits what is free */
    bool power;             /* and one of them the cap, too, or there is no cap */
    double goodput;         /* of the fastest that fits both; 0: none does */
    int64_t least_added_nw; /* of those that fit the GPUs; INT64_MAX: none does */
};
struct queue_fit queue_replay_fit(const struct queue_replay *replay, uint32_t group);

#endif
