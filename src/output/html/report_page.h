/* The page around the data of a report: one HTML file that needs nothing else. */
#ifndef EASIM_OUTPUT_HTML_REPORT_PAGE_H
#define EASIM_OUTPUT_HTML_REPORT_PAGE_H

#include "base/error.h"
#include "base/str.h"

/* Reads D3, the library that draws the charts: path, or if that is NULL where Debian's package
   node-d3 has it. ERROR_INPUT: the path is not D3 of version 5; ERROR_RUN: it is not installed. */
int report_page_d3(const char *path, struct str *text, struct error *reterr) MUST_CHECK;
/* Puts together the page. json is the data; what could end its element is written otherwise. */
void report_page(const struct str *json, const struct str *d3, struct str *out);

#endif
