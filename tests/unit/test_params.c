/* Parameters of policies that no shipped policy has in this form. */
#include "policy/interface.h"
#include "policy/params.h"

#include <criterion/criterion.h>
#include <math.h>

static const char *const bases[] = {"gross", "marginal", NULL};

/* The role says what the parameter means, whatever its name is. */
Test(params, marginal_by_role) {
    static const struct easim_param declared[] = {
        {"counts", "", "", EASIM_PARAM_CHOICE, 0, 0, 1, 0, false, bases, EASIM_ROLE_MARGINAL}};
    static const struct easim_policy policy = {
        .params = declared, .param_count = 1, .params_size = sizeof(int32_t)};
    struct policy_params params;
    params_init(&params, &policy);
    cr_expect_not(params_are_marginal(&params));
    params_set_number(&params, 0, 1);
    cr_expect(params_are_marginal(&params));
    params_finish(&params);
}

struct values {
    int64_t count;
    bool on;
    int32_t basis;
    double tau, slack;
    const char *text;
    const struct easim_table *table;
};

#define AT(member) offsetof(struct values, member)
static const struct easim_param all_types[] = {
    {"count", "", "", EASIM_PARAM_INT, AT(count), -9, 9, -7, false, NULL, EASIM_ROLE_NONE},
    {"on", "", "", EASIM_PARAM_BOOL, AT(on), 0, 1, 1, false, NULL, EASIM_ROLE_NONE},
    {"basis", "", "", EASIM_PARAM_CHOICE, AT(basis), 0, 1, 1, false, bases, EASIM_ROLE_NONE},
    {"tau", "s", "", EASIM_PARAM_DURATION, AT(tau), 0, 9, 2.5, false, NULL, EASIM_ROLE_NONE},
    {"slack", "", "", EASIM_PARAM_REAL, AT(slack), 1, 9, EASIM_OFF, true, NULL, EASIM_ROLE_NONE},
    {"text", "", "", EASIM_PARAM_TEXT, AT(text), 0, 0, 0, false, NULL, EASIM_ROLE_NONE},
    {"table", "", "", EASIM_PARAM_TABLE, AT(table), 0, 0, 0, false, NULL, EASIM_ROLE_NONE},
};
enum { TYPES = sizeof all_types / sizeof *all_types };
static const struct easim_policy of_all_types = {
    .name = "all", .params = all_types, .param_count = TYPES, .params_size = sizeof(struct values)};

Test(params, values_of_each_type) {
    static const double numbers[TYPES] = {-7, 1, 1, 2.5, INFINITY, NAN, NAN};
    static const char *const texts[TYPES] = {"-7", "true", "marginal", "2.5", "off", "", ""};
    struct policy_params params;
    params_init(&params, &of_all_types);
    cr_expect_eq(params_count(&of_all_types), TYPES);
    for (size_t i = 0; i < TYPES; i++) {
        double number = params_number(&params, i);
        cr_expect(number == numbers[i] || (isnan(number) && isnan(numbers[i])), "%s: %g",
                  all_types[i].name, number);
        struct str text = {0};
        params_write_value(&params, i, &text);
        cr_expect_str_eq(text.text ? text.text : "", texts[i], "%s", all_types[i].name);
        str_finish(&text);
    }
    params_set_number(&params, 1, 0);
    cr_expect_eq(params_number(&params, 1), 0);
    params_finish(&params);
}

/* A capability counts where the policy's own parameter of its role is true; without one, always,
   but for FREQUENCY, for which the host has a parameter then. */
Test(params, capabilities_under_parameters) {
    static const struct {
        uint32_t role, capability;
    } cases[] = {{EASIM_ROLE_SERVICES, CAPABILITY_SERVICES},
                 {EASIM_ROLE_CAP, EASIM_CAPABILITY_POWER_CAP},
                 {EASIM_ROLE_SHARES, EASIM_CAPABILITY_FRACTIONAL_GPU},
                 {EASIM_ROLE_LIMITS, EASIM_CAPABILITY_FREQUENCY}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t capability = cases[i].capability;
        const bool frequency = capability == EASIM_CAPABILITY_FREQUENCY;
        const struct easim_param own[] = {
            {"mine", "", "", EASIM_PARAM_BOOL, AT(on), 0, 1, 0, false, NULL, cases[i].role}};
        const struct easim_policy with = {.capabilities = capability,
                                          .params = own,
                                          .param_count = 1,
                                          .params_size = sizeof(struct values)};
        const struct easim_policy without = {.capabilities = capability};
        struct policy_params params;
        params_init(&params, &with);
        cr_expect_eq(params_count(&with), 1, "role %u: the host adds none", cases[i].role);
        cr_expect_not(params_have(&params, capability) || params_switch_on(&params, capability));
        params_set_number(&params, 0, 1);
        cr_expect(params_have(&params, capability) && params_switch_on(&params, capability));
        cr_expect_not(params_have(&params, EASIM_CAPABILITY_ORACLE));
        cr_expect_eq(params_extras(&params).power_limits, frequency);
        cr_expect_eq(params_extras(&params).shares, capability == EASIM_CAPABILITY_FRACTIONAL_GPU);
        params_finish(&params);
        params_init(&params, &without);
        cr_expect_eq(params_count(&without), frequency);
        cr_expect_eq(params_have(&params, capability), !frequency);
        cr_expect_not(params_switch_on(&params, capability));
        if (frequency)
            params_set_number(&params, 0, 1);
        cr_expect(params_have(&params, capability));
        params_finish(&params);
    }
    const struct policy_params none = {0};
    cr_expect_not(params_have(&none, EASIM_CAPABILITY_POWER_CAP));
}

/* Of a choice the first one is off. */
Test(params, capability_under_a_choice) {
    const char *const words[] = {"off", "now", "later", NULL};
    const struct easim_param own = {"limits", "",    "",    EASIM_PARAM_CHOICE, AT(basis), 0, 0,
                                    0,        false, words, EASIM_ROLE_LIMITS};
    const struct easim_policy policy = {.capabilities = EASIM_CAPABILITY_FREQUENCY,
                                        .params = &own,
                                        .param_count = 1,
                                        .params_size = sizeof(struct values)};
    struct policy_params params;
    params_init(&params, &policy);
    cr_expect_eq(params_count(&policy), 1, "the host adds none");
    cr_expect_null(interface_role(&policy, &own), "insights would set it to true");
    for (int i = 0; i < 3; i++) {
        params_set_number(&params, 0, i);
        cr_expect_eq(params_have(&params, EASIM_CAPABILITY_FREQUENCY), i > 0, "%s", words[i]);
        cr_expect_eq(params_extras(&params).law_limits, i > 0, "%s", words[i]);
    }
    params_finish(&params);
}

/* Equal are sets of the same policy with the same values, whichever of them differs. */
Test(params, equal_sets) {
    static const double others[] = {8, 0, 0, 2.25, 3};
    static const struct easim_policy namesake = {.name = "all",
                                                 .params = all_types,
                                                 .param_count = TYPES - 1,
                                                 .params_size = sizeof(struct values)};
    static const struct easim_policy other_name = {.name = "some",
                                                   .params = all_types,
                                                   .param_count = TYPES,
                                                   .params_size = sizeof(struct values)};
    struct policy_params one, other;
    params_init(&one, &of_all_types);
    params_init(&other, &of_all_types);
    cr_expect(params_are_equal(&one, &other));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        double kept = params_number(&other, i);
        params_set_number(&other, i, others[i]);
        cr_expect_not(params_are_equal(&one, &other), "%s", all_types[i].name);
        params_set_number(&other, i, kept);
        cr_expect(params_are_equal(&one, &other), "%s", all_types[i].name);
    }
    struct policy_params fewer, named;
    params_init(&fewer, &namesake);
    params_init(&named, &other_name);
    cr_expect_not(params_are_equal(&fewer, &one));
    cr_expect_not(params_are_equal(&one, &named));
    params_finish(&one);
    params_finish(&other);
    params_finish(&fewer);
    params_finish(&named);
}
