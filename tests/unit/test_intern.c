/* Keys to numbers. Expected numbers are those of a list that is searched from its front. */
#include "base/intern.h"
#include "base/rng.h"
#include "base/str.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define MOST 700

struct naive {
    char texts[MOST][16];
    size_t count;
};

/* The number of the text, which is added if it is new. */
static uint32_t naive_number(struct naive *naive, const char *text, bool *is_new) {
    size_t i = 0;
    while (i < naive->count && strcmp(naive->texts[i], text) != 0)
        i++;
    *is_new = i == naive->count;
    if (*is_new)
        strcpy(naive->texts[naive->count++], text);
    return (uint32_t)i;
}

static void check_texts(const struct intern *table, const struct naive *naive) {
    cr_assert_eq(table->entries.count, naive->count);
    for (uint32_t i = 0; i < naive->count; i++)
        cr_assert_str_eq(intern_text(table, i), naive->texts[i]);
}

/* Ids that ascend but for a share of them, with repeats. */
Test(intern, numbers_by_first_appearance) {
    for (uint32_t seed = 0; seed < 60; seed++) {
        gsl_rng *rng = rng_create(seed, 0, "intern");
        struct intern table = {0};
        struct naive naive = {.count = 0};
        double disorder = seed % 4 * 0.1;
        for (int i = 0; i < MOST; i++) {
            char text[16] = "";
            bool naive_new, is_new = false;
            int number = gsl_rng_uniform(rng) < disorder ? (int)gsl_rng_uniform_int(rng, 900) : i;
            if (disorder > 0.2 && number % 7 == 0)
                number = 0;
            if (number > 0)
                snprintf(text, sizeof text, "%d", number);
            uint32_t expected = naive_number(&naive, text, &naive_new);
            size_t length = strlen(text);
            uint32_t found = seed % 2 == 0 ? intern_ascending(&table, text, length, &is_new)
                                           : intern(&table, text, length, &is_new);
            cr_assert_eq(found, expected, "seed %u, %d: %s", (unsigned)seed, i, text);
            cr_assert_eq(is_new, naive_new, "seed %u, %d: %s", (unsigned)seed, i, text);
        }
        check_texts(&table, &naive);
        intern_finish(&table);
        gsl_rng_free(rng);
    }
}

/* Keys of any bytes, as the structs of policy/list: aligned, and found again by intern_find. */
Test(intern, bytes) {
    struct intern table = {0};
    bool is_new;
    for (uint64_t i = 0; i < 500; i++) {
        uint64_t key[2] = {i % 250, 0};
        cr_assert_eq(intern(&table, key, sizeof key, &is_new), i % 250);
        cr_assert_eq(is_new, i < 250);
        cr_assert_eq(intern_find(&table, key, sizeof key), i % 250);
    }
    cr_assert_eq(intern_find(&table, "", 0), INTERN_NONE);
    for (uint32_t i = 0; i < 250; i++) {
        const uint64_t *key = table.entries.at[i].key;
        cr_assert_eq((uintptr_t)key % sizeof *key, 0);
        cr_assert_eq(key[0], i);
    }
    intern_finish(&table);
}
