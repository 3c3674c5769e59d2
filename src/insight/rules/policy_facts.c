/* The policy's part of a manifest: see policy_facts.h. */
#include "insight/rules/policy_facts.h"

#include "io/files.h"
#include "study/recorded.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

#define MOST_MANIFEST_BYTES (64u << 20)

static cJSON *parse_file(const char *path) {
    struct str text = {0};
    struct error error = {0};
    cJSON *root = NULL;
    if (files_read(path, MOST_MANIFEST_BYTES, &text, &error) == 0)
        root = cJSON_ParseWithLength(text.text ? text.text : "", text.length);
    str_finish(&text);
    return root;
}

static const char *text_of(struct arena *arena, const cJSON *value) {
    if (cJSON_IsString(value))
        return arena_strdup(arena, value->valuestring);
    char *printed = cJSON_PrintUnformatted(value);
    const char *text = arena_strdup(arena, printed ? printed : "");
    cJSON_free(printed);
    return text;
}

static void read_policy(struct policy_facts *facts, const cJSON *policy) {
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(policy, "capabilities"))
        array_push(&facts->capabilities, text_of(&facts->arena, item));
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(policy, "params")) {
        struct policy_param *param = array_add(&facts->params);
        param->name = arena_strdup(&facts->arena, item->string);
        param->value = text_of(&facts->arena, item);
    }
}

void policy_facts_load(struct policy_facts *facts, const struct recorded_folder *folder,
                       const struct recorded_part *part) {
    cJSON *root = parse_file(arena_printf(&facts->arena, "%s/" MANIFEST_NAME,
                                          recorded_folder_of_policy(folder, part, &facts->arena)));
    const cJSON *own = cJSON_GetObjectItemCaseSensitive(root, "policy");
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(own, "name");
    if (cJSON_IsString(name) &&
        strcmp(name->valuestring, folder->policies.at[part->policy].name) == 0)
        read_policy(facts, own);
    cJSON_Delete(root);
}

void policy_facts_finish(struct policy_facts *facts) {
    free(facts->capabilities.at);
    free(facts->params.at);
    arena_finish(&facts->arena);
    *facts = (struct policy_facts){0};
}

bool policy_facts_can(const struct policy_facts *facts, const char *capability) {
    size_t i = 0;
    while (i < facts->capabilities.count && strcmp(facts->capabilities.at[i], capability) != 0)
        i++;
    return i < facts->capabilities.count;
}

const char *policy_facts_param(const struct policy_facts *facts, const char *name) {
    for (size_t i = 0; i < facts->params.count; i++)
        if (strcmp(facts->params.at[i].name, name) == 0)
            return facts->params.at[i].value;
    return NULL;
}

bool policy_facts_may_set(const struct policy_facts *facts, const char *name, const char *value) {
    const char *now = policy_facts_param(facts, name);
    return now && strcmp(now, value) != 0;
}
