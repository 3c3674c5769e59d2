/* easim/services.h: the extension easim.services, version 1: services, which answer requests beside
   the jobs for as long as the run lasts (docs/reference/semantics.md, 33 and 34). A policy that
   lists it scales them itself, in place of the host; if it has a parameter of the role SERVICES,
   where that is true.

   At t = 0 the host starts the least number of replicas of each service. From then on the policy
   scales: nobody else starts a replica, reserves GPUs for one or displaces jobs for it. A failed
   node loses its replicas; a fallen cap takes those of a policy with POWER_CAP. Tokens are what
   demand and capacity count: outputs of models of outputs, and with output_equivalents prompts too.
 */
#ifndef EASIM_SERVICES_H
#define EASIM_SERVICES_H

#include <easim/policy.h>

#ifdef __cplusplus
extern "C" {
#endif

struct easim_service {
    const char *name;
    /* Its feasible configurations: first_config .. + config_count - 1 of the replica
     * configurations. */
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

/* A place: that of a replica until it is released; NONE: nobody's, now. */
struct easim_replica {
    uint32_t state;           /* enum easim_replica_state; NONE: the rest says nothing */
    uint32_t service, number; /* its name in results is SERVICE#NUMBER */
    uint32_t config, node;    /* a replica configuration; of the view */
    double since_s;           /* when it came into that state */
    double ready_s;           /* loading: when it will be ready; ready: since_s */
};

/* What replica_figure answers. */
enum easim_replica_figure {
    EASIM_REPLICA_J_PER_TOKEN = 0, /* load > 0 */
    EASIM_REPLICA_POWER_W,         /* of all its GPUs */
    EASIM_REPLICA_LATENCY_MS,      /* at the quantile of the objective */
    EASIM_REPLICA_RUNNING,         /* requests at once, on average */
};

struct easim_services {
    size_t struct_size; /* of the host's struct easim_services */
    /* 0 where the workload has no services, or the host scales them. replica_count: places, some of
       them nobody's. */
    uint32_t service_count, replica_config_count, replica_count;
    size_t service_stride, replica_config_stride, replica_stride;
    const void *services, *replica_configs, *replicas; /* use the functions below */
    /* Starts a replica of the service of that replica configuration, which takes its GPUs now and
       loads; EASIM_INVAL: also if the service has its most replicas. */
    int (*plan_scale_up)(struct easim_plan *plan, uint32_t replica_config);
    /* Releases a replica, by its place: its GPUs are free now. EASIM_INVAL also if the service has
       only its least number, ready and loading ones together. */
    int (*plan_scale_down)(struct easim_plan *plan, uint32_t replica);
    /* Of a ready replica in a configuration at a load, 0 .. 1 of its most_per_s: enum
       easim_replica_figure. NAN: no such thing. */
    double (*replica_figure)(struct easim_plan *plan, uint32_t replica_config, double load,
                             uint32_t figure);
};

/* Its row in the policy's table of extensions. */
#define EASIM_SERVICES(is_optional) \
    { "easim.services", 1, (uint32_t)sizeof(struct easim_services), is_optional }

/* `extension`: the place of the row in the policy's table. NULL: optional, and this host lacks it.
 */
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
