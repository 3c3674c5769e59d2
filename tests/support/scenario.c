/* Scenarios in tests: see scenario.h. */
#include "scenario.h"

#include "base/units.h"
#include "ingest/formats.h"
#include "metrics/job_record.h"
#include "output/run/run_tables.h"
#include "study/study_load.h"
#include "temp_dir.h"

#include <criterion/criterion.h>
#include <math.h>

static void keep_problems(struct trial *t, const struct problems *problems) {
    size_t used = 0;
    for (size_t i = 0; i < problems->kept && used < sizeof t->failure; i++)
        used += (size_t)snprintf(t->failure + used, sizeof t->failure - used, "%s%s", i ? "\n" : "",
                                 problems->texts[i]);
}

void trial_load(struct trial *t, const struct trial_options *options, const char *yaml) {
    struct problems problems = {0};
    *t = (struct trial){.options = options};
    temp_file_write_text("scenario.yaml", yaml);
    if (options->jobs)
        temp_file_write_text("jobs.csv", options->jobs);
    if (options->models)
        temp_file_write_text("models.yaml", options->models);
    struct scenario_overrides overrides = {.policy = options->policy};
    t->status = study_load(&t->study, "scenario.yaml", &overrides, ingest_readers, &problems);
    keep_problems(t, &problems);
    problems_finish(&problems);
}

static void keep_job(struct trial_job *to, const struct sim *sim, uint32_t job) {
    const struct job_record record = job_record_of(sim, job);
    *to = (struct trial_job){.state = record.state,
                             .submit_ns = record.spec->submit_ns,
                             .start_ns = record.start_ns,
                             .finish_ns = record.finish_ns,
                             .deadline_ns = record.spec->deadline_ns,
                             .nodes = record.nodes,
                             .preemptions = record.preemptions,
                             .resizes = record.resizes,
                             .user = record.spec->user,
                             .work = record.spec->work,
                             .energy_j = power_j(record.energy),
                             .lost_j = power_j(record.lost_energy),
                             .exec_s = units_s(record.exec_ns),
                             .gpu_s = power_gpu_s(record.gpu_ps),
                             .lost_s = units_s(record.lost_ns)};
    snprintf(to->id, sizeof to->id, "%s", record.spec->id);
    snprintf(to->reason, sizeof to->reason, "%s", record.reject_reason ? record.reject_reason : "");
    if (record.config) {
        to->gpu_type = record.config->gpu_type;
        to->k = record.config->k;
        to->batch = record.config->batch;
    }
}

static void render(void *context, const struct replication *replication, struct str *out) {
    struct trial *t = context;
    const struct sim *sim = replication->sim;
    if (t->options->look)
        t->options->look(t->options->context, replication);
    if (replication->number != 1)
        return;
    t->job_count = sim->next_arrival;
    t->jobs = mem_zalloc(t->job_count, sizeof *t->jobs);
    for (uint32_t j = 0; j < t->job_count; j++)
        keep_job(&t->jobs[j], sim, j);
    struct pieces jobs = {.sent = 0}, decisions = {.sent = 0};
    jobs_csv_header(sim->workload, out);
    jobs_csv_rows(replication, &jobs);
    decisions_csv_rows(replication, &decisions);
    str_add_bytes(out, jobs.text.text, jobs.text.length);
    str_add_bytes(&t->decisions_csv, decisions.text.text, decisions.text.length);
    pieces_finish(&jobs);
    pieces_finish(&decisions);
    memcpy(t->refused, sim->refused, sizeof t->refused);
}

static int emit(void *context, uint32_t number, const struct summary *summary,
                struct slice rendered, struct error *reterr) {
    struct trial *t = context;
    (void)reterr;
    str_add_bytes(&t->jobs_csv, rendered.at, rendered.length);
    summary_csv_row("p", number, t->study.scenario.seed, 0, summary, &t->summary_csv);
    return 0;
}

static void keep_power(void *context, const struct sim *sim) {
    struct trial *t = context;
    array_push(&t->power.at, power_row_of(sim));
}

static size_t watch(void *context, uint32_t number, const struct outlet *outlet,
                    const struct observer **observers) {
    struct trial *t = context;
    size_t count = 0;
    (void)outlet;
    t->power_watch = (struct observer){.context = t, .instant = keep_power};
    if (number == 1)
        observers[count++] = &t->power_watch;
    if (t->options->watch)
        observers[count++] = t->options->watch;
    return count;
}

void trial_execute(struct trial *t) {
    if (t->status < 0)
        return;
    struct error error = {0};
    struct replicate_result result = {0};
    const struct replicate_sink sink = {
        .context = t, .watch = watch, .render = render, .emit = emit};
    struct replicate_options options = {.processes = t->options->processes,
                                        .check = !t->options->unchecked,
                                        .strict = t->options->strict,
                                        .record_decisions = t->options->decisions};
    t->status = replicate_run(&t->study, &options, &sink, &result, &error);
    t->summaries = result.summaries;
    t->count = result.count;
    result.summaries = NULL; /* the trial keeps them */
    tally_add_all(&t->counted, &result.counted);
    replicate_result_finish(&result);
    if (t->status < 0)
        snprintf(t->failure, sizeof t->failure, "%s", error.text);
}

void trial_run(struct trial *t, const struct trial_options *options, const char *format, ...) {
    va_list arguments;
    struct str yaml = {0};
    va_start(arguments, format);
    str_addv(&yaml, format, arguments);
    va_end(arguments);
    trial_load(t, options, yaml.text);
    str_finish(&yaml);
    trial_execute(t);
}

void trial_finish(struct trial *t) {
    study_finish(&t->study);
    free(t->summaries);
    free(t->jobs);
    free(t->power.at.at);
    tally_finish(&t->counted);
    str_finish(&t->jobs_csv);
    str_finish(&t->decisions_csv);
    str_finish(&t->summary_csv);
    *t = (struct trial){0};
}

void trial_must_succeed(const struct trial *t) {
    cr_assert_eq(t->status, 0, "%s", t->failure);
}

void trial_load_table(struct trial *t, struct config_table *table,
                      const struct trial_options *options, const char *yaml) {
    struct problems problems = {0};
    trial_load(t, options, yaml);
    trial_must_succeed(t);
    cr_assert_eq(config_table_init(table, &t->study.cluster, &t->study.models, &problems), 0);
}

void trial_finish_table(struct trial *t, struct config_table *table) {
    config_table_finish(table);
    trial_finish(t);
}

const struct trial_job *trial_find(const struct trial *t, const char *id) {
    for (size_t i = 0; i < t->job_count; i++)
        if (strcmp(t->jobs[i].id, id) == 0)
            return &t->jobs[i];
    cr_assert_fail("there is no job \"%s\"", id);
    return NULL;
}

/* Field number `column` of a line without quotes; its length in *length. */
static const char *field(const char *line, int column, size_t *length) {
    for (; column > 0; column--)
        line = strchr(line, ',') + 1;
    *length = strcspn(line, ",\n");
    return line;
}

static int column_number(const char *header, const char *name) {
    int columns = 1;
    for (const char *c = header; *c != '\n'; c++)
        columns += *c == ',';
    for (int i = 0; i < columns; i++) {
        size_t length;
        const char *at = field(header, i, &length);
        if (length == strlen(name) && strncmp(at, name, length) == 0)
            return i;
    }
    cr_assert_fail("jobs.csv has no column \"%s\"", name);
    return -1;
}

double trial_cell(const struct trial *t, const char *job, const char *column) {
    const char *header = t->jobs_csv.text;
    int id = column_number(header, "job_id"), wanted = column_number(header, column);
    for (const char *line = strchr(header, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        size_t length;
        const char *at = field(line, id, &length);
        if (length == strlen(job) && strncmp(at, job, length) == 0) {
            at = field(line, wanted, &length);
            return length > 0 ? strtod(at, NULL) : NAN;
        }
    }
    cr_assert_fail("jobs.csv has no job \"%s\"", job);
    return NAN;
}
