/* Recorded outages of nodes, from a CSV file: node (a number from 0, in file order of the nodes),
   start_s, end_s (empty: never repaired); other columns are ignored. */
#ifndef EASIM_CONFIG_OUTAGES_H
#define EASIM_CONFIG_OUTAGES_H

#include "base/tally.h"
#include "config/schema.h"

struct outage {
    uint32_t node, line; /* line of its first row */
    int64_t start_ns;
    int64_t end_ns; /* not before start_ns; TIME_NONE_NS: never */
};

/* Bound by outages_bind, filled in by outages_load; all memory is in the binding's arena. */
struct outages {
    struct location where; /* in the scenario */
    const char *file;      /* NULL: nothing is recorded */
    double offset_s;       /* the time in the file that is t = 0 */
    struct outage *at;     /* by node, then start; those of a node are apart */
    size_t count;
    uint64_t rows;
    struct row_tally merged;  /* rows that overlap or touch an earlier outage of their node */
    struct row_tally over;    /* outages that had ended by t = 0: left out */
    struct row_tally running; /* at t = 0: they begin there */
    struct row_tally beyond;  /* outages of nodes that the cluster has not: left out */
    uint32_t beyond_nodes;    /* how many such nodes, */
    const char *beyond_names; /* and the first of them: "8, 9, 17 ..." */
};

/* node: NULL or {file, offset}. Negative after adding problems. */
int outages_bind(struct outages *outages, const struct yaml_node *node,
                 const struct binding *binding) MUST_CHECK;
/* Reads the file of bound outages, offset subtracted; nothing to do without one. Negative after
   adding problems. */
int outages_load(struct outages *outages, const struct binding *binding) MUST_CHECK;
/* Keeps what a cluster of so many nodes sees from t = 0 on. */
void outages_fit(struct outages *outages, uint32_t nodes, const struct binding *binding);

extern const struct field outages_fields[];
#endif
