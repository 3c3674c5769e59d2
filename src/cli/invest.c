/* Where to invest: see invest.h. */
#include "cli/invest.h"

#include "ingest/logs/log_readers.h"
#include "io/atomic_file.h"
#include "output/insights/invest_csv.h"
#include "study/recorded.h"
#include "study/study_load.h"

/* Of the scenario file that is the context. */
static int load_again(void *context, const char *const *sets, size_t set_count, struct study *study,
                      struct problems *problems) {
    const struct scenario_overrides overrides = {.sets = sets, .set_count = set_count};
    return study_load(study, context, &overrides, ingest_readers, problems);
}

int invest_run(struct options *options, const struct recorded_run *run, struct str *report,
               struct error *reterr) {
    struct investments investments = {.base_kwh = 0};
    char *scenario =
        arena_printf(&options->arena, "%s/" SCENARIO_NAME,
                     recorded_folder_of_policy(run->folder, run->part, &options->arena));
    const struct investment_loader loader = {scenario, load_again};
    struct str csv = {0};
    const char *folder = options->out ? options->out : options->operands[0];
    int r = investments_find(&investments, run, &loader, reterr);
    if (r == 0) {
        invest_csv(run, &investments, &csv);
        invest_report(&investments, report);
        r = atomic_file_write_alone(arena_printf(&options->arena, "%s/invest.csv", folder),
                                    csv.text, csv.length, reterr);
    }
    str_finish(&csv);
    investments_finish(&investments);
    return r;
}
