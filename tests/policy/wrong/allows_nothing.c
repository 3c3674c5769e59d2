/* allow_start allows nothing. */
#include "wrong.h"

static bool allow_start(const struct easim_pass *pass, const struct easim_job *job,
                        uint32_t config) {
    (void)pass, (void)job, (void)config;
    return false;
}

LIST(.allow_start = allow_start);
