/* A price and a cap on any bytes, repeated or not: what is accepted is a step function of time that
 * goes on. */
#include "base/units.h"
#include "config/series.h"
#include "fuzz/fuzz.h"

#include <math.h>
#include <string.h>

#define MOST_STEPS 1000 /* of a series that is repeated */

static void check_course(const struct series *s) {
    struct series_cursor cursor;
    for (size_t i = 1; i < s->count; i++)
        fuzz_assert(s->steps[i - 1].time_ns < s->steps[i].time_ns &&
                    s->steps[i - 1].value != s->steps[i].value);
    fuzz_assert(s->shortest_ns <= s->longest_ns && s->shortest_ns >= 0);
    series_start(&cursor, s);
    int64_t now_ns = 0;
    for (int i = 0; i < MOST_STEPS && series_next_ns(&cursor) != TIME_NONE_NS; i++) {
        double before = cursor.value;
        fuzz_assert(series_next_ns(&cursor) > now_ns);
        now_ns = series_next_ns(&cursor);
        series_pass(&cursor);
        fuzz_assert(cursor.value != before || isnan(before));
    }
}

/* A period: a round begins at t = 0 or before, and lasts until the next one. */
static void check_begin(const struct series *s) {
    fuzz_assert(s->repeat && s->first_ns <= 0);
    fuzz_assert(s->end_ns - s->first_ns == units_ns(s->period_s));
    fuzz_assert(s->steps[0].time_ns == s->first_ns && s->steps[s->count - 1].time_ns < s->end_ns);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    static const struct field price = {
        .type = FIELD_REAL, .default_value = NAN, .min = -100, .max = 100};
    static const struct field cap = {
        .type = FIELD_REAL, .default_value = INFINITY, .above_min = true, .max = 1000};
    static const struct series_kind kinds[] = {
        {.path = "price", .column = "v", .value = &price},
        {.path = "cap", .column = "v", .value = &cap, .is_limit = true}};
    static const char *const forms[] = {"repeat: true", "repeat: false", "period: 3600.5s"};
    const char *path = fuzz_file(FUZZ_FILE_INPUT, bytes, length);
    for (int i = 0; i < 6; i++) {
        struct yaml_doc doc = {0};
        struct problems problems = {0};
        struct binding binding = {.arena = &doc.arena, .problems = &problems};
        struct series series;
        char text[128];
        snprintf(text, sizeof text, "v: {file: %s, %s}\n", path, forms[i / 2]);
        if (yaml_doc_parse(&doc, (struct slice){text, strlen(text)}, "c.yaml", &problems) < 0 ||
            series_bind(&series, &kinds[i % 2], yaml_find(doc.root, "v"), &binding) < 0)
            fuzz_fail(problems.texts[0]);
        int r = series_load(&series, 1640995200 * NS_PER_S, &binding); /* 2022 */
        fuzz_assert((r < 0) == (problems.count > 0));
        if (r == 0)
            check_course(&series);
        if (r == 0 && series.period_s > 0)
            check_begin(&series);
        problems_finish(&problems);
        yaml_doc_finish(&doc);
    }
    return 0;
}
