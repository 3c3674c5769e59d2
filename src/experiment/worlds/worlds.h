/* The worlds of a scenario: what is drawn in each (semantics 17.1); it can be loaded in each. */
#ifndef EASIM_EXPERIMENT_WORLDS_WORLDS_H
#define EASIM_EXPERIMENT_WORLDS_WORLDS_H

#include "experiment/worlds/fitted_block.h"
#include "study/study.h"

/* One draw, from a stream of its own: a parameter, or a fitted model. */
struct world_unit {
    const struct uncertain_parameter *parameter; /* or NULL: */
    const struct fitted_block *block;
    size_t group;
    const char *name; /* of its stream, and for messages */
    struct location where;
    size_t first, count; /* columns */
    uint64_t redrawn;    /* draws that were outside of its bounds, */
    const char *why; /* and what the scenario said of the first that it does not take; or NULL */
};

/* Source from which the scenario is loaded again. */
struct world_source {
    const char *config;
    struct scenario_overrides overrides; /* of the command, with a policy */
    const struct trace_reader *const *readers;
};

/* Zero-initialise; release with worlds_finish. */
struct worlds {
    const struct study *central; /* the scenario without draws, loaded */
    struct world_source source;
    struct fitted_blocks blocks;
    ARRAY_OF(struct world_unit) units;
    size_t columns;            /* numbers that are drawn in a world */
    size_t sets;               /* 1, or 1 + the number of groups */
    uint32_t count;            /* of worlds */
    double *values;            /* [first or second draw][world][column] */
    uint64_t unreached;        /* worlds that could not be loaded and were drawn again, */
    const char *why_unreached; /* and why the first could not */
    struct arena arena;
};

void worlds_finish(struct worlds *worlds);

/* Whether only the central physics is to be run: one world, and nothing is drawn. */
bool worlds_are_plain(const struct uncertainty *uncertainty);

/* The name of a column: a path if it has one. */
const char *worlds_column_name(const struct worlds *worlds, size_t column, struct arena *arena);
/* The number in it, or the name of what was chosen, as text. */
void worlds_value_text(const struct worlds *worlds, size_t set, uint32_t world, size_t column,
                       struct str *out);
/* The world as "path=value" texts, after those of the command; in the arena. */
const char **worlds_sets(const struct worlds *worlds, size_t set, uint32_t world,
                         struct arena *arena, size_t *ret_count);
/* Loads the scenario with such sets and a policy (NULL: that of the source). study_finish in any
   case; negative after adding problems. */
int worlds_load(const struct worlds *worlds, const char *const *sets, size_t count,
                const char *policy, struct study *study, struct problems *problems) MUST_CHECK;

/* --- world_draws --- */
/* Draws the worlds of a scenario, until it can be loaded in each (semantics 17.1). */

/* Finds the units of worlds whose `central` and `source` are given, and draws all worlds. Negative
   after adding problems: a parameter whose law has no value that the scenario takes, a covariance
   that is none. worlds_finish in any case. */
int worlds_draw(struct worlds *worlds, struct problems *problems) MUST_CHECK;

#endif
