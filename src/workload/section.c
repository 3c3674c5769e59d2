/* Binding and checking of the workload section. */
#include "workload/source.h"

#include "base/units.h"
#include "workload/service_load.h"
#include "workload/source_uses.h"
#include "workload/stream.h"
#include "workload/trace_file.h"

#include <math.h>

#define DAY_S 86400.0

struct section {
    const struct yaml_node *entries, *warmup, *rigid_costs;
};

static const struct field workload_fields[] = {
    {"streams", NODE(section, entries), REQUIRED,
     ONE_OF({"", LIST_OF({"", OBJECT_FORM(stream_fields)}, {"", OBJECT_FORM(service_fields)})}),
     HELP("several sources of jobs, and services, together")},
    {"warmup", NODE(section, warmup), .forms = warmup_forms,
     HELP("metrics leave out jobs that are submitted earlier; no effect if a lead ends later")},
    {"rigid_costs", KEYS(section, rigid_costs, cost_fields),
     HELP("set-up and checkpoints of rigid jobs of all streams")},
    FIELDS_END};

const struct field workload_forms[] = {{"", OBJECT_FORM(stream_fields)},
                                       {"", OBJECT_FORM(workload_fields)},
                                       {"", OBJECT_FORM(service_fields)},
                                       FIELDS_END};

static void report_section(const struct binding *binding, const struct stream *stream,
                           const char *path, const char *text) {
    problems_add(binding->problems, stream->where, path, "%s", text);
}

/* As config_request wants it. */
static void check_choices(const struct schema_list *list, const struct stream *stream,
                          const char *path, const struct binding *binding) {
    if (list->count > CONFIG_MAX_CHOICES)
        problems_add(binding->problems, stream->where, path,
                     "expected at most %d different values, got %zu", CONFIG_MAX_CHOICES,
                     list->count);
}

static void bind_until(struct stream *stream, const struct scenario *scenario, const char *path,
                       const struct binding *binding) {
    const char *until_path = arena_printf(binding->arena, "%s.until", path);
    double seconds = 0;
    stream->until_jobs = INT64_MAX;
    stream->until_ns = scenario->horizon_ns;
    if (!stream->until) {
        if (stream->kind != STREAM_TRACE && scenario->horizon_ns == TIME_NONE_NS)
            report_section(
                binding, stream, path,
                "key \"until\" is missing (a horizon of `drain` does not end the arrivals)");
    } else if (stream->until->kind == YAML_NODE_MAPPING) {
        if (schema_bind(binding, until_forms[1].fields, stream->until, until_path,
                        &stream->until_jobs) < 0)
            stream->until_jobs = 0;
    } else if (schema_bind_value(binding, until_forms, stream->until, until_path, &seconds) == 0) {
        stream->until_ns =
            units_ns(seconds) < stream->until_ns ? units_ns(seconds) : stream->until_ns;
    }
}

/* listed: struct scenario_user, taken if the stream names no users of its own. */
static void bind_users(struct stream *stream, const struct schema_list *listed,
                       const char *users_path, const struct binding *binding) {
    static const char *const only[] = {"default"};
    const struct scenario_user *listed_users = listed->at;
    int64_t number = 0;
    size_t count = stream->users ? 0 : listed->count;
    if (stream->users && stream->users->kind == YAML_NODE_SCALAR) {
        if (schema_bind_value(binding, user_forms, stream->users, users_path, &number) == 0)
            count = (size_t)number;
    } else if (stream->users) {
        for (size_t i = 0; i < stream->users->count && stream->users->kind == YAML_NODE_SEQUENCE;
             i++)
            if (stream->users->items[i]->kind == YAML_NODE_SCALAR &&
                !yaml_is_null(stream->users->items[i])) {
                schema_note_text(binding, stream->users->items[i]);
                count++;
            } else {
                (void)schema_wrong(binding, stream->users->items[i],
                                   arena_printf(binding->arena, "%s[%zu]", users_path, i),
                                   "a name");
            }
        if (stream->users->kind == YAML_NODE_MAPPING || stream->users->count == 0)
            (void)schema_wrong(binding, stream->users, users_path,
                               "a number of users or a list of names");
        if (count != stream->users->count)
            count = 0;
    }
    stream->user_names = (struct schema_list){(void *)only, 1};
    if (count == 0)
        return;
    const char **names = arena_alloc(binding->arena, count * sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = number > 0      ? arena_printf(binding->arena, "u%zu", i + 1)
                   : stream->users ? stream->users->items[i]->text
                                   : listed_users[i].name;
    stream->user_names = (struct schema_list){names, count};
}

static void bind_mix(struct schema_list *mix, const struct model_set *models, const char *path,
                     const struct binding *binding) {
    struct mix_entry *entries = mix->at;
    for (size_t i = 0; i < mix->count; i++) {
        int found = entries[i].model ? model_set_find(models, entries[i].model) : 0;
        if (found < 0)
            problems_add(binding->problems, entries[i].where,
                         arena_printf(binding->arena, "%s[%zu].model", path, i),
                         "no model is named \"%.80s\"%s", entries[i].model,
                         model_set_suggest(models, entries[i].model, binding));
        else if (entries[i].model && models->models[found].gpu_count == 0)
            problems_add(binding->problems, entries[i].where,
                         arena_printf(binding->arena, "%s[%zu].model", path, i),
                         "model \"%s\" has serving tables only, so no job can use it",
                         entries[i].model);
        entries[i].model_index = found < 0 ? 0 : (uint32_t)found;
    }
}

static void default_mix(struct stream *stream, const struct model_set *models, const char *path,
                        const struct binding *binding) {
    struct mix_entry *entries = arena_alloc(binding->arena, (models->count + 1) * sizeof *entries);
    size_t count = 0;
    for (uint32_t m = 0; m < models->count; m++)
        if (models->models[m].gpu_count > 0)
            entries[count++] =
                (struct mix_entry){.model = models->models[m].name, .weight = 1, .model_index = m};
    stream->mix = (struct schema_list){entries, count};
    if (models->count == 0)
        report_section(
            binding, stream, path,
            "there are no models: name a model file under `models`, or make the jobs `rigid`");
    else if (count == 0)
        report_section(binding, stream, path,
                       "all models have serving tables only, so no job can use them");
}

/* Every model of the stream has to say what its target is. */
static void check_targets(const struct stream *stream, const struct model_set *models,
                          const char *path, const struct binding *binding) {
    const struct mix_entry *mix = stream->mix.at;
    for (size_t i = 0; sizes_are_targets(&stream->sizes) && i < stream->mix.count; i++)
        if (models->count > 0 && isnan(models->models[mix[i].model_index].samples_to_target))
            problems_add(binding->problems, stream->where, path,
                         "expected models with samples_to_target (mean: target), %s has none",
                         models->models[mix[i].model_index].name);
}

static void check_slack(const struct stream *stream, const char *slack_path,
                        const struct binding *binding) {
    const struct schema_list *slack = &stream->deadlines.slack;
    const double *ends = slack->at;
    if (slack->count == 2 && ends[0] > ends[1])
        problems_add(binding->problems, stream->where, slack_path,
                     "expected [least, most], got [%g, %g]", ends[0], ends[1]);
    else if (slack->count != 0 && slack->count != 2)
        problems_add(binding->problems, stream->where, slack_path,
                     "expected [least, most], got %zu value%s", slack->count,
                     slack->count == 1 ? "" : "s");
}

static void check_flex(const struct stream *stream, const char *path,
                       const struct binding *binding) {
    const struct flex_share *shares = stream->flex.at;
    double sum = 0;
    for (size_t i = 0; i < stream->flex.count; i++)
        sum += shares[i].share;
    if (stream->flex.count > 0 && fabs(sum - 1) > 1e-9)
        problems_add(binding->problems, stream->where, path,
                     "expected shares whose sum is 1, got a sum of %.9g", sum);
}

static void bind_limits(struct stream *stream, const struct cluster *cluster, const char *path,
                        const struct binding *binding) {
    const char *const *types = stream->h.at;
    schema_sort_ints(&stream->k);
    schema_sort_reals(&stream->b);
    check_choices(&stream->k, stream, arena_printf(binding->arena, "%s.k", path), binding);
    check_choices(&stream->b, stream, arena_printf(binding->arena, "%s.b", path), binding);
    for (size_t i = 0; i < stream->h.count; i++) {
        int type = cluster_find_type(cluster, types[i]);
        if (type < 0)
            problems_add(binding->problems, stream->where,
                         arena_printf(binding->arena, "%s.h[%zu]", path, i),
                         "no GPU type is named \"%.80s\"%s", types[i],
                         cluster_suggest_type(cluster, types[i], binding));
        else
            stream->type_mask |= 1ull << type;
    }
    check_slack(stream, arena_printf(binding->arena, "%s.deadlines.slack", path), binding);
    check_flex(stream, arena_printf(binding->arena, "%s.flex", path), binding);
}

/* Keys that say something only about the other kinds of streams are problems, not noise. */
static void check_kind(const struct stream *stream, const char *path,
                       const struct binding *binding) {
    bool trace = stream->kind == STREAM_TRACE, periodic = stream->kind == STREAM_PERIODIC;
    int rates = !isnan(stream->rate_per_s) + !isnan(stream->load);
    const struct {
        bool wrong;
        const char *text;
    } rules[] = {
        {trace && !stream->file, "key \"file\" is missing (kind: trace)"},
        {!trace && stream->file, "key \"file\" belongs to kind: trace"},
        {!trace && stream->time_zone, "key \"time_zone\" belongs to kind: trace"},
        {!trace && stream->work.count > 0, "key \"work\" belongs to kind: trace"},
        {!trace && !trace_change_is_none(&stream->changes),
         "slice, kill_at_request, load_scale and time_compression belong to kind: trace"},
        {stream->changes.from_s >= stream->changes.until_s, "slice: expected from before until"},
        {stream->changes.lead_s > 0 && stream->changes.from_s == 0,
         "slice: expected from with lead, which is the time before it"},
        {stream->changes.lead_s > 0 && stream->changes.first_row > 1,
         "slice: expected no first_row with lead: the slice begins at from"},
        {stream->changes.first_row > stream->changes.last_row,
         "slice: expected first_row up to last_row"},
        {!trace && stream->perturb_node, "key \"perturb\" belongs to kind: trace"},
        {!trace && stream->assign.node, "key \"assign\" belongs to kind: trace"},
        {!trace && stream->utilization_path, "key \"utilization_file\" belongs to kind: trace"},
        {(trace || stream->rigid.node) && stream->request.k == REQUEST_UNIFORM,
         "key \"request\" belongs to generated jobs with a model"},
        {trace &&
             (rates > 0 || stream->sizes.mean_s > 0 || stream->mix.count > 0 || stream->rigid.node),
         "rate_per_s, load, sizes, mix and rigid do not belong to kind: trace (see assign)"},
        {!trace && stream->sizes.mean_s == 0, "key \"sizes\" is missing"},
        {stream->rigid.node && sizes_are_targets(&stream->sizes),
         "sizes.mean: target belongs to jobs with a model (samples_to_target)"},
        {!trace && !periodic && rates == 2, "expected one of rate_per_s and load, got both"},
        {!trace && !periodic && rates == 0, "expected one of rate_per_s and load, got neither"},
        {periodic && rates > 0, "rate_per_s and load do not belong to kind: periodic"},
        {periodic && isnan(stream->period_s), "key \"period\" is missing (kind: periodic)"},
        {trace && (stream->start_s > 0 || !isnan(stream->period_s)),
         "start and period do not belong to kind: trace"},
        {stream->kind != STREAM_DIURNAL && !(isnan(stream->amplitude) && isnan(stream->peak_s)),
         "amplitude and peak belong to kind: diurnal"},
        {stream->kind == STREAM_POISSON && !isnan(stream->period_s),
         "key \"period\" does not belong to kind: poisson"},
        {stream->rigid.node && (stream->k.count > 0 || stream->b.count > 0),
         "k and b limit modelled jobs; rigid has its own k"},
        {stream->rigid.node && stream->mix.count > 0, "expected one of mix and rigid, got both"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].wrong)
            report_section(binding, stream, path, rules[i].text);
}

/* How many problems there are with the GPU types "A|B" of a row. */
static uint32_t check_gpu_type_names(const char *names, struct location where,
                                     const struct workload_source *source,
                                     const struct binding *binding) {
    struct slice unknown;
    uint64_t mask = stream_type_mask(source->cluster, names, &unknown);
    if (mask != 0 && !unknown.at)
        return 0;
    const char *name =
        unknown.at ? arena_strndup(binding->arena, unknown.at, unknown.length) : names;
    problems_add(binding->problems, where, "gpu_type", "no GPU type is named \"%.80s\"%s", name,
                 cluster_suggest_type(source->cluster, name, binding));
    return 1;
}

static void note_shares(struct stream *stream, const char *reason) {
    for (size_t i = 0; i < stream->trace.rows.count; i++)
        if (stream->trace.rows.at[i].gpu_milli % WHOLE_GPU_MILLI > 0)
            trace_note(&stream->trace, false, reason, stream->trace.rows.at[i].line);
}

void source_note_whole_gpus(struct workload_source *source) {
    struct stream *streams = source->streams.at;
    for (size_t i = 0; i < source->streams.count; i++)
        if (streams[i].assign.models.count == 0)
            note_shares(
                &streams[i],
                "part of a GPU (gpu_share), but the policy does not share GPUs: it gets a whole GPU");
}

/* The scenario must know names in the log. Texts are interned, so a pointer is checked once. */
static void check_rows(const struct stream *stream, const struct workload_source *source,
                       const struct binding *binding) {
    const char *last_model = NULL, *last_type = NULL;
    uint32_t unknown = 0;
    for (size_t i = 0; i < stream->trace.rows.count && unknown < 20; i++) {
        const struct trace_row *row = &stream->trace.rows.at[i];
        struct location where = {stream->file, row->line, 0};
        if (row->model && row->model != last_model &&
            model_set_find(source->models, row->model) < 0) {
            problems_add(binding->problems, where, "model", "no model is named \"%.80s\"%s",
                         row->model, model_set_suggest(source->models, row->model, binding));
            unknown++;
        }
        if (row->gpu_type && row->gpu_type != last_type)
            unknown += check_gpu_type_names(row->gpu_type, where, source, binding);
        last_model = row->model;
        last_type = row->gpu_type;
    }
}

static const char *option_key(enum trace_option option) {
    return option == TRACE_OPTION_MODELS ? "models_of_trace"
           : option == TRACE_OPTION_WORK ? "work"
                                         : "time_zone";
}

/* Before slices and the like, so that what they leave out counts as known. */
static void read_utilization(struct stream *stream, const char *path,
                             const struct binding *binding) {
    if (stream->utilization_path && stream->assign.models.count > 0)
        report_section(binding, stream, path,
                       "utilization_file is for jobs without a model, and assign gives one to all");
    else if (stream->utilization_path && schema_can_read(binding, stream->utilization_path))
        utilization_file_read(&stream->utilization, stream->utilization_path,
                              stream->rigid.utilization, &stream->trace, binding->problems);
}

static void check_perturb(const struct stream *stream, const char *path,
                          const struct binding *binding) {
    const char *perturb_path = arena_printf(binding->arena, "%s.perturb", path);
    const char *refusal =
        stream->perturb_node
            ? trace_perturb_refusal(&stream->perturb, &stream->trace, binding->arena)
            : NULL;
    if (refusal)
        problems_add(binding->problems, stream->perturb_node->where, perturb_path, "%s", refusal);
}

static void read_trace(struct stream *stream, const struct workload_source *source,
                       const struct trace_reader *const *readers, const char *path,
                       const struct binding *binding) {
    const struct trace_reader *reader = trace_file_find_reader(readers, stream->format);
    struct trace_options options = {.models = stream->models_of_trace,
                                    .time_zone = stream->time_zone,
                                    .work = stream->work.at,
                                    .work_count = stream->work.count};
    if (!reader) {
        struct str names = {0};
        str_add(&names, "workload");
        for (size_t i = 0; readers[i]; i++)
            str_addf(&names, " | %s", readers[i]->name);
        problems_add(binding->problems, stream->where,
                     arena_printf(binding->arena, "%s.format", path),
                     "expected one of %s, got \"%.80s\"", names.text, stream->format);
        str_finish(&names);
    } else if (trace_option_unused(reader, &options) != 0) {
        problems_add(binding->problems, stream->where, path,
                     "key \"%s\" means nothing to format %s",
                     option_key(trace_option_unused(reader, &options)), stream->format);
    } else if (schema_can_read(binding, stream->file) &&
               reader->read(stream->file, &options, &stream->trace, binding->problems) == 0) {
        read_utilization(stream, path, binding);
        stream->changes.seed = (uint64_t)source->scenario->seed;
        trace_change(&stream->trace, &stream->changes);
        const struct trace *trace = &stream->trace;
        if (trace->rows.count == 0 || trace->rows.at[trace->rows.count - 1].submit_ns <
                                          trace_change_lead_ns(&stream->changes))
            problems_add(binding->problems, (struct location){.file = stream->file}, NULL,
                         "the log holds no usable job");
        else
            check_perturb(stream, path, binding);
        check_rows(stream, source, binding);
        if (stream->assign.models.count >
            0) /* nobody knows the speed of a model on part of a GPU */
            note_shares(stream,
                        "part of a GPU (gpu_share), but a model is assigned: it gets a whole GPU");
    }
}

static void bind_stream(struct stream *stream, const struct workload_source *source,
                        const char *path, const struct binding *binding) {
    size_t before = binding->problems->count;
    check_kind(stream, path, binding);
    bind_until(stream, source->scenario, path, binding);
    bind_users(stream, &source->scenario->users, arena_printf(binding->arena, "%s.users", path),
               binding);
    bind_limits(stream, source->cluster, path, binding);
    stream_bind_estimate(&stream->estimate, arena_printf(binding->arena, "%s.estimate", path),
                         binding);
    stream->period_s = isnan(stream->period_s) ? DAY_S : stream->period_s;
    stream->amplitude = isnan(stream->amplitude) ? 0.5 : stream->amplitude;
    stream->peak_s = isnan(stream->peak_s) ? 14 * S_PER_H : stream->peak_s;
    if (stream->rigid.node &&
        schema_bind(binding, rigid_fields, stream->rigid.node,
                    arena_printf(binding->arena, "%s.rigid", path), &stream->rigid) == 0) {
        schema_sort_ints(&stream->rigid.k);
        check_choices(&stream->rigid.k, stream, arena_printf(binding->arena, "%s.rigid.k", path),
                      binding);
    }
    if (stream->assign.node) {
        const char *assign_path = arena_printf(binding->arena, "%s.assign", path);
        if (schema_bind(binding, assign_fields, stream->assign.node, assign_path,
                        &stream->assign) == 0)
            bind_mix(&stream->assign.models, source->models,
                     arena_printf(binding->arena, "%s.models", assign_path), binding);
    }
    if (stream->kind != STREAM_TRACE && !stream->rigid.node && stream->mix.count == 0)
        default_mix(stream, source->models, path, binding);
    else
        bind_mix(&stream->mix, source->models, arena_printf(binding->arena, "%s.mix", path),
                 binding);
    if (binding->problems->count == before)
        check_targets(stream, source->models, arena_printf(binding->arena, "%s.sizes.mean", path),
                      binding);
}

int stream_bind_assignment(struct stream *stream, const struct yaml_node *node,
                           const struct binding *binding) {
    static const char *const keys[] = {NULL, "users", "deadlines",
                                       "assign"}; /* NULL: the location */
    struct field fields[sizeof keys / sizeof *keys + 1] = {0};
    size_t before = binding->problems->count, count = 0;
    const struct schema_list no_users = {0};
    for (const struct field *f = stream_fields; f->key || f->type == FIELD_LOCATION; f++)
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            if (f->key ? keys[i] && strcmp(f->key, keys[i]) == 0 : !keys[i])
                fields[count++] = *f;
    fields[count] = (struct field)FIELDS_END;
    if (schema_bind(binding, fields, node, "", stream) < 0)
        return ERROR_INPUT;
    bind_users(stream, &no_users, "users", binding);
    check_slack(stream, "deadlines.slack", binding);
    if (stream->assign.node &&
        schema_bind(binding, assign_fields, stream->assign.node, "assign", &stream->assign) < 0)
        return ERROR_INPUT;
    return binding->problems->count > before ? ERROR_INPUT : 0;
}

static int bind_service(struct workload_source *source, const struct yaml_node *node,
                        const char *path, const struct binding *binding) {
    struct service *services = source->services.at;
    struct service *service = &services[source->services.count++];
    int r = service_bind(service, node, path, binding);
    if (!service->name)
        service->name = "service";
    return r;
}

/* Jobs and services have keys of their own. */
static int bind_entries(struct workload_source *source, const struct yaml_node *list,
                        const struct binding *binding) {
    int result = 0;
    if (list->kind != YAML_NODE_SEQUENCE || list->count == 0)
        return schema_wrong(binding, list, "workload.streams", "a list of mappings");
    struct stream *streams = arena_alloc(binding->arena, list->count * sizeof *streams);
    source->streams.at = streams;
    source->services.at = arena_alloc(binding->arena, list->count * sizeof(struct service));
    for (size_t i = 0; i < list->count; i++) {
        const char *path = arena_printf(binding->arena, "workload.streams[%zu]", i);
        int r;
        if (service_is(list->items[i])) {
            r = bind_service(source, list->items[i], path, binding);
        } else {
            struct stream *stream = &streams[source->streams.count++];
            r = schema_bind(binding, stream_fields, list->items[i], path, stream);
            stream->path = path;
            if (!stream->name)
                stream->name = arena_printf(binding->arena, "s%zu", i + 1);
        }
        result = r < 0 ? r : result;
    }
    return result;
}

/* The section is itself a stream, or a service. */
static int bind_single(struct workload_source *source, struct section *section,
                       const struct yaml_node *node, const struct binding *binding) {
    struct stream *single = arena_alloc(binding->arena, sizeof *single);
    int result = schema_bind(binding, stream_fields, node, "workload", single);
    single->path = "workload";
    if (!single->name)
        single->name = "s1";
    source->streams = (struct schema_list){single, 1};
    section->warmup = single->warmup;
    section->rigid_costs = single->rigid_costs;
    single->warmup = single->rigid_costs = NULL;
    return result;
}

static int bind_section(struct workload_source *source, struct section *section,
                        const struct binding *binding) {
    const struct yaml_node *node = source->scenario->workload;
    int result = 0;
    if (!node || node->kind != YAML_NODE_MAPPING || yaml_find(node, "streams")) {
        result = schema_bind(binding, workload_fields, node, "workload", section);
        if (section->entries && bind_entries(source, section->entries, binding) < 0)
            result = ERROR_INPUT;
    } else if (service_is(node)) {
        source->services.at = arena_alloc(binding->arena, sizeof(struct service));
        result = bind_service(source, node, "workload", binding);
    } else {
        result = bind_single(source, section, node, binding);
    }
    double warmup_s = 0;
    if (section->warmup &&
        schema_bind_value(binding, warmup_forms, section->warmup, "workload.warmup", &warmup_s) < 0)
        result = ERROR_INPUT;
    source->warmup_ns = units_ns(warmup_s);
    source->warmup_path = "workload.warmup";
    if (schema_bind(binding, cost_fields, section->rigid_costs, "workload.rigid_costs",
                    &source->rigid_costs) < 0)
        result = ERROR_INPUT;
    return result;
}

static void check_rates(struct workload_source *source, const struct binding *binding) {
    struct workload trial = {0};
    const struct stream *streams = source->streams.at;
    int r = config_table_init(&trial.table, source->cluster, source->models, binding->problems);
    trial.table.allowed_k = source->allowed_k;
    if (r == 0)
        for (size_t i = 0; i < source->streams.count; i++)
            source->expected_jobs += arrivals_expect_jobs(&streams[i], &trial, binding);
    workload_finish(&trial);
}

/* Leads of slices are warm-up; a perturbed log may compress their time further. */
static int bind_leads(struct workload_source *source, const struct binding *binding) {
    struct stream *streams = source->streams.at;
    int result = 0;
    for (size_t i = 0; i < source->streams.count; i++) {
        struct stream *s = &streams[i];
        if (s->perturb_node &&
            schema_bind(binding, perturb_fields, s->perturb_node,
                        arena_printf(binding->arena, "%s.perturb", s->path), &s->perturb) < 0)
            result = ERROR_INPUT;
        s->lead_ns = trace_change_lead_ns(&s->changes);
        if (s->perturb_node && s->perturb.compress > 0)
            s->lead_ns = units_ns(units_s(s->lead_ns) / s->perturb.compress);
        if (s->lead_ns > source->warmup_ns) {
            source->warmup_ns = s->lead_ns;
            source->warmup_path = arena_printf(binding->arena, "%s.slice.lead", s->path);
        }
    }
    return result;
}

int source_bind(struct workload_source *source, const struct scenario *scenario,
                const struct binding *binding) {
    struct section section = {0};
    *source = (struct workload_source){.scenario = scenario};
    int result = bind_section(source, &section, binding);
    source->own_warmup_ns = source->warmup_ns;
    return bind_leads(source, binding) < 0 ? ERROR_INPUT : result;
}

int source_load(struct workload_source *source, const struct cluster *cluster,
                const struct model_set *models, const struct trace_reader *const *readers,
                const struct binding *binding) {
    size_t before = binding->problems->count;
    struct stream *streams = source->streams.at;
    source->cluster = cluster;
    source->models = models;
    for (size_t i = 0; i < source->streams.count; i++) {
        const char *path = streams[i].path;
        if (streams[i].warmup || streams[i].rigid_costs)
            report_section(binding, &streams[i], path,
                           "warmup and rigid_costs belong next to `streams`");
        bind_stream(&streams[i], source, path, binding);
        if (binding->problems->count == before && streams[i].kind == STREAM_TRACE)
            read_trace(&streams[i], source, readers, path, binding);
    }
    const struct service_surroundings around = {cluster, models, source->scenario};
    if (source->streams.count == 0 && source->scenario->horizon_ns == TIME_NONE_NS)
        problems_add(binding->problems, source->scenario->workload->where, "workload",
                     "expected a horizon: services alone never end, and `drain` waits for jobs");
    for (size_t i = 0; i < source->streams.count; i++)
        services_check_jobs(&source->services, &streams[i], source->streams.count > 1, binding);
    int services = services_load(&source->services, &around, binding);
    (void)services; /* the problems say it */
    if (binding->problems->count == before) {
        allowed_k_find(source);
        check_rates(source, binding);
    }
    return binding->problems->count > before ? ERROR_INPUT : 0;
}

void source_finish(struct workload_source *source) {
    struct stream *streams = source->streams.at;
    for (size_t i = 0; i < source->streams.count; i++) {
        trace_finish(&streams[i].trace);
        utilization_file_finish(&streams[i].utilization);
    }
    allowed_k_finish(source);
    if (source->known)
        config_table_finish(source->known);
    free(source->known);
    *source = (struct workload_source){0};
}
