/* Parameters of policies that no shipped policy has in this form. */
#include "policy/params.h"

#include <criterion/criterion.h>

static const char *const bases[] = {"gross", "marginal", NULL};

/* power_basis stands behind other parameters in all shipped policies; here it is the first. */
Test(params, marginal_first) {
    static const struct easim_param declared[] = {
        {"power_basis", "", "", EASIM_PARAM_CHOICE, 0, 0, 1, 0, false, bases}};
    static const struct easim_policy policy = {
        .params = declared, .param_count = 1, .params_size = sizeof(int32_t)};
    struct policy_params params;
    params_init(&params, &policy);
    cr_expect_not(params_are_marginal(&params));
    params_set_number(&params, 0, 1);
    cr_expect(params_are_marginal(&params));
    params_finish(&params);
}
