/* What a program behind the policy exec says, as JSON values. */
#ifndef EASIM_EXEC_ANSWER_H
#define EASIM_EXEC_ANSWER_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether an object has members of these names alone (second: NULL for none); else *ret_other is
   the first other one. */
bool answer_has_only(const cJSON *object, const char *first, const char *second,
                     const char **ret_other);
/* An index below limit, or EASIM_NONE. */
uint32_t answer_index(const cJSON *item, uint32_t limit);
/* The name of a member that an object in it has twice, or NULL. Objects of many members are refused
   for those that are unknown. */
const char *answer_repeated_name(const cJSON *value);

#endif
