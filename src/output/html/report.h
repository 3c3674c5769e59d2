/* A report: its data (report_data), and the page around them (report_page). */
#ifndef EASIM_OUTPUT_HTML_REPORT_H
#define EASIM_OUTPUT_HTML_REPORT_H

#include "base/error.h"
#include "base/str.h"
#include "output/html/internal.h"

/* Borrowed. */
struct report_request {
    const char *const *folders; /* of easim run, compare or sweep; several of runs */
    size_t folder_count;
    int64_t replication; /* of what is shown over time */
    const char *policy;  /* shown first; NULL: the first that is on the front */
    const char *command; /* the line that makes this report */
    const char *repeat;  /* that repeats the results */
    const struct insight_hooks *insights;
};

#define REPORT_MOST_FOLDERS 12

/* Appends the data as the page has them (packed_write). ERROR_INPUT, one of them, for a folder that
   is damaged, half written or of something else, is given twice, or is one too many. */
int report_data(const struct report_request *request, struct str *out,
                struct error *reterr) MUST_CHECK;

/* --- report_page: one HTML file that needs nothing else --- */

/* Reads D3, the library that draws the charts: path, or if that is NULL where Debian's package
   node-d3 has it. ERROR_INPUT: the path is not D3 of version 5; ERROR_RUN: it is not installed. */
int report_page_d3(const char *path, struct str *text, struct error *reterr) MUST_CHECK;
/* Puts together the page. */
void report_page(const struct str *data, const struct str *d3, struct str *out);
/* The page of easim trace, which needs no D3; json: trace.json. */
void trace_page(const struct str *json, struct str *out);

#endif
