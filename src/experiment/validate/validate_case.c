/* Validations in memory: see validate_case.h. */
#include "experiment/validate/validate_case.h"

#include <stdlib.h>

const char *const validate_kinds[] = {"prediction", "replay", "policy", "power", NULL};
const char *const validate_againsts[] = {"measurement", "simulator", "theory", NULL};
const char *const validate_overs[] = {
    "mean", "sum", "median_error", "p90_error", "mean_error", "most_error", NULL};

const char **validate_case_set_texts(const struct validate_case *v, struct arena *arena) {
    const char **texts = arena_alloc(arena, (v->sets.count + 1) * sizeof *texts);
    for (size_t i = 0; i < v->sets.count; i++)
        texts[i] = arena_printf(arena, "%s=%s", v->sets.at[i].path.text, v->sets.at[i].yaml);
    return texts;
}

void validate_case_finish(struct validate_case *v) {
    job_table_finish(&v->jobs);
    free(v->data.at);
    yaml_doc_finish(&v->doc);
}
