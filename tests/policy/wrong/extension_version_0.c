/* Version 0 of an extension; it may be missing, but there is no such version. */
#include "wrong.h"
#include <easim/forecast.h>

static const struct easim_extension extensions[] = {
    {"easim.forecast", 0, sizeof(struct easim_forecast), true}};
WITH(extensions, .decide = start_in_order);
