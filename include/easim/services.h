/* easim/services.h: services, which answer requests beside the jobs for as long as the run lasts,
   as a policy sees them that declares SERVICES (docs/semantics.md, 33 and 34). Others see none.

   At t = 0 the host starts the least number of replicas of each service. From then on the policy
   scales: nobody else starts a replica, reserves GPUs for one or displaces jobs for it. A failed
   node loses its replicas; a fallen cap takes those of a policy with POWER_CAP. Tokens are what
   demand and capacity count: outputs of models of outputs, and with output_equivalents prompts too.
 */
#ifndef EASIM_SERVICES_H
#define EASIM_SERVICES_H

#include <easim/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct easim_service {
    const char *name;
    /* Its feasible configurations: first_config .. + config_count - 1 of view->replica_configs. */
    uint32_t first_config, config_count;
    uint32_t min, max;                 /* replicas */
    uint32_t ready, loading;           /* replicas now, those of this plan too */
    double demand_per_s;               /* tokens that come in a second, now */
    double backlog;                    /* tokens that wait now: for backlog / ready_per_s */
    double ready_per_s, loading_per_s; /* capacity of the ready ones, and of those that load */
    double wait_s, timeout_s; /* longest wait of the objective; that after which requests leave,
                                 INFINITY: never */
    double start_s;           /* a replica loads for so long, once its GPUs are awake */
    double target;            /* load that replicas are meant to have */
};

/* A replica that meets the latency objective of its service at every load. */
struct easim_replica_config {
    uint32_t service;
    uint32_t gpu_type, k; /* k GPUs of one node */
    double limit;         /* most requests at once; INFINITY: as many as were measured */
    double most_per_s;    /* capacity: tokens a second in full use, > 0 */
    double most_w;        /* power of all its GPUs that counts against the cap */
    double target_j_per_token, target_latency_ms; /* at load `target` */
};

enum easim_replica_state { EASIM_REPLICA_NONE = 0, EASIM_REPLICA_LOADING, EASIM_REPLICA_READY };

/* A place of view->replicas: that of a replica until it is released; NONE: nobody's, now. */
struct easim_replica {
    uint32_t state;           /* enum easim_replica_state; NONE: the rest says nothing */
    uint32_t service, number; /* its name in results is SERVICE#NUMBER */
    uint32_t config, node;    /* in view->replica_configs, view->nodes */
    double since_s;           /* when it came into that state */
    double ready_s;           /* loading: when it will be ready; ready: since_s */
};

/* What host->replica_figure answers. */
enum easim_replica_figure {
    EASIM_REPLICA_J_PER_TOKEN = 0, /* load > 0 */
    EASIM_REPLICA_POWER_W,         /* of all its GPUs */
    EASIM_REPLICA_LATENCY_MS,      /* at the quantile of the objective */
    EASIM_REPLICA_RUNNING,         /* requests at once, on average */
};

EASIM_ACCESSOR(easim_service, easim_view_service, services, service_stride)
EASIM_ACCESSOR(easim_replica_config, easim_view_replica_config, replica_configs,
               replica_config_stride)
EASIM_ACCESSOR(easim_replica, easim_view_replica, replicas, replica_stride)

#ifdef __cplusplus
}
#endif

#endif
