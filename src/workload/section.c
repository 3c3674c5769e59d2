/* Binding and checking of the workload section. */
#include "workload/source.h"

#include "base/units.h"
#include "workload/arrivals.h"
#include "workload/trace_file.h"

#include <math.h>

#define MOST_JOBS \
    1e9 /* of one replication: they are numbered with 32 bits, and memory ends sooner */
#define DAY_S 86400.0

struct section {
    struct schema_list streams;
    const struct yaml_node *warmup, *rigid_costs;
};

const struct field workload_fields[] = {
    {.key = "streams",
     .type = FIELD_OBJECTS,
     .offset = offsetof(struct section, streams),
     .required = true,
     .fields = stream_fields,
     .item_size = sizeof(struct stream),
     .help = "several sources of jobs together"},
    {.key = "warmup", .type = FIELD_NODE, .offset = offsetof(struct section, warmup)},
    {.key = "rigid_costs", .type = FIELD_NODE, .offset = offsetof(struct section, rigid_costs)},
    FIELDS_END};

static const struct field duration_field = {.type = FIELD_DURATION, .max = TIME_MAX_S};
static const struct field until_duration = {
    .type = FIELD_DURATION, .above_min = true, .max = TIME_MAX_S};
static const struct field until_fields[] = {
    {.key = "jobs", .type = FIELD_INT, .offset = 0, .required = true, .min = 1, .max = MOST_JOBS},
    FIELDS_END};
static const struct field user_number = {.type = FIELD_INT, .min = 1, .max = 1000000};

static const struct field cost_fields[] = {
    {.key = "start_s",
     .type = FIELD_DURATION,
     .offset = offsetof(struct start_costs, start_s),
     .max = 1e6},
    {.key = "restart_s",
     .type = FIELD_DURATION,
     .offset = offsetof(struct start_costs, restart_s),
     .max = 1e6},
    {.key = "checkpoint_s",
     .type = FIELD_DURATION,
     .offset = offsetof(struct start_costs, checkpoint_s),
     .max = 1e6},
    {.key = "checkpoint_interval_s",
     .type = FIELD_DURATION,
     .offset = offsetof(struct start_costs, checkpoint_interval_s),
     .max = 1e6},
    FIELDS_END};

static void report_section(const struct binding *b, const struct stream *s, const char *path,
                           const char *text) {
    problems_add(b->problems, s->where, path, "%s", text);
}

/* Ascending and without repeats, as config_request wants it. */
static void normalise(struct schema_list *list, const struct stream *s, const char *path,
                      const struct binding *b) {
    schema_sort_ints(list);
    if (list->count > CONFIG_MAX_CHOICES)
        problems_add(b->problems, s->where, path, "expected at most %d different values, got %zu",
                     CONFIG_MAX_CHOICES, list->count);
}

static void bind_until(struct stream *s, const struct scenario *scenario, const char *path,
                       const struct binding *b) {
    const char *until_path = arena_printf(b->arena, "%s.until", path);
    double seconds = 0;
    s->until_jobs = INT64_MAX;
    s->until_ns = scenario->horizon_ns;
    if (!s->until) {
        if (s->kind != STREAM_TRACE && scenario->horizon_ns == TIME_NONE_NS)
            report_section(
                b, s, path,
                "key \"until\" is missing (a horizon of `drain` does not end the arrivals)");
    } else if (s->until->kind == YAML_NODE_MAPPING) {
        if (schema_bind(b, until_fields, s->until, until_path, &s->until_jobs) < 0)
            s->until_jobs = 0;
    } else if (schema_bind_value(b, &until_duration, s->until, until_path, &seconds) == 0) {
        s->until_ns = units_ns(seconds) < s->until_ns ? units_ns(seconds) : s->until_ns;
    }
}

/* listed: struct scenario_user, taken if the stream names no users of its own. */
static void bind_users(struct stream *s, const struct schema_list *listed, const char *users_path,
                       const struct binding *b) {
    static const char *const only[] = {"default"};
    const struct scenario_user *listed_users = listed->at;
    int64_t number = 0;
    size_t count = s->users ? 0 : listed->count;
    if (s->users && s->users->kind == YAML_NODE_SCALAR) {
        if (schema_bind_value(b, &user_number, s->users, users_path, &number) == 0)
            count = (size_t)number;
    } else if (s->users) {
        for (size_t i = 0; i < s->users->count && s->users->kind == YAML_NODE_SEQUENCE; i++)
            if (s->users->items[i]->kind == YAML_NODE_SCALAR && !yaml_is_null(s->users->items[i])) {
                schema_note_text(b, s->users->items[i]);
                count++;
            } else {
                (void)schema_wrong(b, s->users->items[i],
                                   arena_printf(b->arena, "%s[%zu]", users_path, i), "a name");
            }
        if (s->users->kind == YAML_NODE_MAPPING || s->users->count == 0)
            (void)schema_wrong(b, s->users, users_path, "a number of users or a list of names");
        if (count != s->users->count)
            count = 0;
    }
    s->user_names = (struct schema_list){(void *)only, 1};
    if (count == 0)
        return;
    const char **names = arena_alloc(b->arena, count * sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = number > 0 ? arena_printf(b->arena, "u%zu", i + 1)
                   : s->users ? s->users->items[i]->text
                              : listed_users[i].name;
    s->user_names = (struct schema_list){names, count};
}

static void bind_mix(struct schema_list *mix, const struct model_set *models, const char *path,
                     const struct binding *b) {
    struct mix_entry *entries = mix->at;
    for (size_t i = 0; i < mix->count; i++) {
        int found = entries[i].model ? model_set_find(models, entries[i].model) : 0;
        if (found < 0)
            problems_add(b->problems, entries[i].where,
                         arena_printf(b->arena, "%s[%zu].model", path, i),
                         "no model is named \"%.80s\"%s", entries[i].model,
                         model_set_suggest(models, entries[i].model, b));
        entries[i].model_index = found < 0 ? 0 : (uint32_t)found;
    }
}

static void default_mix(struct stream *s, const struct model_set *models, const char *path,
                        const struct binding *b) {
    if (models->count == 0) {
        report_section(
            b, s, path,
            "there are no models: name a model file under `models`, or make the jobs `rigid`");
        return;
    }
    struct mix_entry *entries = arena_alloc(b->arena, models->count * sizeof *entries);
    for (uint32_t m = 0; m < models->count; m++)
        entries[m] =
            (struct mix_entry){.model = models->models[m].name, .weight = 1, .model_index = m};
    s->mix = (struct schema_list){entries, models->count};
}

static void check_slack(const struct stream *s, const char *slack_path, const struct binding *b) {
    const struct schema_list *slack = &s->deadlines.slack;
    const double *ends = slack->at;
    if (slack->count == 2 && ends[0] > ends[1])
        problems_add(b->problems, s->where, slack_path, "expected [least, most], got [%g, %g]",
                     ends[0], ends[1]);
    else if (slack->count != 0 && slack->count != 2)
        problems_add(b->problems, s->where, slack_path, "expected [least, most], got %zu value%s",
                     slack->count, slack->count == 1 ? "" : "s");
}

static void bind_limits(struct stream *s, const struct cluster *cluster, const char *path,
                        const struct binding *b) {
    const char *const *types = s->h.at;
    normalise(&s->k, s, arena_printf(b->arena, "%s.k", path), b);
    normalise(&s->b, s, arena_printf(b->arena, "%s.b", path), b);
    for (size_t i = 0; i < s->h.count; i++) {
        int type = cluster_find_type(cluster, types[i]);
        if (type < 0)
            problems_add(b->problems, s->where, arena_printf(b->arena, "%s.h[%zu]", path, i),
                         "no GPU type is named \"%.80s\"%s", types[i],
                         cluster_suggest_type(cluster, types[i], b));
        else
            s->type_mask |= 1ull << type;
    }
    check_slack(s, arena_printf(b->arena, "%s.deadlines.slack", path), b);
}

/* Keys that say something only about the other kinds of streams are problems, not noise. */
static void check_kind(const struct stream *s, const char *path, const struct binding *b) {
    bool trace = s->kind == STREAM_TRACE, periodic = s->kind == STREAM_PERIODIC;
    int rates = !isnan(s->rate_per_s) + !isnan(s->load);
    const struct {
        bool wrong;
        const char *text;
    } rules[] = {
        {trace && !s->file, "key \"file\" is missing (kind: trace)"},
        {!trace && s->file, "key \"file\" belongs to kind: trace"},
        {!trace && s->time_zone, "key \"time_zone\" belongs to kind: trace"},
        {!trace && s->work.count > 0, "key \"work\" belongs to kind: trace"},
        {!trace && !trace_change_is_none(&s->changes),
         "slice, kill_at_request, load_scale and time_compression belong to kind: trace"},
        {s->changes.from_s >= s->changes.until_s, "slice: expected from before until"},
        {s->changes.first_row > s->changes.last_row, "slice: expected first_row up to last_row"},
        {!trace && s->assign.node, "key \"assign\" belongs to kind: trace"},
        {(trace || s->rigid.node) && s->request.k == REQUEST_UNIFORM,
         "key \"request\" belongs to generated jobs with a model"},
        {trace && (rates > 0 || s->sizes.mean_s > 0 || s->mix.count > 0 || s->rigid.node),
         "rate_per_s, load, sizes, mix and rigid do not belong to kind: trace (see assign)"},
        {!trace && s->sizes.mean_s == 0, "key \"sizes\" is missing"},
        {!trace && !periodic && rates == 2, "expected one of rate_per_s and load, got both"},
        {!trace && !periodic && rates == 0, "expected one of rate_per_s and load, got neither"},
        {periodic && rates > 0, "rate_per_s and load do not belong to kind: periodic"},
        {periodic && isnan(s->period_s), "key \"period\" is missing (kind: periodic)"},
        {trace && (s->start_s > 0 || !isnan(s->period_s)),
         "start and period do not belong to kind: trace"},
        {s->kind != STREAM_DIURNAL && !(isnan(s->amplitude) && isnan(s->peak_s)),
         "amplitude and peak belong to kind: diurnal"},
        {s->kind == STREAM_POISSON && !isnan(s->period_s),
         "key \"period\" does not belong to kind: poisson"},
        {s->rigid.node && (s->k.count > 0 || s->b.count > 0),
         "k and b limit modelled jobs; rigid has its own k"},
        {s->rigid.node && s->mix.count > 0, "expected one of mix and rigid, got both"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].wrong)
            report_section(b, s, path, rules[i].text);
}

/* How many problems there are with the GPU types "A|B" of a row. */
static uint32_t check_gpu_types(const char *names, struct location where,
                                const struct workload_source *source, const struct binding *b) {
    struct slice unknown;
    uint64_t mask = stream_type_mask(source->cluster, names, &unknown);
    if (mask != 0 && !unknown.at)
        return 0;
    const char *name = unknown.at ? arena_strndup(b->arena, unknown.at, unknown.length) : names;
    problems_add(b->problems, where, "gpu_type", "no GPU type is named \"%.80s\"%s", name,
                 cluster_suggest_type(source->cluster, name, b));
    return 1;
}

static void note_shares(struct stream *s, const char *reason) {
    for (size_t i = 0; i < s->trace.rows.count; i++)
        if (s->trace.rows.at[i].gpu_milli % WHOLE_GPU_MILLI > 0)
            trace_note(&s->trace, false, reason, s->trace.rows.at[i].line);
}

void source_note_whole_gpus(struct workload_source *source) {
    struct stream *streams = source->streams.at;
    for (size_t i = 0; i < source->streams.count; i++)
        if (streams[i].assign.models.count == 0)
            note_shares(&streams[i],
                        "part of a GPU (gpu_share), which the policy does not share: a whole one");
}

/* Names in the log must be known to the scenario. Texts are interned, so a pointer is checked once.
 */
static void check_rows(const struct stream *s, const struct workload_source *source,
                       const struct binding *b) {
    const char *last_model = NULL, *last_type = NULL;
    uint32_t unknown = 0;
    for (size_t i = 0; i < s->trace.rows.count && unknown < 20; i++) {
        const struct trace_row *row = &s->trace.rows.at[i];
        struct location where = {s->file, row->line, 0};
        if (row->model && row->model != last_model &&
            model_set_find(source->models, row->model) < 0) {
            problems_add(b->problems, where, "model", "no model is named \"%.80s\"%s", row->model,
                         model_set_suggest(source->models, row->model, b));
            unknown++;
        }
        if (row->gpu_type && row->gpu_type != last_type)
            unknown += check_gpu_types(row->gpu_type, where, source, b);
        last_model = row->model;
        last_type = row->gpu_type;
    }
}

static const char *option_key(enum trace_option option) {
    return option == TRACE_OPTION_ESTIMATE ? "estimate"
           : option == TRACE_OPTION_MODELS ? "models_of_trace"
           : option == TRACE_OPTION_WORK   ? "work"
                                           : "time_zone";
}

static void read_trace(struct stream *s, const struct workload_source *source,
                       const struct trace_reader *const *readers, const char *path,
                       const struct binding *b) {
    const struct trace_reader *reader = trace_file_find_reader(readers, s->format);
    struct trace_options options = {.estimate_is_run_time = s->estimate == 1,
                                    .models = s->models_of_trace,
                                    .time_zone = s->time_zone,
                                    .work = s->work.at,
                                    .work_count = s->work.count};
    if (!reader) {
        struct str names = {0};
        str_add(&names, "workload");
        for (size_t i = 0; readers[i]; i++)
            str_addf(&names, " | %s", readers[i]->name);
        problems_add(b->problems, s->where, arena_printf(b->arena, "%s.format", path),
                     "expected one of %s, got \"%.80s\"", names.text, s->format);
        str_finish(&names);
    } else if (trace_option_unused(reader, &options) != 0) {
        problems_add(b->problems, s->where, path, "key \"%s\" means nothing to format %s",
                     option_key(trace_option_unused(reader, &options)), s->format);
    } else if (reader->read(s->file, &options, &s->trace, b->problems) == 0) {
        s->changes.seed = (uint64_t)source->scenario->seed;
        trace_change(&s->trace, &s->changes);
        if (s->trace.rows.count == 0)
            problems_add(b->problems, (struct location){.file = s->file}, NULL,
                         "the log holds no usable job");
        check_rows(s, source, b);
        if (s->assign.models.count > 0) /* nobody knows the speed of a model on part of a GPU */
            note_shares(s, "part of a GPU (gpu_share), and gets a model: a whole one");
    }
}

static void bind_stream(struct stream *s, const struct workload_source *source, const char *path,
                        const struct binding *b) {
    check_kind(s, path, b);
    bind_until(s, source->scenario, path, b);
    bind_users(s, &source->scenario->users, arena_printf(b->arena, "%s.users", path), b);
    bind_limits(s, source->cluster, path, b);
    s->period_s = isnan(s->period_s) ? DAY_S : s->period_s;
    s->amplitude = isnan(s->amplitude) ? 0.5 : s->amplitude;
    s->peak_s = isnan(s->peak_s) ? 14 * S_PER_H : s->peak_s;
    if (s->rigid.node && schema_bind(b, rigid_fields, s->rigid.node,
                                     arena_printf(b->arena, "%s.rigid", path), &s->rigid) == 0)
        normalise(&s->rigid.k, s, arena_printf(b->arena, "%s.rigid.k", path), b);
    if (s->assign.node) {
        const char *assign_path = arena_printf(b->arena, "%s.assign", path);
        if (schema_bind(b, assign_fields, s->assign.node, assign_path, &s->assign) == 0)
            bind_mix(&s->assign.models, source->models,
                     arena_printf(b->arena, "%s.models", assign_path), b);
    }
    if (s->kind != STREAM_TRACE && !s->rigid.node && s->mix.count == 0)
        default_mix(s, source->models, path, b);
    else
        bind_mix(&s->mix, source->models, arena_printf(b->arena, "%s.mix", path), b);
}

int stream_bind_assignment(struct stream *s, const struct yaml_node *node,
                           const struct binding *b) {
    static const char *const keys[] = {NULL, "users", "deadlines",
                                       "assign"}; /* NULL: the location */
    struct field fields[sizeof keys / sizeof *keys + 1] = {0};
    size_t before = b->problems->count, count = 0;
    const struct schema_list no_users = {0};
    for (const struct field *f = stream_fields; f->key || f->type == FIELD_LOCATION; f++)
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            if (f->key ? keys[i] && strcmp(f->key, keys[i]) == 0 : !keys[i])
                fields[count++] = *f;
    fields[count] = (struct field)FIELDS_END;
    if (schema_bind(b, fields, node, "", s) < 0)
        return ERROR_INPUT;
    bind_users(s, &no_users, "users", b);
    check_slack(s, "deadlines.slack", b);
    if (s->assign.node && schema_bind(b, assign_fields, s->assign.node, "assign", &s->assign) < 0)
        return ERROR_INPUT;
    return b->problems->count > before ? ERROR_INPUT : 0;
}

static int bind_section(struct workload_source *source, struct section *section,
                        const struct binding *b) {
    const struct yaml_node *node = source->scenario->workload;
    int result = 0;
    if (!node || node->kind != YAML_NODE_MAPPING || yaml_find(node, "streams")) {
        result = schema_bind(b, workload_fields, node, "workload", section);
    } else {
        struct stream *single = arena_alloc(b->arena, sizeof *single);
        result = schema_bind(b, stream_fields, node, "workload", single);
        source->single = true;
        section->streams = (struct schema_list){single, 1};
        section->warmup = single->warmup;
        section->rigid_costs = single->rigid_costs;
        single->warmup = single->rigid_costs = NULL;
    }
    double warmup_s = 0;
    if (section->warmup &&
        schema_bind_value(b, &duration_field, section->warmup, "workload.warmup", &warmup_s) < 0)
        result = ERROR_INPUT;
    source->warmup_ns = units_ns(warmup_s);
    if (schema_bind(b, cost_fields, section->rigid_costs, "workload.rigid_costs",
                    &source->rigid_costs) < 0)
        result = ERROR_INPUT;
    return result;
}

/* How many jobs a stream is expected to have. A load that no rate can offer (no GPU runs the
   models) would make arrivals endless or none, and a rate far too high more jobs than there is
   memory. */
static double expect_jobs(const struct stream *s, const struct workload *trial,
                          const struct binding *b) {
    if (s->kind == STREAM_TRACE)
        return (double)s->trace.rows.count;
    double rate_per_s =
        s->kind == STREAM_PERIODIC ? 1 / s->period_s : arrivals_rate_per_s(s, trial);
    double jobs = fmin((double)s->until_jobs, rate_per_s * (units_s(s->until_ns) - s->start_s));
    if (!(rate_per_s > 1e-12))
        report_section(b, s, "workload",
                       "no rate of arrivals offers this load: no GPU can run the jobs");
    else if (jobs > MOST_JOBS)
        problems_add(b->problems, s->where, "workload",
                     "expected arrivals of at most %.0f jobs, got about %g", MOST_JOBS, jobs);
    return fmax(jobs, 0);
}

static void check_rates(struct workload_source *source, const struct binding *b) {
    struct workload trial = {0};
    const struct stream *streams = source->streams.at;
    if (config_table_init(&trial.table, source->cluster, source->models, b->problems) == 0)
        for (size_t i = 0; i < source->streams.count; i++)
            source->expected_jobs += expect_jobs(&streams[i], &trial, b);
    workload_finish(&trial);
}

int source_bind(struct workload_source *source, const struct scenario *scenario,
                const struct binding *b) {
    struct section section = {0};
    *source = (struct workload_source){.scenario = scenario};
    int r = bind_section(source, &section, b);
    source->streams = section.streams;
    return r;
}

int source_load(struct workload_source *source, const struct cluster *cluster,
                const struct model_set *models, const struct trace_reader *const *readers,
                const struct binding *b) {
    size_t before = b->problems->count;
    struct stream *streams = source->streams.at;
    source->cluster = cluster;
    source->models = models;
    for (size_t i = 0; i < source->streams.count; i++) {
        const char *path =
            source->single ? "workload" : arena_printf(b->arena, "workload.streams[%zu]", i);
        if (!streams[i].name)
            streams[i].name = arena_printf(b->arena, "s%zu", i + 1);
        if (streams[i].warmup || streams[i].rigid_costs)
            report_section(b, &streams[i], path, "warmup and rigid_costs belong beside `streams`");
        bind_stream(&streams[i], source, path, b);
        if (b->problems->count == before && streams[i].kind == STREAM_TRACE)
            read_trace(&streams[i], source, readers, path, b);
    }
    if (b->problems->count == before)
        check_rates(source, b);
    return b->problems->count > before ? ERROR_INPUT : 0;
}

void source_finish(struct workload_source *source) {
    struct stream *streams = source->streams.at;
    for (size_t i = 0; i < source->streams.count; i++)
        trace_finish(&streams[i].trace);
    *source = (struct workload_source){0};
}
