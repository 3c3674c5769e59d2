/* Needs a longer struct of an extension than the host has. */
#include "wrong.h"
#include <easim/services.h>

static const struct easim_extension extensions[] = {
    {"easim.services", 1, sizeof(struct easim_services) + 8, false}};
WITH(extensions, .decide = start_in_order);
