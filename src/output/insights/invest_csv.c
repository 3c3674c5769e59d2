/* Investments: see invest_csv.h. */
#include "output/insights/invest_csv.h"

#include "io/csv.h"

#include <math.h>

#define MOST_ROWS 12

void invest_csv(const struct recorded_run *run, const struct investments *investments,
                struct str *out) {
    double base_kwh = investments->base_kwh;
    str_add(out, "policy,replication,rank,model,parameter,base_kwh,kwh,saved_kwh,saved_share,"
                 "reason\n");
    for (size_t i = 0; i < investments->at.count; i++) {
        const struct investment *v = &investments->at.at[i];
        csv_add_text(out, run->folder->policies.at[run->part->policy].name);
        csv_comma_int(out, run->part->replication);
        csv_comma_int(out, (int64_t)i + 1);
        csv_comma_text(out, v->model);
        csv_comma_text(out, v->parameter);
        csv_comma_real(out, base_kwh);
        csv_comma_real(out, v->kwh);
        csv_comma_real(out, base_kwh - v->kwh);
        csv_comma_real(out, base_kwh > 0 ? (base_kwh - v->kwh) / base_kwh : NAN);
        csv_comma_text(out, v->reason);
        str_add_char(out, '\n');
    }
}

void invest_report(const struct investments *investments, struct str *out) {
    str_addf(out,
             "\nwhere to invest: the same jobs, drained, take %.6g kWh; with one parameter of one "
             "model / %.3g:\n",
             investments->base_kwh, INVESTMENT_FACTOR);
    for (size_t i = 0; i < investments->at.count && i < MOST_ROWS; i++) {
        const struct investment *v = &investments->at.at[i];
        str_addf(out, "  %2zu. %-8s of ", i + 1, v->parameter);
        str_add_visible(out, v->model);
        if (v->reason) {
            str_add(out, ": not run: ");
            str_add_visible(out, v->reason);
        } else {
            str_addf(out, ": %.6g kWh, %+.3g %%", v->kwh,
                     100 * (v->kwh / investments->base_kwh - 1));
        }
        str_add_char(out, '\n');
    }
    if (investments->at.count > MOST_ROWS)
        str_addf(out, "  and %zu more: invest.csv\n", investments->at.count - MOST_ROWS);
    if (investments->at.count == 0)
        str_add(out, "  no job has a model\n");
}
