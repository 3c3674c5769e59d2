/* One number out of a CSV file of facts. */
#ifndef EASIM_EXPERIMENT_VALIDATE_FACTS_H
#define EASIM_EXPERIMENT_VALIDATE_FACTS_H

#include "experiment/validate/job_table.h"

struct fact {
    const char *file, *column;
    const struct job_condition *where; /* that hold in exactly one row */
    size_t where_count;
    struct location where_of; /* who asks, for messages */
    const char *path_of;
};

int fact_read(const struct fact *fact, double *ret_value, struct problems *problems) MUST_CHECK;

#endif
