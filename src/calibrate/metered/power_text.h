/* A fit of power in words: its powers with intervals, and what the data do not tell. */
#ifndef EASIM_CALIBRATE_METERED_POWER_TEXT_H
#define EASIM_CALIBRATE_METERED_POWER_TEXT_H

#include "base/str.h"
#include "calibrate/metered/metered_cluster.h"
#include "calibrate/metered/power_fit.h"

struct power_text {
    const struct power_fit *fit;
    const struct metered_jobs *jobs;
    const struct metered_cluster *cluster;
};

/* Lines of a table: power, value, interval. */
void power_text_values(const struct power_text *text, struct str *out);
/* One line for each thing that the data do not tell, or hardly. */
void power_text_untold(const struct power_text *text, struct str *out);

#endif
