/* Reads the jobs of a recorded run, as its policy had them, from workload.csv, and the figures of
   replicas from services.csv. A set of configurations is made for each request when the first job
   has it. */
#include "insight/internal.h"

#include "base/numfmt.h"
#include "base/units.h"
#include "insight/recorded_table.h"
#include "io/csv.h"
#include "io/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- recorded_services --- */

static const struct service *service_at(const struct recorded_run *run, uint32_t service) {
    const struct service *list = run->folder->source.services.at;
    return &list[service];
}

static struct easim_config config_of(const struct replica_config *c) {
    struct easim_config config = {.batch = isfinite(c->limit) ? c->limit : 0,
                                  .k = c->k,
                                  .gpu_type = c->gpu_type,
                                  .span_count = 1,
                                  .power_limit_w = INFINITY};
    config.goodput[EASIM_ONE_NODE] = c->most_per_s;
    config.power_w[EASIM_ONE_NODE] = c->most_w / c->k;
    return config;
}

static void add_set(struct recorded_run *run, const struct service *spec) {
    struct config_table *table = &run->workload.table;
    struct config_request *request = arena_alloc(&table->arena, sizeof *request);
    memset(request, 0, sizeof *request);
    request->kind = JOB_KIND_MALLEABLE;
    request->model = spec->model;
    struct config_set set = {.first = (uint32_t)table->configs.count,
                             .count = spec->config_count,
                             .until = 1,
                             .request = request};
    for (uint32_t c = 0; c < spec->config_count; c++) {
        set.type_mask |= (uint64_t)1 << spec->configs[c].gpu_type;
        array_push(&table->configs, config_of(&spec->configs[c]));
    }
    array_push(&table->sets, set);
}

/* ---- Labels ---- */

static size_t find_label(struct workload *w, const char *name) {
    size_t i = 0;
    while (i < w->label_names.count && strcmp(w->label_names.at[i], name) != 0)
        i++;
    if (i == w->label_names.count)
        array_push(&w->label_names, name);
    return i;
}

/* Jobs have as many labels as there are names. */
static void widen_labels(struct workload *w, size_t before) {
    for (size_t j = 0; j < w->jobs.count && w->label_names.count > before; j++) {
        const char **labels = arena_alloc(&w->arena, w->label_names.count * sizeof *labels);
        memset(labels, 0, w->label_names.count * sizeof *labels);
        if (before > 0)
            memcpy(labels, w->jobs.at[j].labels, before * sizeof *labels);
        w->jobs.at[j].labels = labels;
    }
}

static const char *const *labels_of(struct recorded_run *run, uint32_t service) {
    struct workload *w = &run->workload;
    const struct schema_list *list = &service_at(run, service)->labels;
    const struct service_label *of = list->at;
    const char **labels = arena_alloc(&w->arena, (w->label_names.count + 1) * sizeof *labels);
    memset(labels, 0, (w->label_names.count + 1) * sizeof *labels);
    for (size_t i = 0; i < list->count; i++)
        labels[find_label(w, of[i].name)] = of[i].value;
    return labels;
}

/* ---- All ---- */

/* As the files have it, on one line. */
static const char *text_of(struct recorded_run *run, const char *name) {
    char *text = arena_strndup(&run->workload.arena, name, strlen(name));
    for (char *c = text; *c; c++)
        *c = *c == '\n' || *c == '\r' ? ' ' : *c;
    return text;
}

/* Once the jobs are there: a set of configurations for each service, and its labels. */
static void recorded_services_init(struct recorded_run *run) {
    struct workload *w = &run->workload;
    size_t labels = w->label_names.count;
    run->service_count = (uint32_t)run->folder->source.services.count;
    run->first_replica = (uint32_t)w->jobs.count;
    run->services =
        arena_alloc(&w->arena, (run->service_count + (size_t)1) * sizeof *run->services);
    for (uint32_t s = 0; s < run->service_count; s++) {
        const struct service *spec = service_at(run, s);
        const struct service_label *of = spec->labels.at;
        for (size_t i = 0; i < spec->labels.count; i++)
            (void)find_label(w, of[i].name);
        run->services[s] = (struct recorded_service){.spec = spec,
                                                     .name = text_of(run, spec->name),
                                                     .set = (uint32_t)w->table.sets.count,
                                                     .user = workload_user(w, spec->user)};
        add_set(run, spec);
    }
    widen_labels(w, labels);
    for (uint32_t s = 0; s < run->service_count; s++)
        run->services[s].labels = labels_of(run, s);
}

/* False: it is no name of a replica. */
static bool parse_name(const struct recorded_run *run, struct slice name, uint32_t *ret_service,
                       int64_t *ret_number) {
    const char *mark = name.length > 0 ? memrchr(name.at, '#', name.length) : NULL;
    if (!mark)
        return false;
    const struct slice service = {name.at, (size_t)(mark - name.at)};
    uint32_t s = 0;
    while (s < run->service_count && !slice_is(service, run->services[s].name))
        s++;
    *ret_service = s;
    return s < run->service_count &&
           numfmt_parse_int(mark + 1, name.length - service.length - 1, ret_number) &&
           *ret_number > 0 && *ret_number <= UINT32_MAX;
}

uint32_t recorded_services_add(struct recorded_run *run, struct slice name, int64_t start_ns) {
    struct workload *w = &run->workload;
    uint32_t service, job = (uint32_t)w->jobs.count;
    int64_t number;
    if (!parse_name(run, name, &service, &number))
        return EASIM_NONE;
    if (run->replicas.count > 0) {
        const struct recorded_replica *last = &run->replicas.at[run->replicas.count - 1];
        if (service < last->service || (service == last->service && number <= last->number))
            return EASIM_NONE;
    }
    const struct recorded_service *of = &run->services[service];
    array_push(&w->jobs, ((struct job_spec){.id = arena_strndup(&w->arena, name.at, name.length),
                                            .kind = JOB_KIND_MALLEABLE,
                                            .labels = w->label_names.count > 0 ? of->labels : NULL,
                                            .submit_ns = start_ns,
                                            .deadline_ns = TIME_NONE_NS,
                                            .set = of->set,
                                            .model = of->spec->model,
                                            .user = of->user}));
    array_push(&run->replicas, ((struct recorded_replica){service, (uint32_t)number}));
    run->jobs = mem_realloc(run->jobs, w->jobs.count, sizeof *run->jobs);
    run->jobs[job] = (struct recorded_job){
        .config = EASIM_NONE, .start_ns = -1, .finish_ns = -1, .state = EASIM_JOB_RUNNING};
    return job;
}

/* ---- services.csv ---- */

static double read_figure(struct csv *csv, const char *column) {
    double value;
    struct slice cell = csv_field(csv, csv_column(csv, column));
    return numfmt_parse_real(cell.at, cell.length, &value) ? value : NAN;
}

static void read_row(struct recorded_run *run, struct csv *csv) {
    struct slice name = csv_field(csv, csv_column(csv, "service"));
    if (read_figure(csv, "replication") != run->part->replication)
        return;
    for (uint32_t s = 0; s < run->service_count; s++)
        if (slice_is(name, run->services[s].name)) {
            run->services[s].slo_share = read_figure(csv, summary_names[SUMMARY_COLUMN(slo_share)]);
            run->services[s].j_per_token =
                read_figure(csv, summary_names[SUMMARY_COLUMN(j_per_token)]);
        }
}

int recorded_services_load_figures(struct recorded_run *run, const char *folder,
                                   struct error *reterr) {
    struct arena arena = {0};
    struct csv *csv = NULL;
    int r = 0, got;
    for (uint32_t s = 0; s < run->service_count; s++)
        run->services[s].slo_share = run->services[s].j_per_token = NAN;
    const char *path = arena_printf(&arena, "%s/services.csv", folder);
    if (run->service_count > 0 && files_exist(path)) /* not in a summary only */
        r = csv_open(path, ',', &csv, reterr);
    while (r == 0 && csv && (got = csv_next(csv, reterr)) != 0) {
        r = got < 0 ? got : 0;
        if (r == 0)
            read_row(run, csv);
    }
    csv_close(csv);
    arena_finish(&arena);
    return r;
}

/* --- recorded_jobs --- */

#define WORKLOAD_COLUMNS(X) \
    X(W_ID, "job_id"), X(W_USER, "user"), X(W_MODEL, "model"), X(W_CLASS, "class"), \
        X(W_SUBMIT, "submit_s"), X(W_DEADLINE, "deadline_s"), X(W_WORK, "work_samples"), \
        X(W_REFERENCE, "reference_gpu_s"), X(W_DURATION, "duration_s"), \
        X(W_REQUESTED, "requested_s"), X(W_PREEMPTIBLE, "preemptible"), \
        X(W_UTILIZATION, "utilization"), X(W_SHARE, "gpu_share"), X(W_K, "k"), X(W_B, "b"), \
        X(W_H, "h")
enum { WORKLOAD_COLUMNS(ENUM_OF) };
static const char *const columns[] = {WORKLOAD_COLUMNS(NAME_OF), NULL};

#define LABEL    "label."
#define WORK_MAX 1e300 /* sums stay finite */

struct reader {
    struct recorded_run *run;
    struct recorded_table table;
    struct intern requests;  /* text of one -> number */
    ARRAY_OF(uint32_t) sets; /* by number */
    struct intern models;    /* names as the file has them -> number */
    struct str key;
    ARRAY_OF(int) labels; /* places of their columns */
    bool changes;         /* the utilization of rigid jobs may */
};

/* --- requests --- */

/* The next of the values of a cell; false: there is none. */
static bool take_value(struct slice *rest, struct slice *ret_value) {
    const char *end = rest->length > 0 ? memchr(rest->at, ';', rest->length) : NULL;
    size_t length = end ? (size_t)(end - rest->at) : rest->length;
    if (rest->length == 0)
        return false;
    *ret_value = (struct slice){rest->at, length};
    rest->at += length + (end != NULL);
    rest->length -= length + (end != NULL);
    return true;
}

static void read_k(struct reader *r, struct config_request *q) {
    struct slice rest = recorded_table_raw(&r->table, W_K), value;
    int64_t k;
    while (take_value(&rest, &value)) {
        if (q->k_count == CONFIG_MAX_CHOICES || !numfmt_parse_int(value.at, value.length, &k) ||
            k < 1 || k > CLUSTER_MAX_GPUS || (q->k_count > 0 && k <= q->k[q->k_count - 1])) {
            recorded_table_refuse(&r->table, W_K, "ascending numbers of GPUs");
            return;
        }
        q->k[q->k_count++] = (uint32_t)k;
    }
    if (q->k_count == 0)
        recorded_table_refuse(&r->table, W_K, "ascending numbers of GPUs");
}

static void read_batches(struct reader *r, struct config_request *q) {
    struct slice rest = recorded_table_raw(&r->table, W_B), value;
    double batch;
    while (take_value(&rest, &value)) {
        if (q->batch_count == CONFIG_MAX_CHOICES ||
            !numfmt_parse_real(value.at, value.length, &batch) || !(batch > 0) ||
            (q->batch_count > 0 && batch <= q->batch[q->batch_count - 1])) {
            recorded_table_refuse(&r->table, W_B, "ascending numbers of samples");
            return;
        }
        q->batch[q->batch_count++] = batch;
    }
}

static void read_types(struct reader *r, struct config_request *q) {
    struct slice rest = recorded_table_raw(&r->table, W_H), value;
    int64_t type;
    while (take_value(&rest, &value)) {
        if (!numfmt_parse_int(value.at, value.length, &type) || type < 0 ||
            type >= r->run->folder->cluster.gpu_type_count) {
            recorded_table_refuse(&r->table, W_H, "numbers of GPU types of the scenario");
            return;
        }
        q->type_mask |= (uint64_t)1 << type;
    }
}

static bool some_utilization_changes(const struct recorded_folder *folder) {
    const struct stream *streams = folder->source.streams.at;
    size_t i = 0;
    while (i < folder->source.streams.count && !streams[i].utilization_path)
        i++;
    return i < folder->source.streams.count;
}

static struct config_request read_request(struct reader *r, uint32_t model) {
    struct config_request q;
    memset(&q, 0, sizeof q); /* it is hashed with its padding */
    q.kind = job_kind_of_model(model);
    q.model = model;
    double share = recorded_table_real(&r->table, W_SHARE, 0);
    q.utilization = recorded_table_amount(&r->table, W_UTILIZATION, 1, 0);
    if (!(share >= 0 && share < 1))
        recorded_table_refuse(&r->table, W_SHARE, "a share below 1");
    else
        q.milli = (uint32_t)lround(share * WHOLE_GPU_MILLI);
    q.changes = q.kind == JOB_KIND_RIGID && r->changes;
    read_k(r, &q);
    read_batches(r, &q);
    read_types(r, &q);
    return q;
}

/* The set of the row's request. */
static uint32_t find_set(struct reader *r, uint32_t model) {
    static const int cells[] = {W_MODEL, W_UTILIZATION, W_SHARE, W_K, W_B, W_H};
    bool is_new;
    r->key.length = 0;
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        struct slice cell = recorded_table_raw(&r->table, cells[i]);
        str_add_bytes(&r->key, cell.at, cell.length);
        str_add_char(&r->key, '\n');
    }
    uint32_t number = intern(&r->requests, r->key.text, r->key.length, &is_new);
    if (is_new) {
        const struct config_request q = read_request(r, model);
        array_push(&r->sets,
                   r->table.error->code < 0 ? 0 : config_table_set(&r->run->workload.table, &q));
    }
    return r->sets.at[number];
}

/* --- jobs --- */

static uint32_t find_model(struct reader *r) {
    struct slice name = recorded_table_raw(&r->table, W_MODEL);
    if (name.length == 0)
        return EASIM_NONE;
    uint32_t model = intern_find(&r->models, name.at, name.length);
    if (model == INTERN_NONE)
        recorded_table_refuse(&r->table, W_MODEL, "a model of models.yaml");
    return model == INTERN_NONE ? EASIM_NONE : model;
}

static const char *copy_text(struct reader *r, struct slice text) {
    return arena_strndup(&r->run->workload.arena, text.at, text.length);
}

static const char *const *read_labels(struct reader *r) {
    if (r->labels.count == 0)
        return NULL;
    const char **all = arena_alloc(&r->run->workload.arena, r->labels.count * sizeof *all);
    for (size_t i = 0; i < r->labels.count; i++) {
        struct slice text = recorded_table_at(&r->table, r->labels.at[i]);
        all[i] = text.length > 0 ? copy_text(r, text) : NULL;
    }
    return all;
}

static int64_t read_deadline(struct reader *r) {
    struct slice raw = recorded_table_raw(&r->table, W_DEADLINE);
    if (raw.length == 0)
        return TIME_NONE_NS;
    return raw.at[0] == '-'
               ? units_ns(fmax(-TIME_MAX_S, recorded_table_real(&r->table, W_DEADLINE, 0)))
               : recorded_table_ns(&r->table, W_DEADLINE);
}

static void read_job(struct reader *r) {
    static const char *const classes[] = {"best_effort", "sla"};
    struct workload *w = &r->run->workload;
    struct job_spec job = {.model = find_model(r)};
    job.kind = job_kind_of_model(job.model);
    bool rigid = job.kind == JOB_KIND_RIGID;
    job.work = recorded_table_amount(&r->table, rigid ? W_DURATION : W_WORK, WORK_MAX, NAN);
    job.predicted_work = recorded_table_amount(&r->table, W_REQUESTED, WORK_MAX, job.work);
    job.reference_gpu_s = recorded_table_amount(&r->table, W_REFERENCE, WORK_MAX, 0);
    job.submit_ns = recorded_table_ns(&r->table, W_SUBMIT);
    job.deadline_ns = read_deadline(r);
    job.sla = recorded_table_word(&r->table, W_CLASS, classes, 2);
    job.preemptible = recorded_table_int(&r->table, W_PREEMPTIBLE, 0, 1);
    job.set = find_set(r, job.model);
    /* of one that fits nowhere it is not known */
    if (isnan(job.work) && r->table.error->code == 0 && w->table.sets.at[job.set].count > 0)
        recorded_table_refuse(&r->table, rigid ? W_DURATION : W_WORK, "how much work it is");
    job.id = copy_text(r, recorded_table_text(&r->table, W_ID));
    struct slice user = recorded_table_text(&r->table, W_USER);
    job.user = workload_user(w, copy_text(r, user));
    job.labels = read_labels(r);
    array_push(&w->jobs, job);
}

/* --- the file --- */

/* Text as csv_add_text writes it: names with line ends differ from what they are in YAML. */
static void index_models(struct reader *r) {
    const struct model_set *models = &r->run->folder->models;
    for (uint32_t m = 0; m < models->count; m++) {
        r->key.length = 0;
        csv_add_text(&r->key, models->models[m].name);
        (void)intern(&r->models, r->key.text ? r->key.text : "", r->key.length, NULL);
    }
}

static void index_labels(struct reader *r) {
    int place = -1;
    while ((place = recorded_table_find(&r->table, LABEL, place + 1)) >= 0) {
        struct slice name = recorded_table_at(&r->table, place);
        array_push(&r->labels, place);
        array_push(
            &r->run->workload.label_names,
            copy_text(r, (struct slice){name.at + strlen(LABEL), name.length - strlen(LABEL)}));
    }
}

static int init_workload(struct recorded_run *run, struct error *reterr) {
    const struct recorded_folder *folder = run->folder;
    const struct scenario_user *users = folder->scenario.users.at;
    struct problems problems = {0};
    struct workload *w = &run->workload;
    *w = (struct workload){.rigid_costs = folder->source.rigid_costs,
                           .warmup_ns = folder->source.warmup_ns};
    int r = config_table_init(&w->table, &folder->cluster, &folder->models, &problems);
    if (r < 0)
        error_set(reterr, ERROR_INPUT, "%s", problems.count > 0 ? problems.texts[0] : folder->path);
    problems_finish(&problems);
    w->table.extras = folder->policies.at[run->part->policy].extras;
    for (size_t i = 0; i < folder->scenario.users.count && r == 0; i++) {
        uint32_t user = workload_user(w, users[i].name);
        w->users.at[user].weight = users[i].weight;
    }
    return r < 0 ? ERROR_INPUT : 0;
}

/* --- what jobs of each model may ask for --- */

static void allow_k(struct k_choice *choice, uint32_t k) {
    size_t at = 0;
    while (at < choice->count && choice->at[at] < k)
        at++;
    if (at < choice->count && choice->at[at] == k)
        return;
    array_push(choice, k);
    memmove(choice->at + at + 1, choice->at + at, (choice->count - 1 - at) * sizeof k);
    choice->at[at] = k;
}

static void find_allowed_k(struct recorded_run *run) {
    struct config_table *table = &run->workload.table;
    run->allowed_k = mem_zalloc(run->folder->models.count, sizeof *run->allowed_k);
    for (size_t s = 0; s < table->sets.count; s++) {
        const struct config_request *q = table->sets.at[s].request;
        for (uint32_t i = 0; q->kind != JOB_KIND_RIGID && i < q->k_count; i++)
            allow_k(&run->allowed_k[q->model], q->k[i]);
    }
    table->allowed_k = run->allowed_k;
}

int recorded_jobs_load(struct recorded_run *run, struct error *reterr) {
    struct reader r = {.run = run, .changes = some_utilization_changes(run->folder)};
    struct arena arena = {0};
    const struct recorded_rows *rows = &run->part->workload;
    int result = init_workload(run, reterr);
    if (result == 0)
        result = recorded_table_open(
            &r.table, arena_printf(&arena, "%s/workload.csv", run->folder->path), columns, reterr);
    if (result == 0) {
        index_models(&r);
        index_labels(&r);
        result = recorded_table_read(&r.table, rows->from, rows->bytes, rows->line, reterr);
    }
    while (result == 0 && recorded_table_next(&r.table))
        read_job(&r);
    if (result == 0)
        result = reterr->code;
    if (result == 0 && run->workload.jobs.count < run->part->jobs_submitted)
        result =
            error_set(reterr, ERROR_INPUT, "%s: fewer jobs than recorded.csv says", r.table.file);
    find_allowed_k(run);
    recorded_services_init(run);
    recorded_table_finish(&r.table);
    intern_finish(&r.requests);
    intern_finish(&r.models);
    str_finish(&r.key);
    free(r.sets.at);
    free(r.labels.at);
    arena_finish(&arena);
    return result;
}
