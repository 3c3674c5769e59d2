/* A finding of a rule in a run: jobs or users, time, amount, and what to try. Lists own all they
   hold; texts that are given are borrowed for as long as the list lives. */
#ifndef EASIM_INSIGHT_RULES_INSIGHT_H
#define EASIM_INSIGHT_RULES_INSIGHT_H

#include "base/arena.h"
#include "base/array.h"
#include "config/schema.h"

#include <stdbool.h>
#include <stdint.h>

/* --- rule --- */
/* It looks at one recorded replication and says what it finds (docs/reference/insights.md). Rules
   of a family share a file; all of them are rows of rule_table.c. */

struct insights;
struct rule_run;

/* The total of which the share is a part. */
enum insight_measure { SHARE_OF_ENERGY, SHARE_OF_GPU_HOURS, SHARE_OF_JOBS, SHARE_OF_CO2 };
#define MEASURE_COUNT 4

struct rule {
    const char *id;         /* in capitals: "POWER-CAP" */
    const char *title;      /* what is wrong, in a few words */
    const char *trigger;    /* when it speaks (docs/reference/insights.md) */
    const char *recommends; /* what to do, in general */
    enum insight_measure measure;
    unsigned betters; /* column of the summary that a proposal is to better; of no meaning if there
                         is no proposal */
    bool trust;       /* of how far figures can be trusted: nothing is wasted, any share is shown */
    const struct field *thresholds; /* of a struct of its own; ends with FIELDS_END */
    size_t thresholds_size;
    /* Adds what it finds to the list. thresholds is the struct, as set by the user. */
    void (*find)(const struct rule_run *run, const void *thresholds, struct insights *insights);
};

/* --- insight --- */

#define INSIGHT_MOST_EVIDENCE 8 /* kept of each insight; the others are counted */

/* By its share of the run's energy, GPU-hours or jobs: under 1 %, 5 %, 15 %, and above. */
enum insight_severity { SEVERITY_INFO, SEVERITY_LOW, SEVERITY_MEDIUM, SEVERITY_HIGH };
#define SEVERITY_COUNT 4

#define INSIGHT_LEAST_SHARE 0.0005 /* below it the share rounds to 0.0 %: nothing to speak of */

/* Whom it is about. */
enum insight_entity {
    ENTITY_CLUSTER,
    ENTITY_JOB,
    ENTITY_USER,
    ENTITY_MODEL,
    ENTITY_GPU_TYPE,
    ENTITY_NODE,
    ENTITY_POLICY,
    ENTITY_SERVICE
};
#define ENTITY_COUNT 8

/* A number with its unit ("": plain), or a text, as a row of rules.def says. A number that is not
   finite is not known. */
struct insight_figure {
    const char *name, *unit;
    bool is_text;
    union insight_value {
        double number;
        const char *text;
    } value;
};

enum evidence_kind {
    EVIDENCE_JOB,
    EVIDENCE_DECISION,
    EVIDENCE_SEGMENT,
    EVIDENCE_INTERVAL,
    EVIDENCE_USER,
    EVIDENCE_GPU_TYPE
};
#define EVIDENCE_KIND_COUNT 6

/* Something that a reader can look up in the files of the run. */
struct insight_evidence {
    enum evidence_kind kind;
    const char *name; /* of the job, node or type; "" of an interval of the cluster */
    double from_s, to_s;
    const char *note; /* what there is to see */
};

/* One setting of the run's own scenario, as a path and a YAML value. */
struct insight_change {
    const char *path, *value;
};

/* The run once more, with something changed: as a rule proposes it, then (trials.h) the best of
   what was tried. Nothing changed: there is no such run. */
struct insight_what_if {
    const char *policy; /* in place of the run's own; NULL: the same */
    ARRAY_OF(struct insight_change) changes;
    uint32_t reads, keeps; /* also each policy that declares one of these; 0: none (internal.h) */
    const char *assumes;   /* "if ...", for changes that an operator cannot make; or NULL */
    const char *note;      /* more to know, or why there is no such run; or NULL */
    bool foreign;          /* the run's own policy is not trusted: no command is to run it */
};

/* The result of a proposal. */
enum insight_verdict {
    VERDICT_NO_PROPOSAL,
    VERDICT_NOT_SIMULATED,
    VERDICT_NO_GAIN,    /* left out: what was tried does not gain enough */
    VERDICT_ASSUMPTION, /* it would gain if the world were another */
    VERDICT_TRADE,      /* it gains, and something else gets worse */
    VERDICT_RECOMMENDED
};
#define VERDICT_COUNT 6

/* A metric in the run and with the change: means over the replications in which both know it. */
struct insight_effect {
    unsigned column; /* of the summary */
    double before, after;
    double change,
        ci95;   /* after / before - 1, and half its paired 95 % interval; NAN: not defined */
    bool worse; /* by more than what may be */
};
#define INSIGHT_MOST_EFFECTS 8

struct insight_outcome {
    enum insight_verdict verdict;
    const char *reason; /* why it, or some of the changes, was not simulated; or NULL */
    uint32_t tried;     /* changes that were simulated */
    bool one_run;       /* it holds for these jobs alone: a log, or one replication */
    struct insight_effect effects[INSIGHT_MOST_EFFECTS]; /* the insight's own first */
    size_t effect_count;
};

struct insight {
    const struct rule *rule;
    const struct rule_run *rule_run; /* where it was found; borrowed */
    struct arena *arena;             /* of the list */
    enum insight_severity severity;
    double share; /* of the run's energy, GPU-hours or jobs: what the severity says */
    enum insight_entity entity;
    const char *name;    /* of the entity; "" of the cluster */
    double from_s, to_s; /* the window in which it was seen */
    const char *finding; /* in a sentence, without a full stop */
    ARRAY_OF(struct insight_figure) figures;
    ARRAY_OF(struct insight_evidence) evidence; /* at most INSIGHT_MOST_EVIDENCE */
    size_t evidence_count;                      /* all of it */
    const char *recommendation;
    unsigned column; /* what a proposal is to better, of the summary: that of the rule */
    struct insight_what_if what_if;
    struct insight_outcome outcome;
};

/* Zero-initialise; release with insights_finish. */
struct insights {
    ARRAY_OF(struct insight *) at; /* by insights_sort: worst first */
    const struct rule *rule;       /* whose turn it is to find some */
    const struct rule_run *rule_run;
    struct arena arena;
};

/* A new one of the rule whose turn it is, seen in this window, about the whole cluster at first.
   The list owns it. */
struct insight *insights_add(struct insights *insights, double from_s, double to_s);
/* By severity, then share, each falling, then as they were found. */
void insights_sort(struct insights *insights);
void insights_finish(struct insights *insights);

/* Whether its share is worth a line for people. */
bool insight_is_shown(const struct insight *insight);
/* Sets share and severity from the part of the rule's measure. A share below 0, or of a whole that
   is 0, counts as 0. */
void insight_weigh(struct insight *insight, double part, double whole);
void insight_find(struct insight *insight, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A figure for each row, up to one without a name; values: a struct of a member for each (SHOW). */
void insight_figures(struct insight *insight, const struct insight_figure *rows,
                     const void *values);
/* One more, with `what` in place of the capitals in the row's name: "busy_TYPE". */
void insight_figure_of(struct insight *insight, const struct insight_figure *row, const char *what,
                       double value);
/* Counts it, and keeps it if there is room: the most telling come first. The note is made as by
   printf. */
void insight_evidence(struct insight *insight, enum evidence_kind kind, const char *name,
                      double from_s, double to_s, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* path and value are copied. */
void insight_change(struct insight *insight, const char *path, const char *value);

extern const char *const severity_names[SEVERITY_COUNT];
extern const char *const measure_names[MEASURE_COUNT]; /* "energy", "GPU-hours", "jobs", "CO2" */
extern const char *const insight_verdict_names[VERDICT_COUNT]; /* "none", "not simulated" */
extern const char *const entity_names[ENTITY_COUNT];
extern const char *const evidence_kind_names[EVIDENCE_KIND_COUNT];

#endif
