/* One line of waste: see waste_line.h. */
#include "output/insights/waste_line.h"

void waste_line_add(const double groups_j[static WASTE_GROUPS], struct str *out) {
    double total_j = 0;
    for (int g = 0; g < WASTE_GROUPS; g++)
        total_j += groups_j[g];
    for (int g = 0; g < WASTE_GROUPS && total_j > 0; g++)
        str_addf(out, "%s%s %.1f %%", g == 0 ? "  energy went into: " : ", ", waste_group_names[g],
                 100 * groups_j[g] / total_j);
    str_add(out, total_j > 0 ? "\n" : "");
}

static int add_part(const struct recorded_folder *folder, const struct recorded_part *part,
                    double groups_j[static WASTE_GROUPS], struct error *reterr) {
    struct recorded_run run = {0};
    struct waste waste = {0};
    int r = recorded_run_load(&run, folder, part, reterr);
    if (r == 0)
        r = waste_of_run(&waste, &run, reterr);
    for (int g = 0; g < WASTE_GROUPS && r == 0; g++)
        groups_j[g] += waste_of_group(&waste, (enum waste_group)g).energy_j;
    waste_finish(&waste);
    recorded_run_finish(&run);
    return r;
}

int waste_line_read(const char *path, struct str *out, struct error *reterr) {
    struct recorded_folder folder = {0};
    double groups_j[WASTE_GROUPS] = {0};
    int r = recorded_folder_open(&folder, path, reterr);
    for (size_t i = 0; i < folder.parts.count && r == 0; i++)
        r = add_part(&folder, &folder.parts.at[i], groups_j, reterr);
    if (r == 0)
        waste_line_add(groups_j, out);
    recorded_folder_finish(&folder);
    return r;
}
