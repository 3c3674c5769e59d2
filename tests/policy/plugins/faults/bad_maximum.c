/* bad_maximum: refuses to run with the largest value that its own table allows. */
#include "in_order.h"

struct params {
    double patience;
};

static int init(const struct easim_pass *pass) {
    if (((const struct params *)pass->params)->patience < 100)
        return 0;
    pass->host->fail(pass->plan, "too patient");
    return -1;
}

static const struct easim_param params[] = {
    {"patience", "s", "how long it waits", EASIM_PARAM_DURATION, offsetof(struct params, patience),
     1, 100, 10, false, NULL, EASIM_ROLE_NONE}};

FAULTY("bad_maximum", .params_size = sizeof(struct params), .params = params, .param_count = 1,
       .decide = start_in_order, .init = init);
