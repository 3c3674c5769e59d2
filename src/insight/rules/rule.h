/* A rule: it looks at one recorded replication and says what it finds (docs/insights.md). Rules of
   a family share a file, and all of them stand in rule_table.c. */
#ifndef EASIM_INSIGHT_RULES_RULE_H
#define EASIM_INSIGHT_RULES_RULE_H

#include "config/schema.h"

struct insights;
struct rule_run;

/* Of what the share is. */
enum insight_measure { SHARE_OF_ENERGY, SHARE_OF_GPU_HOURS, SHARE_OF_JOBS, SHARE_OF_CO2 };
#define MEASURE_COUNT 4

struct rule {
    const char *id;         /* in capitals: "POWER-CAP" */
    const char *title;      /* what is wrong, in a few words */
    const char *trigger;    /* when it speaks, for docs/insights.md; names its thresholds */
    const char *recommends; /* in general, likewise */
    enum insight_measure measure;
    unsigned betters; /* column of the summary that a proposal is to better; of no meaning if there
                         is no proposal */
    bool trust;       /* of how far figures can be trusted: nothing is wasted, any share is shown */
    const struct field *thresholds; /* of a struct of its own; ends with FIELDS_END */
    size_t thresholds_size;
    /* Adds what it finds to the list, the rule itself as its author. thresholds is the struct, as
       set by the user. */
    void (*find)(const struct rule_run *run, const void *thresholds, struct insights *insights);
};

#endif
