/* A service: requests that are answered for as long as the run lasts, by replicas that come and go
   (semantics 33). An entry of workload.streams with kind: service. */
#ifndef EASIM_WORKLOAD_SERVICE_H
#define EASIM_WORKLOAD_SERVICE_H

#include "cluster/cluster.h"
#include "model/model_file.h"
#include "model/serving.h"
#include "workload/service_demand.h"

/* NAN: not given. */
struct service_slo {
    double itl_ms;     /* tokens: from one of a request to its next */
    double latency_ms; /* outputs: of one */
    int32_t quantile;  /* enum serving_quantile; -1: not given */
    double wait_s;     /* longest wait within the objective */
    double timeout_s;  /* INFINITY: nobody leaves */
};

/* What replicas the service may have. Lists: ascending, or as given; empty: all. */
struct service_replicas {
    struct location where;
    int64_t min, max;
    struct schema_list k; /* int64_t */
    struct schema_list b; /* double: most requests at once */
    struct schema_list h; /* const char *: GPU types */
};

enum service_objective { OBJECTIVE_ENERGY, OBJECTIVE_LATENCY };

struct service_scaling {
    double target; /* load that replicas are meant to have */
    double interval_s, down_after_s;
    bool preempt;      /* best-effort jobs, for a replica that finds no GPUs */
    int32_t objective; /* enum service_objective */
};

struct service_label {
    const char *name, *value;
};

struct service {
    struct location where;
    const char *path; /* "workload.streams[2]", or "workload" where it is the only entry */
    const char *kind, *name, *model_name, *user;
    const struct yaml_node *label_node;
    bool has_scaling;          /* the key is given */
    struct schema_list labels; /* struct service_label */
    struct service_demand demand;
    struct service_slo slo;
    struct service_replicas replicas;
    double start_s; /* a replica loads for so long */
    struct service_scaling scaling;

    /* From cluster and models. */
    uint32_t model; /* index */
    struct latency_objective objective;
    struct replica_config
        *configs;          /* feasible ones; in the order of semantics 5.1 at load target */
    uint32_t config_count; /* > 0 */
    const char *unfit;     /* those that `replicas` lists and are infeasible, and why; NULL: none */
};

/* Whether an entry of workload.streams is a service. */
bool service_is(const struct yaml_node *entry);
/* Binds the keys: problems of their form. Negative after adding some. */
int service_bind(struct service *service, const struct yaml_node *entry, const char *path,
                 const struct binding *binding) MUST_CHECK;

extern const struct field service_fields[];
#endif
