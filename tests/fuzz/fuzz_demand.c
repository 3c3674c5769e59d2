/* The demand of a service from any bytes, as a series and as a log of requests: what is accepted is
   a step function from t = 0 on that never asks for less than nothing, and a log's bins ask for its
   tokens. */
#include "base/units.h"
#include "fuzz/fuzz.h"
#include "workload/service_demand.h"

#include <math.h>
#include <string.h>

#define MOST_STEPS 1000 /* of demand that is repeated */

static void check_steps(const struct service_demand *d) {
    struct series_cursor cursor;
    for (size_t i = 0; i < d->series.count; i++)
        fuzz_assert(d->series.steps[i].value >= 0 && isfinite(d->series.steps[i].value) &&
                    (i == 0 || (d->series.steps[i - 1].time_ns < d->series.steps[i].time_ns &&
                                d->series.steps[i - 1].value != d->series.steps[i].value)));
    series_start(&cursor, &d->series);
    fuzz_assert(!isnan(cursor.value));
    int64_t now_ns = 0;
    for (int i = 0; i < MOST_STEPS && series_next_ns(&cursor) != TIME_NONE_NS; i++) {
        double before = cursor.value;
        fuzz_assert(series_next_ns(&cursor) > now_ns);
        now_ns = series_next_ns(&cursor);
        series_pass(&cursor);
        fuzz_assert(cursor.value != before);
    }
}

static void check_tokens(const struct service_demand *d) {
    double sum = 0;
    for (size_t i = 0; i + 1 < d->series.count; i++)
        sum += d->series.steps[i].value *
               units_s(d->series.steps[i + 1].time_ns - d->series.steps[i].time_ns);
    fuzz_assert(fabs(sum - d->output) <= 1e-9 * d->output);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    static const char *const forms[] = {"",
                                        ", repeat: true",
                                        ", format: azure-llm",
                                        ", format: azure-llm, bin: 7s, repeat: true",
                                        ", period: 3600.5s",
                                        ", format: azure-llm, period: 24h"};
    const struct demand_ask ask = {.path = "demand",
                                   .unit = UNIT_TOKEN,
                                   .prompt = {true, NAN},
                                   .start_ns = 1640995200 * NS_PER_S}; /* 2022 */
    const char *path = fuzz_file(FUZZ_FILE_INPUT, bytes, length);
    for (int i = 0; i < (int)(sizeof forms / sizeof *forms); i++) {
        struct yaml_doc doc = {0};
        struct problems problems = {0};
        struct binding binding = {.arena = &doc.arena, .problems = &problems};
        struct service_demand demand = {0};
        char text[128];
        snprintf(text, sizeof text, "v: {file: %s%s}\n", path, forms[i]);
        if (yaml_doc_parse(&doc, (struct slice){text, strlen(text)}, "c.yaml", &problems) < 0 ||
            schema_bind(&binding, service_demand_fields, yaml_find(doc.root, "v"), "demand",
                        &demand) < 0)
            fuzz_fail(problems.texts[0]);
        int r = service_demand_load(&demand, &ask, &binding);
        fuzz_assert((r < 0) == (problems.count > 0));
        if (r == 0)
            check_steps(&demand);
        if (r == 0 && i == 2)
            check_tokens(&demand);
        problems_finish(&problems);
        yaml_doc_finish(&doc);
    }
    return 0;
}
