/* easim/services.h: the extension easim.services, version 1. Services answer requests while the
   jobs run, for as long as the run lasts (docs/reference/semantics.md, 33 and 34). A policy that
   lists this extension scales the services itself, in place of the host. If it has a parameter of
   the role SERVICES, it does so only if the parameter is true.

   At t = 0 the host starts the least number of replicas of each service. From then on only the
   policy starts replicas, and the host neither reserves GPUs for them nor displaces jobs. A node
   that fails loses its replicas. If the cap falls, a policy with POWER_CAP may lose replicas.
   Demand and capacity count tokens: output tokens, and with output_equivalents prompt tokens,
   too. */
#ifndef EASIM_SERVICES_H
#define EASIM_SERVICES_H

#include <easim/policy.h>

#ifdef __cplusplus
extern "C" {
#endif

struct easim_service {
    const char *name;
    /* Its feasible configurations: config_count of the replica configurations, from first_config
       on. */
    uint32_t first_config, config_count;
    uint32_t min, max;                 /* least and most replicas */
    uint32_t ready, loading;           /* replicas now, including those of this plan */
    double demand_per_s;               /* tokens that arrive per second now */
    double backlog;                    /* tokens that wait now, for backlog / ready_per_s */
    double ready_per_s, loading_per_s; /* capacity of ready and of loading replicas */
    /* Longest wait that the objective allows, and the wait after which requests leave (INFINITY:
       never). */
    double wait_s, timeout_s;
    double start_s; /* time to load a replica, once its GPUs are awake */
    double target;  /* load at which replicas should run */
};

/* A configuration of replicas that meets the latency objective of its service at every load. */
struct easim_replica_config {
    uint32_t service;
    uint32_t gpu_type, k; /* k GPUs of one node */
    double limit;         /* most requests at once; INFINITY: the most measured */
    double most_per_s;    /* capacity: tokens per second at full load, > 0 */
    double most_w;        /* power of all its GPUs that counts against the cap */
    double target_j_per_token, target_latency_ms; /* at load `target` */
};

enum easim_replica_state { EASIM_REPLICA_NONE = 0, EASIM_REPLICA_LOADING, EASIM_REPLICA_READY };

/* A place for a replica, which keeps it until it is released. NONE: the place is empty now. */
struct easim_replica {
    uint32_t state;           /* enum easim_replica_state; NONE: ignore the rest */
    uint32_t service, number; /* its name in results is SERVICE#NUMBER */
    uint32_t config, node;    /* index of a replica configuration; node of the view */
    double since_s;           /* time at which it came into that state */
    double ready_s;           /* loading: time at which it will be ready; ready: since_s */
};

/* Figures that replica_figure can return. */
enum easim_replica_figure {
    EASIM_REPLICA_J_PER_TOKEN = 0, /* load > 0 */
    EASIM_REPLICA_POWER_W,         /* of all its GPUs */
    EASIM_REPLICA_LATENCY_MS,      /* at the quantile of the objective */
    EASIM_REPLICA_RUNNING,         /* requests at once, on average */
};

struct easim_services {
    size_t struct_size; /* of the host's struct easim_services */
    /* All are 0 if the workload has no services, or if the host scales them. replica_count counts
       places, including empty ones. */
    uint32_t service_count, replica_config_count, replica_count;
    size_t service_stride, replica_config_stride, replica_stride;
    const void *services, *replica_configs, *replicas; /* use the functions below */
    /* Starts a replica in this replica configuration. It takes its GPUs now and loads. EASIM_INVAL
       also if the service has its most replicas. */
    int (*plan_scale_up)(struct easim_plan *plan, uint32_t replica_config);
    /* Releases the replica in this place; its GPUs are free now. EASIM_INVAL also if the service
       has only its least number of replicas, ready and loading ones together. */
    int (*plan_scale_down)(struct easim_plan *plan, uint32_t replica);
    /* A figure (enum easim_replica_figure) of a ready replica in this configuration at `load`, 0 ..
       1 of its most_per_s. NAN: there is no such configuration or figure. */
    double (*replica_figure)(struct easim_plan *plan, uint32_t replica_config, double load,
                             uint32_t figure);
};

/* The row of this extension in the policy's table of extensions. */
#define EASIM_SERVICES(is_optional) \
    { "easim.services", 1, (uint32_t)sizeof(struct easim_services), is_optional }

/* `extension` is the index of that row in the table. NULL: the extension is optional, and this
   easim does not have it. */
static inline const struct easim_services *easim_services_of(const struct easim_pass *pass,
                                                             uint32_t extension) {
    return (const struct easim_services *)pass->extensions[extension];
}

EASIM_ACCESSOR(easim_services, easim_service, easim_service_at, services, service_stride)
EASIM_ACCESSOR(easim_services, easim_replica_config, easim_replica_config_at, replica_configs,
               replica_config_stride)
EASIM_ACCESSOR(easim_services, easim_replica, easim_replica_at, replicas, replica_stride)

#ifdef __cplusplus
}
#endif

#endif
