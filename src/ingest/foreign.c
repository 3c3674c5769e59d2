/* Regular expressions for names: see foreign.h. */
#include "ingest/foreign.h"

#include "base/mem.h"

#define PCRE2_CODE_UNIT_WIDTH 8

#include <pcre2.h>
#include <stdlib.h>

struct name_pattern {
    pcre2_code *code;
    pcre2_match_data *match;
};

int name_pattern_make(const char *text, struct name_pattern **ret_pattern, struct error *reterr) {
    int problem;
    size_t place;
    pcre2_code *code =
        pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, 0, &problem, &place, NULL);
    if (!code && problem == PCRE2_ERROR_HEAP_FAILED)
        mem_exhausted(0);
    if (!code) {
        unsigned char reason[128];
        pcre2_get_error_message(problem, reason, sizeof reason);
        return error_set(reterr, ERROR_INPUT, "%s (behind character %zu)", (const char *)reason,
                         place);
    }
    struct name_pattern *pattern = mem_alloc(sizeof *pattern);
    *pattern = (struct name_pattern){code, pcre2_match_data_create(1, NULL)};
    if (!pattern->match)
        mem_exhausted(0);
    *ret_pattern = pattern;
    return 0;
}

int name_pattern_matches(const struct name_pattern *pattern, struct slice name) {
    int found =
        pcre2_match(pattern->code, (PCRE2_SPTR)name.at, name.length, 0, 0, pattern->match, NULL);
    if (found == PCRE2_ERROR_NOMEMORY)
        mem_exhausted(0);
    return found >= 0 ? 1 : found == PCRE2_ERROR_NOMATCH ? 0 : -1;
}

void name_pattern_free(struct name_pattern *pattern) {
    if (!pattern)
        return;
    pcre2_match_data_free(pattern->match);
    pcre2_code_free(pattern->code);
    free(pattern);
}
