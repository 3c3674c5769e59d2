/* Uses an extension that may be missing without a look at its pointer. */
#include "wrong.h"
#include <easim/forecast.h>

static int decide(const struct easim_pass *pass) {
    return easim_forecast_of(pass, 0)->hour_count > 1000 ? -1 : start_in_order(pass);
}

static const struct easim_extension extensions[] = {EASIM_FORECAST(true)};
WITH(extensions, .decide = decide);
