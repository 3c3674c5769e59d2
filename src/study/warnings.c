/* Warns if a part of a scenario has no effect or an unwanted one: it runs, but probably not as
   meant. Also reports what only models, cluster and parameters of the policy together show to be
   impossible. */
#include "study/internal.h"

#include "base/units.h"
#include "model/batches.h"
#include "model/gpu_value.h"
#include "workload/service_load.h"

#include <math.h>
#include <string.h>

/* --- service_warnings: what of the services of a study has no effect, or does not last --- */

#define EQUAL 1e-9 /* relatively: means of bins and sums of capacities round */

__attribute__((format(printf, 3, 4))) static void
warn_of_service(struct study *study, const struct service *service, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = arena_vprintf(&study->arena, format, arguments);
    va_end(arguments);
    array_push(&study->warnings, arena_printf(&study->arena, "%s.%s", service->path, text));
}

static void warn_of_demand(struct study *study, const struct service *service) {
    const struct service_demand *d = &service->demand;
    int64_t horizon_ns = study->scenario.horizon_ns;
    if (service_demand_is_none(d))
        warn_of_service(study, service, "demand: it is always 0");
    else if (d->end_ns < horizon_ns && horizon_ns != TIME_NONE_NS)
        warn_of_service(study, service,
                        "demand: it is always 0 from t = %.9g s on, %.9g s before the horizon "
                        "(period: DURATION would repeat it)",
                        units_s(d->end_ns), units_s(horizon_ns - d->end_ns));
}

/* ---- Overload ---- */

/* Demand from t = 0 to until_ns; first_ns TIME_NONE_NS: it is never more than `most`. */
struct demand_summary {
    double most, peak, mean;
    int64_t until_ns, first_ns;
    double above; /* share of the time with more than `most` */
};

static void sum_demand(const struct service_demand *demand, struct demand_summary *sum) {
    struct series_cursor cursor;
    series_start(&cursor, &demand->series);
    sum->first_ns = TIME_NONE_NS;
    for (int64_t from_ns = 0, to_ns; from_ns < sum->until_ns; from_ns = to_ns) {
        to_ns = series_next_ns(&cursor);
        to_ns = to_ns < sum->until_ns ? to_ns : sum->until_ns;
        double share = units_s(to_ns - from_ns) / units_s(sum->until_ns);
        sum->mean += cursor.value * share;
        sum->peak = fmax(sum->peak, cursor.value);
        if (cursor.value > sum->most * (1 + EQUAL)) {
            sum->above += share;
            sum->first_ns = from_ns < sum->first_ns ? from_ns : sum->first_ns;
        }
        if (to_ns < sum->until_ns)
            series_pass(&cursor);
    }
}

/* A round of repeated demand says all. */
static void warn_of_overload(struct study *study, const struct service *service) {
    const struct service_demand *d = &service->demand;
    int64_t period_ns = series_period_ns(&d->series);
    struct demand_summary sum = {.most = service_configs_most_per_s(service, &study->cluster),
                                 .until_ns = study->scenario.horizon_ns};
    if (period_ns > 0 && period_ns < sum.until_ns)
        sum.until_ns = period_ns;
    if (d->end_ns < sum.until_ns)
        sum.until_ns = d->end_ns;
    sum_demand(d, &sum);
    if (sum.first_ns == TIME_NONE_NS)
        return;
    bool outputs = study->models.models[service->model].serving.unit == UNIT_OUTPUT;
    warn_of_service(
        study, service,
        "demand: up to %.6g %s/s, %.6g on average, more than replicas.max of %lld can give here, "
        "at most %.6g: first at t = %.9g s, for %.3g %% of the time; %s",
        sum.peak * d->output_share, outputs ? "outputs" : "tokens", sum.mean * d->output_share,
        (long long)service->replicas.max, sum.most * d->output_share, units_s(sum.first_ns),
        100 * sum.above,
        isfinite(service->slo.timeout_s)
            ? "requests that would wait longer than timeout_s are not served"
        : sum.mean <= sum.most ? "meanwhile requests wait"
        : study->scenario.horizon_ns == TIME_NONE_NS
            ? "the backlog grows until the last job ends the run"
            : "the backlog grows as long as this lasts");
}

/* ---- Keys without effect ---- */

/* Whether it, and not latency or what was measured, ends some configuration. */
static bool limit_binds(const struct service *service, double limit) {
    uint32_t c = 0;
    while (c < service->config_count && service->configs[c].most_n != limit)
        c++;
    return c < service->config_count;
}

/* Limits ascend: above the first that does not bind none does. */
static void warn_of_limits(struct study *study, const struct service *service) {
    const double *limits = service->replicas.b.at;
    size_t first = 0, count = service->replicas.b.count;
    while (first < count && limit_binds(service, limits[first]))
        first++;
    if (first + 1 < count)
        warn_of_service(
            study, service,
            "replicas.b: from %.9g to %.9g all have the same effect, because latency or the measured range ends sooner",
            limits[first], limits[count - 1]);
}

static void warn_of_scaling(struct study *study, const struct service *service) {
    const struct service_replicas *r = &service->replicas;
    if (service->has_scaling && r->min == r->max && service->config_count == 1)
        warn_of_service(study, service,
                        "scaling: of no effect unless a replica is lost, because min equals max");
}

/* The rest of `scaling` says what the first replicas are. */
static void warn_of_policy(struct study *study, const struct service *service) {
    if (service->has_scaling && params_have(&study->params, CAPABILITY_SERVICES))
        warn_of_service(
            study, service,
            "scaling: interval, down_after and preempt are of no effect, policy %s scales services itself",
            study->module.policy->name);
}

/* Asked for by name, where there is nothing to scale. */
static void warn_of_no_services(struct study *study) {
    if (study->source.services.count == 0 && params_switch_on(&study->params, CAPABILITY_SERVICES))
        array_push(&study->warnings,
                   "policy.params.services: of no effect, the workload has no services");
}

/* Adds to the study's warnings. */
static void service_warnings_find(struct study *study) {
    warn_of_no_services(study);
    const struct service *services = study->source.services.at;
    for (size_t i = 0; i < study->source.services.count; i++) {
        if (services[i].unfit)
            warn_of_service(study, &services[i], "replicas: impossible configurations:%s",
                            services[i].unfit);
        warn_of_demand(study, &services[i]);
        warn_of_overload(study, &services[i]);
        warn_of_limits(study, &services[i]);
        warn_of_scaling(study, &services[i]);
        warn_of_policy(study, &services[i]);
    }
}

/* --- warnings --- */

#define LEAST_LAST_DAY_H 18.0 /* a last day that ends earlier is worth a word */

__attribute__((format(printf, 2, 3))) static void warn(struct study *study, const char *format,
                                                       ...) {
    va_list arguments;
    va_start(arguments, format);
    array_push(&study->warnings, arena_vprintf(&study->arena, format, arguments));
    va_end(arguments);
}

/* ---- The power cap ---- */

/* Power with all GPUs idle. */
static int64_t idle_power_nw(const struct cluster *c) {
    struct power_meter meter;
    power_meter_init(&meter, c);
    int64_t total_nw = power_meter_total_nw(&meter);
    power_meter_finish(&meter);
    return total_nw;
}

/* Keys about a cap that is enforced, where none is. */
static void warn_of_cap_keys(struct study *study) {
    static const char *const keys[] = {"order", "admit", "steps", "grace"};
    const struct yaml_node *cap = yaml_find(study->scenario.cluster, "power_cap");
    bool enforced = study->cluster.cap_rules.enforce != ENFORCE_NONE;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!enforced && yaml_find(cap, keys[i]))
            warn(study, "cluster.power_cap.%s: of no effect with enforce: none", keys[i]);
}

/* A cap that holds at some time of the run and that not even idle GPUs keep: no policy can. */
static void warn_of_cap(struct study *study) {
    const struct series *caps = &study->scenario.signals[SIGNAL_CAP];
    double idle_w = power_w(idle_power_nw(&study->cluster)), first_w = study->cluster.power_cap_w;
    int64_t first_ns = 0, last_ns = study->scenario.horizon_ns, period_ns = series_period_ns(caps);
    unsigned steps = first_w < idle_w;
    struct series_cursor c;
    series_start(&c, caps);
    if (period_ns > 0 && (caps->first_ns > 0 ? caps->first_ns : 0) + period_ns - 1 < last_ns)
        last_ns =
            (caps->first_ns > 0 ? caps->first_ns : 0) + period_ns - 1; /* one round says all */
    for (int64_t from_ns = 0; caps->kind && from_ns <= last_ns; series_pass(&c)) {
        if (c.value < idle_w && steps++ == 0) {
            first_w = c.value;
            first_ns = from_ns;
        }
        from_ns = series_next_ns(&c);
        if (from_ns == TIME_NONE_NS)
            break;
    }
    if (steps == 0)
        return;
    const char *more =
        steps > 1 ? arena_printf(&study->arena, "; %u more steps are", steps - 1) : "";
    warn(
        study,
        "cluster.power_cap%s: infeasible, %.9g W from t = %.9g s on is less than the %.9g W that idle GPUs and nodes draw%s%s",
        yaml_find(study->scenario.cluster, "power_cap") ? "" : "_w", first_w, units_s(first_ns),
        idle_w, more, steps > 1 ? " too low" : "");
}

/* ---- GPU types ---- */

static bool some_model_knows(const struct study *study, const struct usage *usage,
                             const char *gpu) {
    for (uint32_t m = 0; m < study->models.count; m++)
        if (usage->models[m].any && model_on_gpu(&study->models.models[m], gpu))
            return true;
    return false;
}

/* Types on which no job can run draw power, and no policy can help it. */
static void warn_of_idle_types(struct study *study, const struct usage *usage) {
    uint64_t used = usage->rigid.types;
    const struct service *services = study->source.services.at;
    for (uint32_t m = 0; m < study->models.count; m++)
        used |= usage->models[m].types;
    for (size_t s = 0; s < study->source.services.count; s++)
        for (uint32_t c = 0; c < services[s].config_count; c++)
            used |= 1ull << services[s].configs[c].gpu_type;
    for (uint32_t h = 0; h < study->cluster.gpu_type_count; h++) {
        const struct gpu_type *type = &study->cluster.gpu_types[h];
        bool known = usage->rigid.any || some_model_knows(study, usage, type->name);
        if (type->gpus == 0)
            warn(study, "cluster.gpu_types[%u]: no node has a GPU of type %s", h, type->name);
        else if (!(used >> h & 1))
            warn(study, "cluster.gpu_types[%u]: %s on %s: %s stay%s idle", h,
                 known ? "no job of the workload can run"
                       : "no model of the workload's jobs says how they run",
                 type->name,
                 type->gpus == 1 ? "its 1 GPU"
                                 : arena_printf(&study->arena, "its %u GPUs", type->gpus),
                 type->gpus == 1 ? "s" : "");
    }
}

/* A tdp_w below what a model draws makes energy less and nothing slower: that is no power limit. */
static void warn_of_cut_power(struct study *study, const struct usage *usage) {
    for (uint32_t h = 0; h < study->cluster.gpu_type_count; h++)
        for (uint32_t m = 0; m < study->models.count; m++) {
            const struct gpu_type *type = &study->cluster.gpu_types[h];
            const struct gpu_model *g = model_on_gpu(&study->models.models[m], type->name);
            if (!g || !(usage->models[m].types >> h & 1) || g->power_scope != POWER_SCOPE_GPU ||
                gpu_value_most_w(g, type->tdp_w) <= type->tdp_w)
                continue;
            warn(
                study,
                "cluster.gpu_types[%u].tdp_w: %.9g W is less than the %.9g W that %s may draw on %s (%s): its power is cut, its speed is not",
                h, type->tdp_w, gpu_value_most_w(g, type->tdp_w), study->models.models[m].name,
                type->name, g->lookup_power ? "lookup" : "pmax_w");
        }
}

/* Whether a model whose jobs may run on GPU type h says how many operations a sample takes, and
 * where asked, how many bytes. */
static bool some_model_counts(const struct study *study, const struct usage *usage, uint32_t h,
                              bool bytes_too) {
    for (uint32_t m = 0; m < study->models.count; m++) {
        const struct model *model = &study->models.models[m];
        if ((usage->models[m].types >> h & 1) && model->flops_per_sample > 0 &&
            (!bytes_too || model->bytes_per_sample > 0))
            return true;
    }
    return false;
}

/* No run uses them; easim attribute does, of models that say what a sample takes. */
static void warn_of_peaks(struct study *study, const struct usage *usage) {
    for (uint32_t h = 0; h < study->cluster.gpu_type_count; h++) {
        const struct gpu_type *type = &study->cluster.gpu_types[h];
        bool has_peak = type->peak_flops > 0, has_memory = type->memory_bytes_s > 0;
        if (has_peak && !some_model_counts(study, usage, h, false))
            warn(
                study,
                "cluster.gpu_types[%u].peak_flops: of no effect, no model whose jobs may run on %s states flops_per_sample",
                h, type->name);
        if (has_memory && !has_peak)
            warn(study, "cluster.gpu_types[%u].memory_bytes_s: of no effect without peak_flops", h);
        else if (has_memory && !some_model_counts(study, usage, h, true))
            warn(
                study,
                "cluster.gpu_types[%u].memory_bytes_s: of no effect, no model whose jobs may run on %s states flops_per_sample and bytes_per_sample",
                h, type->name);
    }
}

/* ---- Options of the policy ---- */

/* Keys of limits, where no configuration has one or, of the law, takes one by it. */
static void warn_of_limit_keys(struct study *study, const struct usage *usage) {
    for (uint32_t h = 0; h < study->cluster.gpu_type_count; h++) {
        const struct gpu_type *type = &study->cluster.gpu_types[h];
        if (type->floor_w > 0 && !(usage->limited_types >> h & 1))
            warn(study,
                 "cluster.gpu_types[%u].floor_w: of no effect, no job has power limits on %s", h,
                 type->name);
        if (type->limit_delay_s != USUAL_LIMIT_DELAY_S && !(usage->limited_types >> h & 1))
            warn(study,
                 "cluster.gpu_types[%u].limit_delay_s: of no effect, no job has power limits on %s",
                 h, type->name);
        if (type->limit_law.where.file && !(usage->law_types >> h & 1))
            warn(
                study,
                "cluster.gpu_types[%u].limit_law: of no effect, no job without measured limits has power limits on %s",
                h, type->name);
    }
    if (!params_have(&study->params, EASIM_CAPABILITY_FREQUENCY) || usage->limited_types != 0)
        return;
    size_t i = 0;
    while (params_at(study->params.policy, i)->role != EASIM_ROLE_LIMITS)
        i++;
    warn(study, "policy.params.%s: of no effect, no job may have a power limit",
         params_at(study->params.policy, i)->name);
}

/* Where the scenario gives the policy a parameter; NULL: nowhere. */
static const char *given_at(struct study *study, const char *name) {
    const char *policy = study->module.policy->name;
    const struct yaml_node *params = study->scenario.policy.params,
                           *by_policy = study->scenario.params_by_policy;
    const struct yaml_node *own = by_policy ? yaml_find(by_policy, policy) : NULL;
    if (params && yaml_find(params, name))
        return arena_printf(&study->arena, "policy.params.%s", name);
    return own && yaml_find(own, name)
               ? arena_printf(&study->arena, "params_by_policy.%s.%s", policy, name)
               : NULL;
}

/* Of the parameters of resizing: the last ones, where the policy resizes none; all, in rounds, at
   each boundary of which every job may get another configuration. */
static void warn_of_resize_options(struct study *study, size_t from, const char *effect) {
    static const char *const names[] = {"resize", "shrink", "resize_gain", "resize_interval_s"};
    for (size_t i = from; i < sizeof names / sizeof *names; i++) {
        const char *path = given_at(study, names[i]);
        if (path)
            warn(study, "%s: of no effect %s", path, effect);
    }
}

static void warn_of_options(struct study *study, const struct usage *usage) {
    warn_of_limit_keys(study, usage);
    if (list_options_in_rounds(&study->params.list)) {
        warn_of_resize_options(study, 0, "with round_s");
        return;
    }
    if (study->params.list.shrink && !study->params.list.resize)
        warn(study, "policy.params.shrink: of no effect without resize");
    if (study->module.policy->list && !study->params.list.resize)
        warn_of_resize_options(study, 2, "without resize");
}

/* ---- Phases and plans of models ---- */

static void warn_of_batches(struct study *study, const struct model *model) {
    if (batches_count(&model->allowed) > 0)
        warn(study, "models.%s.batches: of no effect, each phase states its own", model->name);
    for (uint32_t i = 0; i < model->gpu_count; i++)
        if (batches_count(&model->gpus[i].allowed) > 0)
            warn(study, "models.%s.gpus.%s.batches: of no effect, each phase states its own",
                 model->name, model->gpus[i].gpu);
}

/* A model's noise scale and batches stand for phases that state none. */
static void warn_of_phases(struct study *study, const struct usage *usage) {
    for (uint32_t m = 0; m < study->models.count; m++) {
        const struct model *model = &study->models.models[m];
        bool stated = usage->models[m].any && model->phases.count > 0;
        if (stated && model_phases_state(model, model_phase_states_phi) && !isnan(model->phi))
            warn(study, "models.%s.phi: of no effect, each phase states its own", model->name);
        if (stated && model_phases_state(model, model_phase_states_batches))
            warn_of_batches(study, model);
    }
}

static void warn_of_plans(struct study *study, const struct usage *usage) {
    struct plan_table plans = {.published = true};
    struct str text = {0};
    for (uint32_t m = 0; study->models.published && m < study->models.count; m++)
        for (uint32_t h = 0; h < study->cluster.gpu_type_count; h++) {
            const struct model *model = &study->models.models[m];
            const struct gpu_type *type = &study->cluster.gpu_types[h];
            const struct k_choice *k = &study->source.allowed_k[m];
            bool used = model->is_transformer && usage->models[m].types >> h & 1;
            for (size_t i = 0; used && i < k->count; i++)
                if (plan_table_find(&plans, model, &study->cluster, type, k->at[i])->origin ==
                    PLAN_OF_LEAST_TIME)
                    str_addf(&text, "%s%s on %u %s", text.length > 0 ? ", " : "", model->name,
                             k->at[i], type->name);
        }
    if (study->models.published && plans.choices.count == 0)
        warn(study, "plans: of no effect, no job is the training of a transformer");
    else if (text.length > 0)
        warn(study, "plans: uses the fastest plan, because no published one fits: %s", text.text);
    str_finish(&text);
    plan_table_finish(&plans);
}

/* ---- The rest of the scenario ---- */

static void warn_of_perturb(struct study *study, const struct stream *stream, const char *path) {
    const struct trace_perturb *p = &stream->perturb;
    const struct trace *trace = &stream->trace;
    if (!stream->perturb_node || trace->rows.count == 0)
        return;
    if (p->load_scale == 1)
        warn(study, "%s.perturb.load_scale: of no effect, it is 1", path);
    if (p->compress == 1)
        warn(study, "%s.perturb.time_compression: of no effect, it is 1", path);
    if (!trace_perturb_draws(p))
        warn(study, "%s.perturb: it draws nothing, so all replications have the same log", path);
    int64_t days = trace_perturb_days(trace);
    double last_h =
        units_s(trace->rows.at[trace->rows.count - 1].submit_ns - (days - 1) * TRACE_DAY_NS) /
        S_PER_H;
    if (p->bootstrap_days > 0 && last_h < LEAST_LAST_DAY_H)
        warn(study,
             "%s.perturb.bootstrap_days: the last of %lld days has jobs in its first %.3g h only, "
             "and is drawn as a whole day",
             path, (long long)days, last_h);
}

static void warn_of_estimate(struct study *study, const struct stream *stream) {
    const struct estimate_facts facts = stream_estimate_facts(stream);
    if (!stream->estimate.node)
        return;
    if (facts.modelled)
        warn(study, "%s.estimate: of no effect%s", stream->path,
             facts.rigid ? " on jobs with a model" : ", all its jobs have a model");
    if (facts.rigid && stream->estimate.kind == ESTIMATE_RUN && !facts.requested)
        warn(study, "%s.estimate: of no effect, no job asks for another time than its run time",
             stream->path);
}

static void warn_of_slice(struct study *study, const struct stream *stream) {
    const struct workload_source *source = &study->source;
    if (stream->trace.is_cut && source->warmup_ns == 0)
        warn(study,
             "%s.slice: begins on an empty cluster, without the jobs that ran or waited then "
             "(slice.lead: 7d runs the jobs of the 7 days before as warm-up)",
             stream->path);
    if (stream->lead_ns > 0 && source->own_warmup_ns < source->warmup_ns &&
        stream->lead_ns < source->warmup_ns)
        warn(study, "%s.slice: begins %.9g s before the measured time, which begins when %s ends",
             stream->path, units_s(source->warmup_ns - stream->lead_ns), source->warmup_path);
    if (stream->changes.lead_s > stream->changes.from_s)
        warn(study,
             "%s.slice.lead: the log begins %.9g s before the slice, which is all of the lead",
             stream->path, stream->changes.from_s);
}

static void warn_of_streams(struct study *study) {
    const struct workload_source *source = &study->source;
    if (source->own_warmup_ns > 0 && source->own_warmup_ns < source->warmup_ns)
        warn(study, "workload.warmup: of no effect, %s ends later", source->warmup_path);
    const struct stream *streams = study->source.streams.at;
    for (size_t i = 0; i < study->source.streams.count; i++) {
        if (streams[i].deadlines.slack.count > 0 && !(streams[i].deadlines.share > 0))
            warn(study, "%s.deadlines: of no effect, its share of jobs is 0", streams[i].path);
        if (streams[i].flex.count > 0 && study->cluster.cap_rules.enforce == ENFORCE_NONE)
            warn(study, "%s.flex: of no effect, no power cap is enforced", streams[i].path);
        if (streams[i].utilization_path && streams[i].utilization.changes == 0)
            warn(study, "%s.utilization_file: of no effect, none of its %llu rows changes anything",
                 streams[i].path, (unsigned long long)streams[i].utilization.rows);
        warn_of_estimate(study, &streams[i]);
        warn_of_slice(study, &streams[i]);
        warn_of_perturb(study, &streams[i], streams[i].path);
    }
}

static void warn_of_forecast(struct study *study) {
    const struct forecast_options *f = &study->scenario.forecast;
    const struct easim_policy *policy = study->module.policy;
    if (f->hours == 0)
        return;
    if (study->module.handle && !(policy->capabilities & CAPABILITY_FORECAST))
        warn(study, "forecast: of no effect, policy %s does not list easim.forecast", policy->name);
    const struct series *all = study->scenario.signals;
    if (!all[SIGNAL_CAP].kind && !all[SIGNAL_PRICE].kind && !all[SIGNAL_CARBON].kind &&
        study->cluster.cap_events.count == 0)
        warn(
            study,
            "forecast: of no effect, none of carbon_g_per_kwh, price_per_mwh and cluster.power_cap_w is a series: all hours are as the present one");
    if (f->error.sigma == 0 && f->error.correlation > 0)
        warn(study, "forecast.error.correlation: of no effect, sigma is 0");
}

static void warn_of_pue(struct study *study) {
    const struct series *all = study->scenario.signals;
    if (study->cluster.pue != 1 && !series_is_given(&all[SIGNAL_PRICE]) &&
        !series_is_given(&all[SIGNAL_CARBON]))
        warn(
            study,
            "cluster.pue: of no effect without price_per_mwh or carbon_g_per_kwh, energies are without it");
}

static void warn_of_network(struct study *study) {
    const struct network *network = &study->cluster.network;
    if (network->tier_count > 0 && !isnan(network->link_bytes_s) && !network->contention)
        warn(study, "cluster.network.link: of no effect without contention");
}

static void warn_of_busy_power(struct study *study, const struct usage *usage) {
    for (uint32_t h = 0; h < study->cluster.gpu_type_count && !usage->rigid.any; h++)
        if (study->cluster.gpu_types[h].busy_w > 0)
            warn(study, "cluster.gpu_types[%u].busy_w: of no effect, no job is rigid", h);
}

static void warn_of_rigid_speed(struct study *study, const struct usage *usage) {
    const struct yaml_node *speeds = study->models.rigid_speed;
    const struct binding binding = {.arena = &study->arena};
    for (size_t i = 0; speeds && usage->rigid.any && i < speeds->count; i++) {
        const char *name = speeds->keys[i]->text;
        if (cluster_find_type(&study->cluster, name) < 0)
            warn(study,
                 "rigid_speed.%s: of no effect, no GPU type of the cluster is named \"%.80s\"%s",
                 name, name, cluster_suggest_type(&study->cluster, name, &binding));
    }
}

/* Energy above idle power has to be positive: the policies that count it take roots of it. Model by
   model, since the figures are the model's. */
static void check_marginal(struct study *study, const struct usage *usage,
                           struct problems *problems) {
    for (uint32_t m = 0; params_are_marginal(&study->params) && m < study->models.count; m++)
        for (uint32_t h = 0; h < study->cluster.gpu_type_count; h++) {
            const struct model *model = &study->models.models[m];
            const struct gpu_type *type = &study->cluster.gpu_types[h];
            const struct easim_config *least =
                &usage->least_power[m * study->cluster.gpu_type_count + h];
            if (least->k == 0)
                continue;
            const char *path =
                arena_printf(&study->arena, "models.%s.gpus.%s", model->name, type->name);
            struct location where = model_on_gpu(model, type->name)->where;
            if (usage_power_w(least) < type->idle_w)
                problems_add(
                    problems, where, path,
                    "power_basis: marginal of policy %s expects at least the %.9g W of idle_w, and one GPU draws %.9g W with k %u, batch %.9g",
                    study->policy, type->idle_w, usage_power_w(least), least->k, least->batch);
            if (type->ctx_w < type->idle_w &&
                (model->costs.start_s > 0 || model->costs.restart_s > 0))
                problems_add(
                    problems, where, path,
                    "power_basis: marginal of policy %s expects at least the %.9g W of idle_w, and a GPU in set-up draws the %.9g W of ctx_w",
                    study->policy, type->idle_w, type->ctx_w);
        }
}

void warnings_find(struct study *study, struct problems *problems) {
    const struct config_extras extras = params_extras(&study->params);
    struct usage usage;
    warn_of_cap(study);
    warn_of_cap_keys(study);
    warn_of_forecast(study);
    service_warnings_find(study);
    warn_of_network(study);
    if (usage_find(&usage, &study->source, &extras, problems) == 0) {
        size_t bytes = study->models.count * sizeof *usage.models;
        study->source.known = usage_keep_table(&usage);
        study->rigid = usage.rigid;
        study->law_types = usage.law_types;
        study->used_models =
            bytes > 0 ? memcpy(arena_alloc(&study->arena, bytes), usage.models, bytes) : NULL;
        check_marginal(study, &usage, problems);
        power_scopes_check(study, &usage, problems);
        shared_links_check(study, &usage, problems);
        warn_of_idle_types(study, &usage);
        warn_of_cut_power(study, &usage);
        warn_of_peaks(study, &usage);
        warn_of_options(study, &usage);
        warn_of_phases(study, &usage);
        warn_of_plans(study, &usage);
        warn_of_rigid_speed(study, &usage);
        warn_of_busy_power(study, &usage);
        warn_of_streams(study);
        warn_of_pue(study);
    }
    usage_finish(&usage);
}
