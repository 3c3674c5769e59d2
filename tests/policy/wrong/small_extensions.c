/* Rows of extensions that are too short. */
#include "wrong.h"
#include <easim/forecast.h>

static const struct easim_extension extensions[] = {EASIM_FORECAST(false)};
POLICY(.decide = start_in_order, .extensions = extensions, .extension_count = 1,
       .extension_bytes = 8);
