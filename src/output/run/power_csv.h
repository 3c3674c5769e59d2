/* power.csv: the state of the cluster after each instant at which something happened. */
#ifndef EASIM_OUTPUT_RUN_POWER_CSV_H
#define EASIM_OUTPUT_RUN_POWER_CSV_H

#include "engine/observer.h"
#include "study/shared_ring.h"

/* Who writes the rows while a replication runs. */
struct power_csv {
    struct observer observer;
    struct str begin; /* of each row: the cells of policy and replication */
    struct flow *flow;
};

void power_csv_header(struct str *out);
/* Before replication `number`, from 1; release with power_csv_finish. */
void power_csv_watch(struct power_csv *csv, const char *policy, uint32_t number, struct flow *flow);
void power_csv_finish(struct power_csv *csv);

#endif
