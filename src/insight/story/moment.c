/* Moments as bytes and back. */
#include "insight/story/moment.h"

#include <stdlib.h>

#define ADD_LIST(out, list) add_list(out, (list)->at, (list)->count, sizeof *(list)->at)
#define TAKE_LIST(list, from) \
    take_list((void **)&(list)->at, &(list)->count, &(list)->capacity, sizeof *(list)->at, from)

static void add_list(struct str *out, const void *at, size_t count, size_t bytes_each) {
    str_add_bytes(out, (const char *)&count, sizeof count);
    if (count > 0)
        str_add_bytes(out, at, count * bytes_each);
}

static bool take_bytes(void *to, size_t bytes, struct slice *from) {
    if (from->length < bytes)
        return false;
    if (bytes > 0)
        memcpy(to, from->at, bytes);
    from->at += bytes;
    from->length -= bytes;
    return true;
}

static bool take_list(void **at, size_t *count, size_t *capacity, size_t bytes_each,
                      struct slice *from) {
    size_t number;
    if (!take_bytes(&number, sizeof number, from) || number > from->length / bytes_each)
        return false;
    *at = mem_alloc((number + 1) * bytes_each);
    *count = *capacity = number;
    return take_bytes(*at, number * bytes_each, from);
}

void moments_add_bytes(const struct moments *moments, struct str *out) {
    ADD_LIST(out, &moments->at);
    ADD_LIST(out, &moments->types);
    ADD_LIST(out, &moments->choices);
    ADD_LIST(out, &moments->overtakers);
    str_add_bytes(out, (const char *)&moments->passed, sizeof moments->passed);
    str_add_bytes(out, (const char *)&moments->passed_fitting, sizeof moments->passed_fitting);
    str_add_bytes(out, (const char *)moments->refused, sizeof moments->refused);
    add_list(out, moments->reject_reason.text, moments->reject_reason.length, 1);
}

bool moments_take_bytes(struct moments *moments, struct slice from) {
    size_t length;
    if (!TAKE_LIST(&moments->at, &from) || !TAKE_LIST(&moments->types, &from) ||
        !TAKE_LIST(&moments->choices, &from) || !TAKE_LIST(&moments->overtakers, &from) ||
        !take_bytes(&moments->passed, sizeof moments->passed, &from) ||
        !take_bytes(&moments->passed_fitting, sizeof moments->passed_fitting, &from) ||
        !take_bytes(moments->refused, sizeof moments->refused, &from) ||
        !take_bytes(&length, sizeof length, &from) || length != from.length)
        return false;
    str_add_bytes(&moments->reject_reason, from.at, length);
    return true;
}

void moments_finish(struct moments *moments) {
    free(moments->at.at);
    free(moments->types.at);
    free(moments->choices.at);
    free(moments->overtakers.at);
    str_finish(&moments->reject_reason);
    *moments = (struct moments){0};
}
