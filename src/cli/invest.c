/* Where to invest: see invest.h. */
#include "cli/invest.h"

#include "cli/again.h"
#include "io/atomic_file.h"
#include "output/insights/invest_csv.h"

int invest_run(struct options *options, const struct recorded_run *run, struct str *report,
               struct error *reterr) {
    struct investments investments = {.base_kwh = 0};
    struct again again;
    again_init(&again, options, run,
               true); /* whatever has changed since: it compares with itself */
    const struct study_loader loader = again_loader(&again);
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
    again_finish(&again);
    return r;
}
