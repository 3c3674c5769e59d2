/* Lists an extension twice. */
#include "wrong.h"
#include <easim/forecast.h>

static const struct easim_extension extensions[] = {EASIM_FORECAST(true), EASIM_FORECAST(true)};
WITH(extensions, .decide = start_in_order);
