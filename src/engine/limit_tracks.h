/* Jobs on whole GPUs whose power limits may change, the members of limits.h, and those of them that
   change together. */
#ifndef EASIM_ENGINE_LIMIT_TRACKS_H
#define EASIM_ENGINE_LIMIT_TRACKS_H

#include "base/idset.h"
#include "engine/limit_class.h"
#include "engine/sim.h"

/* --- members: jobs that hold whole GPUs --- */

/* The part that a change of each member touches. All is of its present run: work up to done_ns, the
   rest up to since_ns. A change of the draw alone leaves the work as it is. */
struct limit_member {
    double done; /* work without noise and neighbours */
    int64_t done_ns, since_ns, throttled_ns;
    int128 energy; /* 1e-18 J */
    struct limit_hold hold;
};

/* The part that few changes touch. */
struct limit_rest {
    double stretch_done; /* done when the present stretch (segments.h) began */
    double kept_done;    /* done and drawn at the last periodic checkpoint before since_ns */
    int128 kept_energy;  /* 1e-18 J */
    int64_t kept_throttled_ns;
    double kept_lost_s;    /* lost_s of the totals at the one before counted_ns */
    int128 segment_energy; /* drawn when the present segment began */
    double predicted;      /* work that policies took to be left when its run began */
    double counted_done;   /* done when lost_s was counted last, at counted_ns */
    int64_t counted_ns, broken_ns;
    int64_t wake_ns;     /* with ALONE: when to look whether it ends soon */
    double end_work;     /* with ALONE: work of the run at its end, or that of the phase */
    uint8_t end_kind;    /* enum event_kind of that */
    int64_t interval_ns; /* of periodic checkpoints; -1: none */
};

enum limit_flag {
    LIMIT_COMPUTES = 1,
    LIMIT_FRESH = 2,      /* it got its GPUs at this instant: what the host decides holds at once */
    LIMIT_TOUCHED = 4,    /* its hold has changed in the present stretch */
    LIMIT_UNSHOWN = 8,    /* policies do not know yet */
    LIMIT_ALONE = 16,     /* no event is pending for its end: a change costs no event */
    LIMIT_METERED = 32,   /* its present segment is a run */
    LIMIT_PERIODIC = 128, /* it writes periodic checkpoints */
    LIMIT_SHOWN = 64      /* policies have been shown its hold since it got its GPUs */
};

/* Results of a job's whole life. */
struct limit_totals {
    double lost_s;
    int64_t throttled_ns, broken_ns;
};

struct limit_due {
    int64_t ns;
    uint32_t job; /* EASIM_NONE: all that are pending for then */
};

/* Changes to come of one GPU type, in the order of time. */
struct limit_queue {
    ARRAY_OF(struct limit_due) changes;
    size_t next;
    int64_t last_ns; /* of the last one, for which an event is pending */
    int64_t delay_ns;
    bool is_asked; /* by limits_ask_groups */
};

/* All members of a track have changed to another hold at ns. Totals since the track began. */
struct limit_change {
    int128 energy; /* 1e-18 J, of one member */
    double work;   /* of one since the last other speed */
    int64_t ns, throttled_ns, broken_ns;
    bool has_new_speed;
};

/* Members of one class and group that have been alike for a while: limit_tracks.c. */
struct limit_track {
    uint32_t class, group, members;
    int64_t pending, done_ns; /* as of its members; when its speed changed last */
    struct limit_hold hold;
    struct limit_change total;
    ARRAY_OF(struct limit_change) changes; /* that members may not have caught up with */
};

struct limits {
    struct limit_classes classes;
    uint32_t *class_of, *group_of; /* by job that has GPUs, as decided; EASIM_NONE: none */
    uint32_t *place_of;            /* by job: its index below + 1; 0: it is no member */
    struct limit_totals *totals;   /* by job */
    ARRAY_OF(uint32_t) jobs;
    ARRAY_OF(uint32_t) wanted, held, groups; /* class_of, the class of the hold, group_of */
    ARRAY_OF(uint8_t) flags;                 /* enum limit_flag */
    ARRAY_OF(int64_t) pending;               /* when a change takes place; -1: none is asked for */
    ARRAY_OF(uint32_t) track_of, seen; /* EASIM_NONE: none; changes of it that are in members */
    ARRAY_OF(struct limit_member) members;
    ARRAY_OF(struct limit_rest) rests;
    ARRAY_OF(struct limit_place) places;  /* by group */
    struct intern track_keys;             /* class and group */
    ARRAY_OF(struct limit_track) tracks;  /* by number of the key */
    struct idset apart;                   /* indices of members without a track */
    bool is_behind;                       /* some member has not caught up with its track */
    struct limit_queue *queues;           /* by GPU type */
    ARRAY_OF(uint32_t) fresh, unshown;    /* jobs with that flag, and such as have left */
    ARRAY_OF(uint32_t) followed;          /* jobs that limits_follow changed in this instant */
    struct timeheap wakes;                /* of members that are ALONE, ns, and such as were */
    ARRAY_OF(struct timeheap_entry) line; /* more of them, in the order of time */
    size_t line_next;
    uint64_t throttled_gpus; /* of members that compute below their wish */
    double lost_gpu_s;       /* GPUs x lost_s that is in the totals of jobs */
};

/* --- classes --- */

static inline uint32_t limits_class(struct sim *sim, uint32_t job, uint32_t config, uint32_t span,
                                    double wish_w) {
    const struct utilization_steps *steps = sim->workload->jobs.at[job].utilization;
    double utilization = sim->uses && steps ? steps->at[sim->uses[job].step].value : -1;
    return limit_class_of(&sim->limits->classes, job, config, span, wish_w, utilization);
}
static inline int64_t limits_want_nw(const struct sim *sim, uint32_t class) {
    return limit_class_want_nw(&sim->limits->classes.at.at[class]);
}
/* All its GPUs at the entry draw. */
static inline int64_t limits_entry_nw(const struct sim *sim, uint32_t class) {
    const struct limit_class *c = &sim->limits->classes.at.at[class];
    return c->k * c->entry_nw;
}

/* --- one member --- */

static inline bool limits_have(const struct sim *sim, uint32_t job) {
    return SIM_HAS(sim, limits) && sim->limits->place_of[job] > 0;
}
/* A member does the sums of what its track has done; and all do. */
void limits_catch_up(struct limits *l, size_t index);
void limits_catch_up_all(struct limits *l);
/* The index of a member that has caught up. */
static inline size_t limits_index(const struct sim *sim, uint32_t job) {
    struct limits *l = sim->limits;
    size_t i = l->place_of[job] - 1;
    if (l->is_behind && l->track_of.at[i] != EASIM_NONE &&
        l->seen.at[i] < l->tracks.at[l->track_of.at[i]].changes.count)
        limits_catch_up(l, i);
    return i;
}
/* The same of one that leaves its track, since it is to differ. */
size_t limits_part(const struct sim *sim, uint32_t job);
static inline bool limit_hold_is(const struct limit_hold *a, const struct limit_hold *b) {
    return a->nw == b->nw && a->goodput == b->goodput;
}
static inline struct limit_member *limits_member(const struct sim *sim, uint32_t job) {
    return &sim->limits->members.at[limits_index(sim, job)];
}

/* --- changes --- */

/* Goodput and power that hold; what its group and wish say that should. */
struct limit_hold limits_target(struct sim *sim, uint32_t job);
/* Its class is another; its hold stays as it is. */
void limits_set_class(struct sim *sim, uint32_t job, uint32_t class);
/* A change of one job, or with EASIM_NONE of all that are pending, to come. */
void limits_add_due(struct sim *sim, uint32_t gpu_type, uint32_t job);
/* Changes of a GPU type that are pending for now take place: those of tracks, and all others by
   `change`. */
void limits_change_all(struct sim *sim, uint32_t gpu_type,
                       void (*change)(struct sim *sim, uint32_t job));
/* For all members of the groups. */
void limits_ask_groups(struct sim *sim, const bool *changed);

#endif
