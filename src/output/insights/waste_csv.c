/* waste.csv: see waste_csv.h. */
#include "output/insights/waste_csv.h"

#include "base/units.h"
#include "io/csv.h"

#include <math.h>

void waste_csv_header(struct str *out) {
    str_add(out, "policy,replication,class,energy_j,energy_kwh,share,gpu_h,gpu_share\n");
}

/* NAN, an empty cell, of nothing. */
static double share_of(double part, double total) {
    return total > 0 ? part / total : NAN;
}

void waste_csv_rows(const struct recorded_run *run, const struct waste *waste, struct str *out) {
    const struct waste_amount *total = &waste->total;
    for (int i = 0; i < WASTE_CLASSES; i++) {
        const struct waste_amount *amount = &waste->of[i];
        if (!waste_lists(waste, (enum waste_class)i))
            continue;
        csv_add_text(out, run->folder->policies.at[run->part->policy].name);
        csv_comma_int(out, run->part->replication);
        csv_comma_text(out, waste_class_names[i]);
        csv_comma_real(out, amount->energy_j);
        csv_comma_real(out, amount->energy_j / J_PER_KWH);
        csv_comma_real(out, share_of(amount->energy_j, total->energy_j));
        csv_comma_real(out, amount->gpu_s / S_PER_H);
        csv_comma_real(out, share_of(amount->gpu_s, total->gpu_s));
        str_add_char(out, '\n');
    }
}

int waste_csv_read(const struct recorded_folder *folder, const struct recorded_part *part,
                   struct str *out, struct error *reterr) {
    struct recorded_run run = {0};
    struct waste waste = {0};
    int r = recorded_run_load(&run, folder, part, reterr);
    if (r == 0)
        r = waste_of_run(&waste, &run, reterr);
    if (r == 0)
        waste_csv_rows(&run, &waste, out);
    waste_finish(&waste);
    recorded_run_finish(&run);
    return r;
}
