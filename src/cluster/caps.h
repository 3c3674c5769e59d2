/* How the host keeps the power cap of a cluster: the rules, events that lower the cap for a while,
   and the power domains below it. Constant during a run. */
#ifndef EASIM_CLUSTER_CAPS_H
#define EASIM_CLUSTER_CAPS_H

#include "config/series.h"

/* What the host does when the cap would be broken. */
enum cap_enforce { ENFORCE_NONE, ENFORCE_THROTTLE, ENFORCE_PREEMPT };
/* Who is slowed down first. */
enum cap_order { CAP_ORDER_EQUAL, CAP_ORDER_BY_CLASS, CAP_ORDER_BY_FLEX };
/* At which draw of the running jobs a start has to fit. */
enum cap_admit { CAP_ADMIT_EFFICIENT, CAP_ADMIT_FULL, CAP_ADMIT_FLOOR };

struct cap_rules {
    int32_t enforce, order, admit; /* enum cap_enforce, cap_order, cap_admit */
    int64_t steps;                 /* of a stage; 0: exact */
    double grace_s;                /* from when on a stretch above the cap counts */
};

#define CAP_EVENT_STEPS 60 /* of a ramp */

/* A demand response event: the cap falls to a target and comes back (semantics 37.5). */
struct cap_event {
    int64_t start_ns, duration_ns;
    int64_t notice_ns;     /* before the start */
    int64_t ramp_ns;       /* from the start on */
    double reduction_frac; /* of the power before the notice; NAN: target_w */
    double target_w;       /* NAN: reduction_frac */
    double price_per_kwh;  /* of shortfall; NAN: none */
};

/* Bound by cluster_bind, filled in by cap_events_load. */
struct cap_events {
    const char *file;     /* NULL: none */
    struct cap_event *at; /* one after the other, without overlap */
    uint32_t count;
};

static inline int64_t cap_event_end_ns(const struct cap_event *event) {
    return event->start_ns + event->duration_ns;
}

/* Nodes under a cap of their own. Domains are in file order, parents before their children. */
struct power_domain {
    struct location where;
    const char *name;
    uint32_t parent;     /* index, or EASIM_NONE: the cluster */
    uint32_t node_count; /* those of its child domains are among them */
    double cap_w;
    const char *parent_name;   /* NULL: the cluster */
    struct schema_list ranges; /* const char *, as written: 7, or 0-15 */
};

/* The keys of the cluster section that are about caps; NULL: absent. */
struct cap_nodes {
    const struct yaml_node *plain, *cap, *domains, *events; /* power_cap_w, power_cap, ... */
    bool contention;                                        /* of the network */
};

/* The cap, the file of which is not read yet, and its rules. Negative after adding problems. */
int caps_bind(struct cap_rules *rules, struct series *cap, const struct cap_nodes *nodes,
              const struct binding *binding) MUST_CHECK;

/* Reads the file; nothing to do without one. Negative after adding problems. */
int cap_events_load(struct cap_events *events, const struct binding *binding) MUST_CHECK;

/* domains: as power_domain_fields bind them; idle_w: what each node draws with idle GPUs. Returns
   the innermost domain of each node; NULL after adding problems. */
uint32_t *power_domains_bind(const struct schema_list *domains, const double *idle_w,
                             uint32_t node_count, const struct binding *binding) MUST_CHECK;

extern const struct field cap_forms[], cap_fields[], power_domain_fields[];

#endif
