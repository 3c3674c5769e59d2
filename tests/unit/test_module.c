/* What a module exports: where parameters may stand in the parameter struct (whole within
   params_size, aligned, apart), and structs of other sizes than the host's. */
#include "policy/fault.h"
#include "policy/interface.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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
        {"a", "", "help", types[a].type, a_offset, 0, 1, 0, false, names, EASIM_ROLE_NONE},
        {"b", "", "help", types[b].type, b_offset, 0, 1, 0, false, names, EASIM_ROLE_NONE}};
    const struct easim_policy policy = {EASIM_POLICY_ABI, .name = "p",          .version = "1",
                                        .summary = "s",   .params_size = BYTES, .params = params,
                                        .param_count = 2, .decide = decide};
    struct easim_policy *whole = NULL;
    error = (struct error){0};
    int r = interface_read(&policy, sizeof policy, "p.so", &whole, &error);
    free(whole);
    return r < 0 ? error.text : NULL;
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

/* Of four parameters any two: with one name, or in one place. */
Test(module, pairs) {
    for (uint32_t first = 0; first < 3; first++)
        for (uint32_t second = first + 1; second < 4; second++)
            for (int same_name = 0; same_name < 2; same_name++) {
                static const char *const own[] = {"a", "b", "c", "d"};
                struct easim_param params[4];
                for (uint32_t i = 0; i < 4; i++)
                    params[i] = (struct easim_param){
                        own[i], "",    "h",  EASIM_PARAM_REAL, i * sizeof(double), 0, 1,
                        0,      false, NULL, EASIM_ROLE_NONE};
                if (same_name)
                    params[second].name = own[first];
                else
                    params[second].offset = params[first].offset;
                struct easim_policy policy = {EASIM_POLICY_ABI, .name = "p",       .version = "1",
                                              .summary = "s",   .params_size = 32, .params = params,
                                              .param_count = 4, .decide = decide};
                struct easim_policy *whole = NULL;
                struct error error = {0};
                char expected[100];
                snprintf(expected, sizeof expected, "parameter %u (%s): %s%s", second,
                         own[same_name ? first : second],
                         same_name ? "defined twice" : "overlaps parameter ",
                         same_name ? "" : own[first]);
                cr_expect(interface_read(&policy, sizeof policy, "p.so", &whole, &error) < 0);
                cr_expect(strstr(error.text, expected), "%s, not %s", error.text, expected);
                free(whole);
            }
}

static void minimise(const struct easim_pass *pass, struct easim_objective *ret) {
    (void)pass, (void)ret;
}

/* A list and a policy that end early are followed by something else: the host must not take it for
   the members that are left out. */
Test(module, short_structs) {
    struct easim_list list;
    memset(&list, 0xa5, sizeof list);
    list.struct_size = offsetof(struct easim_list, minimise_urgent);
    list.key = NULL;
    list.minimise = minimise;
    struct easim_policy policy = {EASIM_POLICY_ABI, .name = "p", .version = "1", .summary = "s",
                                  .list = &list};
    policy.struct_size = offsetof(struct easim_policy, init);
    memset((char *)&policy + policy.struct_size, 0xa5, sizeof policy - policy.struct_size);
    struct easim_policy *whole = NULL;
    struct error error = {0};
    cr_assert_eq(interface_read(&policy, sizeof policy, "p.so", &whole, &error), 0, "%s",
                 error.text);
    cr_expect(whole->reads == 0 && whole->keeps == 0); /* 0: not declared */
    cr_expect(!whole->init && !whole->finish && strcmp(whole->name, "p") == 0);
    cr_expect(whole->list != &list && whole->list->minimise == minimise && !whole->list->key);
    cr_expect(!whole->list->minimise_urgent && !whole->list->user_factor);
    cr_expect(!whole->list->allow_start && !whole->list->allow_resize);
    cr_expect(!whole->list->begin && !whole->list->make_room && !whole->list->resize_least);
    free(whole);
}

/* Parameters as a module has them whose struct easim_param is longer than the host's. */
Test(module, stride_of_params) {
    const struct {
        struct easim_param param;
        char more[24];
    } params[] = {
        {{"first", "", "help", EASIM_PARAM_REAL, 0, 0, 1, 0.25, false, NULL, EASIM_ROLE_NONE}, {1}},
        {{"second", "", "help", EASIM_PARAM_REAL, 8, 0, 1, 0.75, false, NULL, EASIM_ROLE_NONE},
         {2}}};
    struct easim_policy policy = {EASIM_POLICY_ABI, .name = "p",       .version = "1",
                                  .summary = "s",   .params_size = 16, .params = &params[0].param,
                                  .param_count = 2, .decide = decide};
    policy.param_bytes = sizeof params[0];
    struct easim_policy *whole = NULL;
    struct error error = {0};
    cr_assert_eq(interface_read(&policy, sizeof policy, "p.so", &whole, &error), 0, "%s",
                 error.text);
    cr_expect_str_eq(whole->params[0].name, "first");
    cr_expect_str_eq(whole->params[1].name, "second");
    cr_expect_eq(whole->params[1].default_value, 0.75);
    free(whole);
}

/* A symbol that ends before its version, or before its size. */
Test(module, short_symbols) {
    const struct easim_policy policy = {EASIM_POLICY_ABI, .name = "p"};
    struct easim_policy *whole = NULL;
    for (size_t bytes = 0; bytes < offsetof(struct easim_policy, name); bytes++) {
        struct error error = {0};
        cr_assert(interface_read(&policy, bytes, "p.so", &whole, &error) < 0 && !whole);
        cr_assert(strstr(error.text, bytes < 8    ? "is not a struct easim_policy"
                                     : bytes < 12 ? "is compiled for policy interface 3.0, "
                                                  : "struct_size is too small"),
                  "%zu bytes: %s", bytes, error.text);
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

/* A draft is named from the first on; what is none is not. */
Test(module, names_versions) {
    static const struct {
        uint32_t major, minor, draft;
        const char *text;
    } cases[] = {{3, 0, 0, "3.0"}, {3, 0, 1, "3.0 draft 1"}, {2, 14, 12, "2.14 draft 12"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[INTERFACE_VERSION_BYTES];
        interface_version(cases[i].major, cases[i].minor, cases[i].draft, text);
        cr_expect_str_eq(text, cases[i].text);
    }
}

/* What is said of a policy with the table `file` and these columns; NULL where it is accepted. */
static const char *column_fault(const struct easim_column *columns, uint32_t count) {
    static struct error error;
    const struct easim_param params[] = {
        {"file", "", "h", EASIM_PARAM_TABLE, 0, 0, 0, 0, false, NULL, EASIM_ROLE_NONE},
        {"most", "", "h", EASIM_PARAM_REAL, 8, 0, 1, 0, false, NULL, EASIM_ROLE_NONE}};
    const struct easim_policy policy = {EASIM_POLICY_ABI,
                                        .name = "p",
                                        .version = "1",
                                        .summary = "s",
                                        .params_size = 16,
                                        .params = params,
                                        .param_count = 2,
                                        .decide = decide,
                                        .columns = columns,
                                        .column_count = count,
                                        .column_bytes = sizeof *columns};
    struct easim_policy *whole = NULL;
    error = (struct error){0};
    int r = interface_read(&policy, sizeof policy, "p.so", &whole, &error);
    cr_expect(r < 0 || !columns || strcmp(whole->columns[count - 1].name, "x") == 0);
    free(whole);
    return r < 0 ? error.text : NULL;
}

Test(module, columns) {
    static const struct {
        struct easim_column column;
        const char *fault;
    } cases[] = {
        {{"file", "x", EASIM_PARAM_REAL, 0, 1, false}, NULL},
        {{"file", "x", EASIM_PARAM_DURATION, 0, 0, true}, NULL},
        {{"file", "x", EASIM_PARAM_INT, -1, 1, true}, NULL},
        {{"file", "x", EASIM_PARAM_TEXT, 1, 0, false}, NULL},
        {{"file", "x", EASIM_PARAM_INT, 1, 0, false}, "column 1: min..max is no range"},
        {{"file", "x", EASIM_PARAM_REAL, NAN, 0, false}, "column 1: min..max is no range"},
        {{"file", "x", EASIM_PARAM_BOOL, 0, 1, false},
         "column 1: only numbers, durations and text"},
        {{"file", "x", EASIM_PARAM_TABLE, 0, 1, false},
         "column 1: only numbers, durations and text"},
        {{"most", "x", EASIM_PARAM_REAL, 0, 1, false}, "column 1: its param must name a table"},
        {{"fil", "x", EASIM_PARAM_REAL, 0, 1, false}, "column 1: its param must name a table"},
        {{NULL, "x", EASIM_PARAM_REAL, 0, 1, false}, "column 1: its param must name a table"},
        {{"file", "", EASIM_PARAM_REAL, 0, 1, false}, "column 1: expected a name"},
        {{"file", NULL, EASIM_PARAM_REAL, 0, 1, false}, "column 1: expected a name"},
        {{"file", "a\033[1m", EASIM_PARAM_REAL, 0, 1, false}, "column 1: expected a name"},
        {{"file", "first", EASIM_PARAM_REAL, 0, 1, false}, "column 1: defined twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct easim_column columns[] = {{"file", "first", EASIM_PARAM_TEXT, 0, 0, true},
                                               cases[i].column};
        const char *said = column_fault(columns, 2);
        cr_expect(cases[i].fault ? said && strstr(said, cases[i].fault) : !said, "case %zu: %s", i,
                  said ? said : "accepted");
    }
    cr_expect(strstr(column_fault(NULL, 0), "parameter 0 (file): a table needs columns"));
    cr_expect(strstr(column_fault(NULL, 2), "column_count is 2 but columns is NULL"));
}
