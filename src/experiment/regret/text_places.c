/* Texts by place: see text_places.h. */
#include "experiment/regret/text_places.h"

#include <string.h>

size_t text_places_add(struct str *texts, const char *text) {
    if (!text)
        return 0;
    if (texts->length == 0)
        str_add_char(texts, '\0'); /* the place of none */
    size_t place = texts->length;
    str_add_bytes(texts, text, strlen(text) + 1);
    return place;
}

const char *text_places_at(const struct str *texts, size_t place) {
    return place > 0 ? texts->text + place : NULL;
}

void text_places_move(size_t *const *places, size_t count, size_t by) {
    for (size_t i = 0; i < count; i++)
        *places[i] += *places[i] > 0 ? by : 0;
}
