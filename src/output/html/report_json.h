/* All that a report shows, as one JSON object (docs/report.md names its members). */
#ifndef EASIM_OUTPUT_HTML_REPORT_JSON_H
#define EASIM_OUTPUT_HTML_REPORT_JSON_H

#include "output/html/insight_json.h"

/* Borrowed. */
struct report_request {
    const char *folder;  /* of easim run or compare */
    int64_t replication; /* of what is shown over time */
    const char *policy;  /* shown first; NULL: the first that is on the front */
    const char *command; /* the line that makes this report */
    const char *repeat;  /* that repeats the results */
    const struct insight_hooks *insights;
};

/* ERROR_INPUT, one of them, for a folder that is damaged, half written or of something else. */
int report_json(const struct report_request *request, struct str *out,
                struct error *reterr) MUST_CHECK;

#endif
