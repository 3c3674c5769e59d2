/* Recorded outages of any bytes: what is accepted is by node and start, and outages of a node are
   apart, also as a cluster of four nodes sees them. */
#include "config/outages.h"
#include "fuzz/fuzz.h"

#include <string.h>

static void check_outages(const struct outages *o) {
    for (size_t i = 0; i < o->count; i++) {
        const struct outage *here = &o->at[i], *last = i > 0 ? here - 1 : NULL;
        fuzz_assert(here->end_ns >= here->start_ns && here->line > 1);
        fuzz_assert(!last || last->node < here->node ||
                    (last->node == here->node && last->end_ns < here->start_ns));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    const char *path = fuzz_file(FUZZ_FILE_INPUT, bytes, length);
    struct yaml_doc doc = {0};
    struct problems problems = {0};
    struct binding binding = {.arena = &doc.arena, .problems = &problems};
    struct outages outages;
    char text[128];
    snprintf(text, sizeof text, "f: {file: %s, offset: 10}\n", path);
    if (yaml_doc_parse(&doc, (struct slice){text, strlen(text)}, "c.yaml", &problems) < 0 ||
        outages_bind(&outages, yaml_find(doc.root, "f"), &binding) < 0)
        fuzz_fail(problems.texts[0]);
    int r = outages_load(&outages, &binding);
    fuzz_assert((r < 0) == (problems.count > 0));
    if (r == 0) {
        size_t all = outages.count;
        check_outages(&outages);
        fuzz_assert(outages.rows == all + outages.merged.count);
        outages_fit(&outages, 4, &binding);
        check_outages(&outages);
        fuzz_assert(all == outages.count + outages.over.count + outages.beyond.count);
        fuzz_assert(outages.count == 0 ||
                    (outages.at[0].start_ns >= 0 && outages.at[outages.count - 1].node < 4));
    }
    problems_finish(&problems);
    yaml_doc_finish(&doc);
    return 0;
}
