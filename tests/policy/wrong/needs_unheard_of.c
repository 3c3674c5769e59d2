/* Uses an extension that every host lacks. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    return *(const volatile size_t *)pass->extensions[1] > 0 ? start_in_order(pass) : -1;
}

static const struct easim_extension extensions[] = {{"easim.unheard_of", 1, 64, true},
                                                    {"easim.forecast", 3, 64, true}};
WITH(extensions, .decide = decide);
