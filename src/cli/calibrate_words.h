/* What easim calibrate can be asked for, and which of its options are of what. */
#ifndef EASIM_CLI_CALIBRATE_WORDS_H
#define EASIM_CLI_CALIBRATE_WORDS_H

#include "cli/options.h"

enum calibrate_word {
    CALIBRATE_PROFILES,
    CALIBRATE_FAILURES,
    CALIBRATE_POWER,
    CALIBRATE_PLANS,
    CALIBRATE_COLLECTIVES
};

/* Says of each given option that is not of this one what it is of; ERROR_INPUT if there is one. */
int calibrate_refuse(const struct options *options, enum calibrate_word word);

#endif
