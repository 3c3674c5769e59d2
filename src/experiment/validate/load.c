/* Loading of validations: see load.h. */
#include "experiment/validate/load.h"

#include "base/array.h"
#include "experiment/validate/measures.h"
#include "io/files.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A table of what was measured of each job. */
struct jobs_item {
    struct location where;
    const struct yaml_node *data, *where_node, *columns;
};

static const struct field jobs_fields[] = {
    {LOCATION(jobs_item, where)},
    {"data", SOME_TEXT(jobs_item, data), REQUIRED, HELP("name of a file of data")},
    {"where", NAMED_TEXTS(jobs_item, where_node),
     HELP("COLUMN: TEXT: only rows that have these texts (default: all)")},
    {"columns", NAMED_TEXTS(jobs_item, columns),
     HELP("NAME: COLUMN: columns with other names than easim expects (default: none)")},
    FIELDS_END,
};

struct meter_item {
    struct location where;
    const struct yaml_node *data;
    double offset_s, gap_s, from_s, to_s;
};

#define TIME(member) REAL(meter_item, member), RANGE(-TIME_MAX_S, TIME_MAX_S), UNIT(TIME)

static const struct field meter_fields[] = {
    {LOCATION(meter_item, where)},
    {"data", SOME_TEXT(meter_item, data), REQUIRED, HELP("name of a file of data")},
    {"offset", TIME(offset_s), HELP("time of the meter that is 0 in the run")},
    {"gap", DURATION(meter_item, gap_s), RANGE(0, TIME_MAX_S),
     HELP("longest step between readings; a longer one counts as the median step "
          "(default: 1.5 median steps)")},
    {"from", TIME(from_s), DEFAULT(-TIME_MAX_S),
     HELP("time of the run at which readings begin to count")},
    {"to", TIME(to_s), DEFAULT(TIME_MAX_S), HELP("time of the run up to which readings count")},
    FIELDS_END};

const struct field validate_fields[] = {
    {"name", TEXT(validate_case, name), REQUIRED, HELP("results go to a folder of this name")},
    {"source", TEXT(validate_case, source), REQUIRED,
     HELP("who measured, and where it is published")},
    {"kind", CHOICE(validate_case, kind, validate_kinds), REQUIRED,
     HELP("what is compared: predictions of models, a recorded schedule, decisions, or power")},
    {"against", CHOICE(validate_case, against, validate_againsts),
     HELP("source of the figures: a measurement, another simulator, or a closed form")},
    {"physics", TEXT(validate_case, physics), REQUIRED,
     HELP("what is assumed of the jobs and the machine")},
    {"control_of", TEXT(validate_case, control_of),
     HELP("validation whose errors must be smaller")},
    {"scenario", PATH(validate_case, scenario), REQUIRED, HELP("the scenario that is run")},
    {"set", OPEN(validate_case, set_node),
     HELP("values set in it: PATH: VALUE, in which ${NAME} is a file of data")},
    {"data", NAMED_TEXTS(validate_case, data_node),
     HELP("files: NAME: FILE, from the folder of this file or EASIM_DATA; a missing one skips")},
    {"jobs", KEYS(validate_case, jobs_node, jobs_fields),
     HELP("what was measured of each job: {data: NAME, where: {COLUMN: TEXT}, columns: {...}}")},
    {"meter", KEYS(validate_case, meter_node, meter_fields),
     HELP(
         "with kind: power, the metered power: {data: NAME, offset: 0, gap: .., from: .., to: ..}")},
    {"measured", NODE(validate_case, measured_node), REQUIRED, .forms = measured_forms,
     HELP("the figures")},
    FIELDS_END};

/* ---- The table of jobs ---- */

/* {exec_s: service_s}: the names that columns have in the file. */
static int bind_column_names(struct job_table_source *source, const struct yaml_node *node,
                             const struct binding *b) {
    int result = 0;
    if (node && node->kind != YAML_NODE_MAPPING)
        return schema_wrong(b, node, "jobs.columns", "a mapping from columns to their names");
    for (size_t i = 0; node && i < node->count; i++) {
        const char *key = node->keys[i]->text;
        size_t c = 0;
        while (c < JOB_COLUMN_COUNT && strcmp(job_column_names[c], key) != 0)
            c++;
        if (c == JOB_COLUMN_COUNT) {
            result = problems_add(
                b->problems, node->keys[i]->where, "jobs.columns", "unknown column \"%.80s\"%s",
                key, str_suggestion(b->arena, key, job_column_names, JOB_COLUMN_COUNT));
        } else if (node->items[i]->kind != YAML_NODE_SCALAR || node->items[i]->length == 0) {
            result = schema_wrong(b, node->items[i], "jobs.columns", "the name of a column");
        } else {
            source->names[c] = node->items[i]->text;
        }
    }
    return result;
}

/* Sections that depend on the table are not read if it is wrong or missing. */
static int bind_jobs(struct validate_case *v, const struct yaml_node *node,
                     const struct binding *b) {
    struct jobs_item item = {.data = NULL};
    struct job_table_source source = {.path = NULL};
    v->has_jobs = true;
    if (schema_bind(b, jobs_fields, node, "jobs", &item) < 0)
        return ERROR_INPUT;
    struct validate_data *data = validate_data_use(v, item.data, "jobs.data", b);
    int r =
        validate_where_bind(item.where_node, "jobs.where", &source.where, &source.where_count, b);
    if (bind_column_names(&source, item.columns, b) < 0 || r < 0 || !data)
        return ERROR_INPUT;
    source.path = data->path;
    data->damaged = !v->missing && job_table_read(&v->jobs, &source, b->problems) < 0;
    v->jobs_known = !v->missing && !data->damaged;
    return data->damaged ? ERROR_INPUT : 0;
}

/* ---- The meter ---- */

static int bind_meter(struct validate_case *v, const struct yaml_node *node,
                      const struct binding *b) {
    struct meter_item item = {.data = NULL};
    v->meter.given = true;
    if (schema_bind(b, meter_fields, node, "meter", &item) < 0)
        return ERROR_INPUT;
    struct validate_data *data = validate_data_use(v, item.data, "meter.data", b);
    if (!data || v->missing)
        return data ? 0 : ERROR_INPUT;
    v->meter.from_s = item.from_s;
    v->meter.to_s = item.to_s;
    v->meter.meter =
        (struct meter){.file = data->path, .offset_s = item.offset_s, .gap_s = item.gap_s};
    if (meter_load(&v->meter.meter, b->arena, b->problems) < 0)
        return ERROR_INPUT;
    for (size_t i = 0; i < v->meter.meter.count && !v->meter.known; i++)
        v->meter.known = meter_reading_is_in(&v->meter.meter.at[i], item.from_s, item.to_s);
    if (v->meter.known)
        return 0;
    return problems_add(b->problems, item.where, "meter",
                        "expected readings of %s with a power in the time from..to, got none",
                        data->path);
}

/* ---- The file ---- */

static int check_name(const struct validate_case *v, const struct binding *b) {
    if (!strchr(v->name, '/') && v->name[0] != '.')
        return 0;
    return schema_wrong(b, yaml_find(v->doc.root, "name"), "name",
                        "text that can name a folder (no /, no . in front)");
}

static int bind_file(struct validate_case *v, const struct binding *b) {
    int r = check_name(v, b);
    if (v->data_node && validate_data_bind(v, v->data_node, b) < 0)
        return ERROR_INPUT; /* a message about its files would be wrong, too */
    if (v->set_node && validate_sets_bind(v, v->set_node, b) < 0)
        r = ERROR_INPUT;
    if (v->jobs_node && bind_jobs(v, v->jobs_node, b) < 0)
        r = ERROR_INPUT;
    if (v->meter_node && bind_meter(v, v->meter_node, b) < 0)
        r = ERROR_INPUT;
    if ((v->kind == VALIDATION_POWER) != (v->meter_node != NULL))
        r = problems_add(b->problems, v->doc.root->where, v->meter_node ? "meter" : NULL,
                         v->meter_node ? "only with kind: power"
                                       : "key \"meter\" is missing: kind power compares with it");
    if (validate_measures_bind(v, v->measured_node, b) < 0)
        r = ERROR_INPUT;
    return r < 0 || validate_data_check(v, b) < 0 ? ERROR_INPUT : 0;
}

int validate_case_load(struct validate_case *v, const char *path, struct problems *problems) {
    *v = (struct validate_case){.path = path};
    const struct binding binding = {&v->doc.arena, problems, NULL};
    file_stamp_take(path, &v->read);
    if (yaml_doc_load(&v->doc, path, problems) < 0)
        return ERROR_INPUT;
    if (!v->doc.root)
        return problems_add(problems, (struct location){.file = path}, NULL,
                            "the file holds no validation");
    if (schema_bind(&binding, validate_fields, v->doc.root, "", v) < 0)
        return ERROR_INPUT;
    return bind_file(v, &binding);
}

int validate_case_of_log(struct validate_case *v, const char *log, const char *scenario,
                         double tolerance, struct problems *problems) {
    static const enum job_column needed[] = {JOB_START, JOB_FINISH};
    const struct job_table_source source = {.path = log, .needed = needed, .needed_count = 2};
    *v = (struct validate_case){.name = "measured",
                                .source = log,
                                .physics = "",
                                .scenario = scenario,
                                .kind = VALIDATION_POLICY,
                                .has_jobs = true,
                                .jobs_known = true};
    file_stamp_take(log, &v->read);
    if (job_table_read(&v->jobs, &source, problems) < 0)
        return ERROR_INPUT;
    validate_measures_of_log(v, tolerance);
    return 0;
}

/* --- validate_find --- */

struct files {
    ARRAY_OF(const char *) at;
    struct arena *arena;
};

static bool ends_in_yaml(const char *name) {
    size_t length = strlen(name);
    return name[0] != '.' && length > 5 && strcmp(name + length - 5, ".yaml") == 0;
}

static bool list_validations(const char *folder, void *context) {
    struct files *files = context;
    DIR *dir = files_open_folder(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;)
        if (ends_in_yaml(entry->d_name))
            array_push(&files->at, arena_printf(files->arena, "%s/%s", folder, entry->d_name));
    if (dir)
        closedir(dir);
    return files->at.count > 0;
}

int validate_find(struct arena *arena, const char *const **ret_files, struct error *reterr) {
    const char *own = getenv("EASIM_VALIDATION");
    struct files files = {.arena = arena};
    const struct own_folders shipped = {"validation", EASIM_VALIDATION_DIR_FROM_PROGRAM,
                                        EASIM_VALIDATION_DIR};
    bool found = own && own[0] ? list_validations(own, &files)
                               : own_folders_each(&shipped, list_validations, &files);
    if (!found) {
        free(files.at.at);
        return error_set(reterr, ERROR_INPUT,
                         "no validation files in %s: expected some, or FILE.yaml",
                         own && own[0] ? own : EASIM_VALIDATION_DIR);
    }
    qsort(files.at.at, files.at.count, sizeof *files.at.at, by_text);
    const char **list = arena_alloc(arena, (files.at.count + 1) * sizeof *list);
    memcpy(list, files.at.at, files.at.count * sizeof *list);
    list[files.at.count] = NULL;
    *ret_files = list;
    free(files.at.at);
    return 0;
}
