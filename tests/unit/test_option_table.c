/* The table of options, row by row and for each command: nothing in it contradicts itself, and
   every default is one that could be given. What the rows lead to is tested by whole commands
   (tests/system/test_usage.py, tests/bad/cases). */
#include "cli/internal.h"
#include "cli/option_values.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const struct option_row *next_of(const struct option_row *row, enum command command) {
    while (row->name && !option_belongs(row, command))
        row++;
    return row;
}

#define for_each_option(row, command) \
    for (const struct option_row *row = next_of(option_rows, command); row->name; \
         row = next_of(row + 1, command))

Test(option_table, names_and_letters_are_taken_once) {
    for (enum command c = 0; c <= COMMAND_REPEAT; c++)
        for_each_option(a, c) for_each_option(b, c) {
            cr_assert(a == b || strcmp(a->name, b->name) != 0, "%s --%s", commands[c].name,
                      a->name);
            cr_assert(a == b || !a->letter || a->letter != b->letter, "%s -%c", commands[c].name,
                      a->letter);
        }
}

/* "engine=slurm merge": each is an option of the command, and the value one that it takes. */
static void check_company(enum command command, const struct option_row *row, const char *list) {
    struct arena arena = {0};
    while (list && *list) {
        size_t length = strcspn(list, " "), name = strcspn(list, " =");
        const struct option_row *other = option_find(command, list, name);
        cr_assert(other && other != row, "%s --%s: %.*s", commands[command].name, row->name,
                  (int)length, list);
        if (name < length) {
            int place;
            struct error error = {0};
            const char *value = arena_strndup(&arena, list + name + 1, length - name - 1);
            cr_assert(other->kind == OPTION_CHOICE &&
                          option_read_choice(value, other->choices, &place, &error) == 0,
                      "--%s: %s", row->name, error.text);
        }
        list += length + strspn(list + length, " ");
    }
    arena_finish(&arena);
}

Test(option_table, needs_and_excludes_are_options_of_the_command) {
    for (enum command c = 0; c <= COMMAND_REPEAT; c++)
        for_each_option(row, c) {
            check_company(c, row, row->needs);
            check_company(c, row, row->excludes);
        }
}

Test(option_table, every_row_belongs_to_a_command_and_is_complete) {
    for (const struct option_row *row = option_rows; row->name; row++) {
        bool chooses = row->kind == OPTION_CHOICE || row->kind == OPTION_WORD;
        cr_assert(row->commands != 0 && row->commands < 2u << COMMAND_REPEAT, "--%s", row->name);
        cr_assert(row->help && row->help[0] && row->help[strlen(row->help) - 1] != '.', "--%s",
                  row->name);
        cr_assert((row->choices != NULL) == chooses, "--%s", row->name);
        cr_assert((row->value != NULL) == (row->kind != OPTION_FLAG && !chooses), "--%s",
                  row->name);
        cr_assert((row->read != NULL) == (row->kind == OPTION_OTHER), "--%s", row->name);
        cr_assert(row->kind != OPTION_CHOICE || row->usual, "--%s: no default", row->name);
        cr_assert(row->least <= row->most, "--%s", row->name);
        cr_assert(row->offset + row->size <= sizeof(struct options), "--%s", row->name);
    }
}

/* Members are as large as what is written into them. */
Test(option_table, sizes_fit_the_kinds) {
    static const size_t sizes[] = {
        [OPTION_FLAG] = sizeof(bool),
        [OPTION_TEXT] = sizeof(char *),
        [OPTION_FOLDER] = sizeof(char *),
        [OPTION_TEXTS] = sizeof(struct texts),
        [OPTION_SETTING] = sizeof(struct texts),
        [OPTION_REAL] = sizeof(double),
        [OPTION_DIMENSION] = sizeof(double),
        [OPTION_DURATION] = sizeof(double),
        [OPTION_CHOICE] = sizeof(int),
        [OPTION_WORD] = sizeof(char *),
        [OPTION_METRICS] = sizeof(struct option_metrics),
        [OPTION_OTHER] = 0,
    };
    for (const struct option_row *row = option_rows; row->name; row++) {
        bool fits = row->kind == OPTION_COUNT
                        ? row->size == sizeof(uint32_t) || row->size == sizeof(uint64_t)
                        : sizes[row->kind] == 0 || row->size == sizes[row->kind];
        cr_assert(fits, "--%s: %zu bytes", row->name, row->size);
    }
}

Test(option_table, defaults_can_be_given) {
    static struct options options;
    for (const struct option_row *row = option_rows; row->name; row++) {
        struct error error = {0};
        void *member = (char *)&options + row->offset;
        cr_assert(!row->usual ||
                      option_value_read(row, row->usual, member, &options.arena, &error) == 0,
                  "--%s: %s", row->name, error.text);
    }
    arena_finish(&options.arena);
}
