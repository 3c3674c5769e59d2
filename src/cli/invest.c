/* Where to invest: see invest.h. */
#include "cli/invest.h"

#include "cli/again.h"
#include "output/recorded/recorded.h"

int invest_run(struct options *options, const struct recorded_run *run, struct str *csv,
               struct str *report, struct error *reterr) {
    struct investments investments = {.base_kwh = 0};
    struct again again;
    again_init(&again, options, run); /* whatever has changed since: it compares with itself */
    const struct study_loader loader = again_loader(&again);
    int r = investments_find(&investments, run, &loader, reterr);
    if (r == 0) {
        invest_csv(run, &investments, csv);
        invest_report(&investments, report);
    }
    investments_finish(&investments);
    again_finish(&again);
    return r;
}
