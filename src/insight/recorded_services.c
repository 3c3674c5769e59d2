/* Replicas as jobs: see recorded_services.h. */
#include "insight/recorded_services.h"

#include "base/numfmt.h"
#include "io/csv.h"
#include "io/files.h"

#include <math.h>
#include <string.h>

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

void recorded_services_init(struct recorded_run *run) {
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
