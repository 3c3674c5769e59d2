/* A scenario file: its general keys bound, the sections of other layers left to them as nodes. */
#ifndef EASIM_CONFIG_SCENARIO_H
#define EASIM_CONFIG_SCENARIO_H

#include "base/rng.h"
#include "config/schema.h"
#include "config/series.h"
#include "config/uncertainty.h"

/* --- forecast --- */
/* The section `forecast`: how many hours ahead policies see carbon intensity, price and power cap,
   and how far these forecasts are from what comes (semantics 29). */

/* Of the logarithm of a forecast, far ahead; and from one hour to the next. */
struct forecast_error {
    double sigma, correlation; /* 0..2, 0: exact; 0 <= correlation < 1 */
};

struct forecast_options {
    struct location where;
    int64_t hours; /* 0: there is none */
    struct forecast_error error;
};

/* --- scenario --- */

#define SCENARIO_MOST_W 1e7 /* of a GPU, and of a node beside its GPUs */

/* How events of one instant are taken (semantics 1.2). */
struct engine_options {
    bool coalesce;      /* all events of an instant, then one decision */
    int32_t equal_time; /* 0: finishes before arrivals; 1: arrivals first */
};

struct scenario_policy {
    const char *name;               /* a policy name or a path to a .so */
    const char *label;              /* what results call it, or NULL */
    const char *variant;            /* what results add to its name, or NULL */
    const struct yaml_node *params; /* mapping or NULL */
};

struct scenario_user {
    struct location where;
    const char *name;
    double weight;
};

/* What the cluster may draw, and what turns energy into cost and emissions; NAN = not given. */
enum { SIGNAL_CAP, SIGNAL_PRICE, SIGNAL_CARBON, SIGNALS };

/* How far true speeds are from predicted ones. */
struct model_noise {
    double speed_sigma; /* of the lognormal factor of a job; 0: none */
};

/* What jobs read their samples from. */
struct storage_options {
    double bandwidth_bytes_s; /* shared by all jobs; 0: none is stated */
};

struct scenario {
    struct yaml_doc doc;
    const char *file;
    const char *name, *about;        /* about: NULL if the file does not say it */
    const struct yaml_node *horizon; /* a duration or `drain` */
    int64_t horizon_ns;              /* TIME_NONE_NS: drain */
    int64_t seed;
    int64_t replications;
    bool record;
    struct engine_options engine;
    const struct yaml_node *cluster;
    struct storage_options storage;
    const struct yaml_node *models; /* file name, list of file names, or NULL (rigid jobs only) */
    const struct yaml_node *model_overrides; /* list of changes of the models, or NULL */
    int32_t plans;                           /* of transformers; 0: best; 1: published */
    struct schema_list users;                /* struct scenario_user */
    const struct yaml_node *workload;
    struct scenario_policy policy;
    const struct yaml_node *params_by_policy;
    const struct yaml_node *carbon, *price; /* a number, or {file: ...} */
    struct series signals[SIGNALS];         /* that of the cap by cluster_bind */
    double wue_l_per_kwh;                   /* water; NAN = not given */
    const struct yaml_node *failures;       /* recorded outages, or NULL */
    struct model_noise noise;
    const struct yaml_node *forecast_node;
    struct forecast_options forecast;
    const struct yaml_node *uncertainty_node;
    struct uncertainty uncertainty;
    const char *start_time;
    int64_t start_ns; /* of t = 0 since 1970; TIME_NONE_NS: not given */
    struct schema_uses
        uses; /* that it names, as they are bound: its own, and those of other layers' sections */
    const char *policy_override; /* --policy, or NULL */
    const char *replaced_policy; /* the name in the file that --policy has replaced with its params,
                                    or NULL */
    ARRAY_OF(const char *) overrides; /* "path=value" of --set and the like, in the order given */
    ARRAY_OF(const char *) overruled; /* their paths that parameters behind --policy overrule */
};

/* Which policies a load opens (decision 0081). */
enum policy_trust {
    POLICY_ANY,   /* those that the scenario names */
    POLICY_KNOWN, /* a foreign one is a problem, in the words of `foreign` */
    POLICY_NAMED, /* one that is named by its path stays closed, with a warning */
    POLICY_NONE
};
/* "BEFORE: would run ...; ADVICE" */
struct foreign_words {
    const char *before, *advice;
};

/* What the command line changes, in the order: file, policy, sets, parameters of the policy. */
struct scenario_overrides {
    const char *policy;        /* with parameters perhaps (policy_text.h); NULL: as in the file */
    const char *policy_option; /* that says it; NULL: policy */
    bool same_policy;        /* policy is another name of the one in the file, whose params stay */
    const char *const *sets; /* "path=value" */
    size_t set_count;
    struct slice
        text; /* what the file holds, where it was read already (standard input); else empty */
    const char *const *policies; /* all that the command loads, by name or path, without parameters
                                  */
    size_t policy_count;
    enum policy_trust trust;
    struct foreign_words foreign; /* of POLICY_KNOWN; of POLICY_NAMED the advice */
    bool records;                 /* the command knows `record`, or runs nothing at all */
    bool worlds; /* the command runs the worlds of `uncertainty`, or nothing at all */
    const struct yaml_doc *doc; /* the file, where a load that lives on has read it; or NULL */
    const struct study *like;   /* one that lives on, whose files are not read again, and whose
                                   models, where they are the same, are taken over; or NULL */
};

/* Reads and binds path ("-": standard input); negative after adding problems. Release with
 * scenario_finish. */
int scenario_load(struct scenario *scenario, const char *path,
                  const struct scenario_overrides *overrides, struct problems *problems) MUST_CHECK;
void scenario_finish(struct scenario *scenario);

/* 64-bit hash of the resolved scenario (after overrides), stable across machines. */
uint64_t scenario_hash(const struct scenario *scenario);

extern const struct field scenario_fields[];
#endif
