/* A fit of power in words: its powers with intervals, and what the data do not tell. */
#ifndef EASIM_CALIBRATE_METERED_POWER_TEXT_H
#define EASIM_CALIBRATE_METERED_POWER_TEXT_H

#include "base/str.h"
#include "calibrate/metered/internal.h"
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

/* --- power_replay --- */
/* A scenario that replays a log with fitted powers: its jobs draw what the fit says. */

/* Whether a scenario takes these powers, as it does not if --base is more than was metered. */
int power_replay_check(const struct power_text *text, struct error *reterr) MUST_CHECK;
/* The scenario, which reads jobs.csv, and utilization.csv if there is one, beside it. name: of the
   scenario. */
void power_replay_scenario(const struct power_text *text, const char *name, bool has_steps,
                           struct str *out);
/* jobs.csv: gives each row of the log its utilization of the scenario, P = idle_w + utilization
   (tdp_w - idle_w). trace: that the jobs were made from, its rows rigid. */
void power_replay_jobs(const struct power_text *text, struct trace *trace, struct str *out);
/* utilization.csv; empty where no use changes. */
void power_replay_steps(const struct power_text *text, const struct trace *trace, struct str *out);

#endif
