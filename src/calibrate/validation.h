/* A model file against a profile that it need not know. */
#ifndef EASIM_CALIBRATE_VALIDATION_H
#define EASIM_CALIBRATE_VALIDATION_H

#include "calibrate/table.h"

/* One model on one GPU type. Release with validation_finish. */
struct validation {
    const struct profile_group *group;
    struct points points; /* the rows without a limit, or at the highest one */
    struct prediction *predictions;
    struct scores scores;
    bool by_table;       /* predicted by a lookup table, not by a form */
    const char *missing; /* why nothing is predicted, or NULL */
};

void validation_make(struct validation *validation, const struct profile_group *group,
                     const struct model_set *models);
void validation_finish(struct validation *validation);

/* Header, and a row per point, of a CSV of measured against modelled values, for figures. Not
   predicted: empty. A lookup table meets the points that it was made of, so each row says which of
   the two predicts. */
void points_write_header(struct str *out);
void points_write(struct str *out, const struct profile_group *group, const struct points *points,
                  const struct prediction *predictions, bool by_table);

#endif
