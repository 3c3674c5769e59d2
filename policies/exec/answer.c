/* JSON values of answers: see answer.h. */
#include "answer.h"

#include <easim/policy.h>
#include <math.h>
#include <string.h>

bool answer_has_only(const cJSON *object, const char *first, const char *second,
                     const char **ret_other) {
    for (const cJSON *item = object->child; item; item = item->next)
        if (strcmp(item->string, first) != 0 && (!second || strcmp(item->string, second) != 0)) {
            *ret_other = item->string;
            return false;
        }
    return true;
}

uint32_t answer_index(const cJSON *item, uint32_t limit) {
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) || !(item->valuedouble < limit) ||
        item->valuedouble != floor(item->valuedouble))
        return EASIM_NONE;
    return (uint32_t)item->valuedouble;
}

const char *answer_repeated_name(const cJSON *value) {
    const char *name = NULL;
    int members = 0;
    for (const cJSON *item = value->child; item && !name; item = item->next) {
        const cJSON *other = value->child;
        while (cJSON_IsObject(value) && members < 16 && other != item &&
               strcmp(other->string, item->string) != 0)
            other = other->next;
        if (cJSON_IsObject(value) && members < 16 && other != item)
            name = item->string;
        else
            name = answer_repeated_name(item);
        members++;
    }
    return name;
}
