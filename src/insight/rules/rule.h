/* A rule: it looks at one recorded replication and says what it finds (docs/insights.md). Rules of
   a family share a file, and all of them stand in rule_table.c. */
#ifndef EASIM_INSIGHT_RULES_RULE_H
#define EASIM_INSIGHT_RULES_RULE_H

#include "config/schema.h"
#include "insight/rules/insight.h"

struct rule_run;

struct rule {
    const char *id;         /* in capitals: "POWER-CAP" */
    const char *family;     /* "placement" */
    const char *title;      /* what is wrong, in a few words */
    const char *trigger;    /* when it speaks, for docs/insights.md; names its thresholds */
    const char *recommends; /* in general, likewise */
    enum insight_measure measure;
    const struct field *thresholds; /* of a struct of its own; ends with FIELDS_END */
    size_t thresholds_size;
    /* Adds what it finds to the list, the rule itself as its author. thresholds is the struct, as
       set by the user. */
    void (*find)(const struct rule_run *run, const void *thresholds, struct insights *insights);
};

#endif
