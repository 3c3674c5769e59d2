/* Where parameters may stand in the parameter struct: whole within params_size, aligned, apart. */
#include "policy/fault.h"
#include "policy/module.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define BYTES 64 /* params_size */

static const char *const names[] = {"x", "y", NULL};

static const struct {
    enum easim_param_type type;
    size_t size, alignment;
} types[] = {{EASIM_PARAM_REAL, sizeof(double), _Alignof(double)},
             {EASIM_PARAM_DURATION, sizeof(double), _Alignof(double)},
             {EASIM_PARAM_INT, sizeof(int64_t), _Alignof(int64_t)},
             {EASIM_PARAM_BOOL, sizeof(bool), _Alignof(bool)},
             {EASIM_PARAM_CHOICE, sizeof(int32_t), _Alignof(int32_t)},
             {EASIM_PARAM_TEXT, sizeof(const char *), _Alignof(const char *)}};

#define TYPES (sizeof types / sizeof *types)

static int decide(const struct easim_pass *pass) {
    (void)pass;
    return 0;
}

/* Two parameters, `a` and `b`, of the given types and offsets; NULL where the module is accepted.
 */
static const char *fault(size_t a, size_t a_offset, size_t b, size_t b_offset) {
    static struct error error;
    const struct easim_param params[] = {
        {"a", "", "help", types[a].type, a_offset, 0, 1, 0, false, names},
        {"b", "", "help", types[b].type, b_offset, 0, 1, 0, false, names}};
    const struct easim_policy policy = {EASIM_POLICY_ABI, .name = "p",          .version = "1",
                                        .summary = "s",   .params_size = BYTES, .params = params,
                                        .param_count = 2, .decide = decide};
    error = (struct error){0};
    return module_check(&policy, "p.so", &error) < 0 ? error.text : NULL;
}

Test(module, offsets) {
    for (size_t a = 0; a < TYPES; a++)
        for (size_t at = 0; at < BYTES + 16; at++) {
            const char *said =
                fault(a, at, 3, 0 + (at == 0) * (BYTES - 1)); /* b: a bool elsewhere */
            const char *expected = at + types[a].size > BYTES
                                       ? "(a): offset lies outside params_size"
                                   : at % types[a].alignment != 0 ? "(a): offset"
                                                                  : NULL;
            cr_assert(expected ? said && strstr(said, expected) : !said, "type %zu at %zu: %s", a,
                      at, said ? said : "accepted");
        }
    for (size_t a = 0; a < TYPES; a++)
        for (size_t at = SIZE_MAX - 16; at != 0; at++) {
            const char *said = fault(a, at, 3, 0);
            cr_assert(said && strstr(said, "offset lies outside params_size"), "type %zu at %zu", a,
                      at);
        }
}

Test(module, overlaps) {
    for (size_t a = 0; a < TYPES; a++)
        for (size_t b = 0; b < TYPES; b++)
            for (size_t at = 0; at + types[b].size <= BYTES; at += types[b].alignment) {
                const size_t first = 16;
                bool apart = at + types[b].size <= first || at >= first + types[a].size;
                const char *said = fault(a, first, b, at);
                cr_assert(apart ? !said
                                : said && strstr(said, "(b): overlaps parameter a at offset 16"),
                          "types %zu, %zu at %zu: %s", a, b, at, said ? said : "accepted");
            }
}

/* The name in a report of a fault has a bounded length: what does not fit ends in dots, the rest
 * stands as it is.
 */
Test(module, name_in_a_fault) {
    const struct easim_policy policy = {.name = "p"};
    char path[2 * FAULT_NAME_BYTES], name[FAULT_NAME_BYTES], whole[2 * FAULT_NAME_BYTES + 16];
    for (size_t length = 1; length < sizeof path; length++) {
        memset(path, 'x', length);
        path[length] = '\0';
        snprintf(whole, sizeof whole, "policy p (%s)", path);
        fault_name(&(struct policy_module){.path = path, .policy = &policy}, name);
        if (strlen(whole) < FAULT_NAME_BYTES) {
            cr_assert_str_eq(name, whole);
        } else {
            cr_assert_eq(strlen(name), FAULT_NAME_BYTES - 1);
            cr_assert(strncmp(name, whole, FAULT_NAME_BYTES - 4) == 0 &&
                          strcmp(name + FAULT_NAME_BYTES - 4, "...") == 0,
                      "%s", name);
        }
    }
}
