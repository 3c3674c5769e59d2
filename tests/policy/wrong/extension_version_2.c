/* Needs a version of an extension that no host has. */
#include "wrong.h"
#include <easim/forecast.h>

static const struct easim_extension extensions[] = {
    {"easim.forecast", 2, sizeof(struct easim_forecast), false}};
WITH(extensions, .decide = start_in_order);
