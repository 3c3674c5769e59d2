/* Rows and their texts: see regret_row.h. */
#include "experiment/regret/regret_row.h"

#include <stdlib.h>

const char *const regret_action_names[] = {"chosen", "other", "wait"};

void regret_rows_add_bytes(const struct regret_rows *rows, struct str *out) {
    const uint64_t count = rows->at.count, length = rows->texts.length;
    str_add_bytes(out, (const char *)&count, sizeof count);
    str_add_bytes(out, (const char *)&length, sizeof length);
    str_add_bytes(out, (const char *)rows->at.at, count * sizeof *rows->at.at);
    str_add_bytes(out, rows->texts.text, length);
}

/* Texts stand behind those that are there already. */
static void move_texts(struct regret_row *row, size_t by) {
    size_t *const places[] = {&row->job,         &row->model,      &row->user,
                              &row->most_sooner, &row->most_later, &row->failure};
    text_places_move(places, sizeof places / sizeof *places, by);
}

bool regret_rows_take_bytes(struct regret_rows *rows, struct slice from) {
    uint64_t count, length;
    const size_t head = sizeof count + sizeof length;
    if (from.length < head)
        return false;
    memcpy(&count, from.at, sizeof count);
    memcpy(&length, from.at + sizeof count, sizeof length);
    if (count > from.length / sizeof(struct regret_row) ||
        from.length - head != count * sizeof(struct regret_row) + length)
        return false;
    const char *at = from.at + head;
    size_t by = rows->texts.length;
    for (uint64_t i = 0; i < count; i++, at += sizeof(struct regret_row)) {
        struct regret_row *row = array_add(&rows->at);
        memcpy(row, at, sizeof *row);
        move_texts(row, by);
    }
    str_add_bytes(&rows->texts, at, length);
    return true;
}

void regret_rows_finish(struct regret_rows *rows) {
    free(rows->at.at);
    str_finish(&rows->texts);
}
