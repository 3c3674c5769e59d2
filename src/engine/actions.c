/* Actions: see actions.h. Invariant: an accepted action holds its GPUs from the moment of the
   answer, so a plan always commits. */
#include "engine/actions.h"

#include "base/units.h"
#include "engine/cluster_signals.h"
#include "engine/gpus.h"
#include "engine/internal.h"
#include "engine/jobs.h"
#include "engine/power_cap.h"

#include <math.h>
#include <stdlib.h>

/* --- policy code --- */

void policy_code_begins(struct sim *sim) {
    if (HAS_FEATURES) /* else no view is checked */
        view_policy_begins(&sim->view);
}

void policy_code_ends(struct sim *sim, bool all) {
    char place[VIEW_PLACE_BYTES];
    if (!HAS_FEATURES || view_policy_ends(&sim->view, all))
        return;
    view_damage(&sim->view, place);
    sim_fail(sim, "policy %s " VIEW_DAMAGE ": %s", sim->module->policy->name, place);
}

/* --- actions --- */

RARE static void fail_refused(struct sim *sim, const struct action_record *action) {
    bool exists = action->job < sim->workload->jobs.count,
         of_job = action->kind != ACTION_WAKE && action->kind != ACTION_WAKE_CLEAR &&
                  action->kind != ACTION_EXCHANGE && action->kind != ACTION_SCALE_UP &&
                  action->kind != ACTION_SCALE_DOWN;
    sim_fail(sim, "policy %s: %s%s%s refused: %s", sim->module->policy->name,
             action_names[action->kind], of_job ? " of job " : "",
             !of_job  ? ""
             : exists ? sim->workload->jobs.at[action->job].id
                      : "(none)",
             refusal_names[action->refusal]);
}

static int answer_code(enum refusal refusal) {
    return refusal == REFUSED_NOT     ? EASIM_OK
           : refusal == REFUSED_NOFIT ? EASIM_NOFIT
           : refusal == REFUSED_CAP   ? EASIM_CAP
                                      : EASIM_INVAL;
}

/* Tells observers of an action; its answer for the policy. */
static int answer_action(struct sim *sim, const struct action_record *action) {
    for (const struct observer *const *o = sim->observers; *o; o++)
        if ((*o)->action)
            (*o)->action((*o)->context, sim, action);
    if (action->refusal == REFUSED_NOT)
        return EASIM_OK;
    sim->refused[action->refusal]++;
    if (sim->options.strict)
        fail_refused(sim, action);
    return answer_code(action->refusal);
}

static struct action_record record_of(enum action_kind kind, enum refusal refusal, uint32_t job,
                                      uint32_t config) {
    return (struct action_record){.kind = kind,
                                  .refusal = refusal,
                                  .job = job,
                                  .config = config,
                                  .scaled = {.service = EASIM_NONE, .config = EASIM_NONE}};
}

static enum refusal check_with_cap(struct sim *sim, enum refusal refusal, uint32_t job,
                                   uint32_t config) {
    return refusal == REFUSED_NOT && gpus_over_cap(sim, job, config) ? REFUSED_CAP : refusal;
}

/* Whether anything is to come within the run if this very start is refused. */
static bool something_is_left(const struct easim_plan *plan) {
    struct sim *sim = plan->sim;
    return plan->actions.count > 0 || (cluster_changes_helpful_left(sim) &&
                                       job_finish_next_event_ns(sim) <= sim->options.horizon_ns);
}

/* The configuration that is started in place of one that was asked for; EASIM_NONE: none. */
static uint32_t change_start(struct easim_plan *plan, uint32_t job, uint32_t config) {
    struct sim *sim = plan->sim;
    const struct start_changer *changer = sim->options.changer;
    if (!SIM_HAS(sim, options.changer) || gpus_try_free(sim, job, config).span < 0)
        return config;
    const struct start_offer offer = {job, config, something_is_left(plan)};
    return changer->change(changer->context, sim, &offer);
}

/* The memory of the last plan is used again; a plan may be made inside another. */
static void add_action(struct easim_plan *plan, struct action action) {
    if (!plan->actions.at) {
        plan->actions.at = plan->sim->spare_actions;
        plan->actions.capacity = plan->sim->spare_capacity;
        plan->sim->spare_actions = NULL;
        plan->sim->spare_capacity = 0;
    }
    array_push(&plan->actions, action);
}

FUSED static int host_start(struct easim_plan *plan, uint32_t job, uint32_t config) {
    struct sim *sim = plan->sim;
    struct action_record record = record_of(
        ACTION_START, check_with_cap(sim, action_check_start(sim, job, config), job, config), job,
        config);
    struct action action = {.kind = ACTION_START, .start = {.job = job, .config = config}};
    if (plan->head.refuses)
        return EASIM_INVAL;
    if (record.refusal == REFUSED_NOT) {
        policy_code_ends(sim, false);
        action.start.config = change_start(plan, job, config);
        if (action.start.config != EASIM_NONE &&
            jobs_take_gpus(sim, job, action.start.config, &action.start.allocation))
            add_action(plan, action);
        else
            record.refusal = REFUSED_NOFIT;
        policy_code_begins(sim);
    }
    return answer_action(sim, &record);
}

static int host_preempt(struct easim_plan *plan, uint32_t job, bool at_once) {
    struct sim *sim = plan->sim;
    struct action_record record =
        record_of(ACTION_PREEMPT, action_check_preempt(sim, job), job, EASIM_NONE);
    if (plan->head.refuses)
        return EASIM_INVAL;
    if (record.refusal == REFUSED_NOT) {
        policy_code_ends(sim, false);
        interrupt_yield_gpus(sim, job, at_once);
        add_action(plan, (struct action){
                             .kind = ACTION_PREEMPT, .at_once = at_once, .start = {.job = job}});
        policy_code_begins(sim);
    }
    return answer_action(sim, &record);
}

static int host_resize(struct easim_plan *plan, uint32_t job, uint32_t config) {
    struct sim *sim = plan->sim;
    struct action_record record = record_of(
        ACTION_RESIZE, check_with_cap(sim, action_check_resize(sim, job, config), job, config), job,
        config);
    struct action action = {.kind = ACTION_RESIZE, .start = {.job = job, .config = config}};
    if (plan->head.refuses)
        return EASIM_INVAL;
    if (action_keeps_config(sim, job, config))
        return EASIM_OK;
    if (record.refusal == REFUSED_NOT && job_limit_alone_differs(sim, job, config)) {
        policy_code_ends(sim, false);
        job_limit_change(sim, job, config, INFINITY);
        policy_code_begins(sim);
    } else if (record.refusal == REFUSED_NOT) {
        policy_code_ends(sim, false);
        if (job_resize_take_gpus(sim, &action.start))
            add_action(plan, action);
        else
            record.refusal = REFUSED_NOFIT;
        policy_code_begins(sim);
    }
    return answer_action(sim, &record);
}

static int host_try_config(struct easim_plan *plan, uint32_t job, uint32_t config,
                           double *ret_power_w) {
    struct sim *sim = plan->sim;
    const struct easim_job *j = easim_view_job(sim->view.v, job);
    bool keeps = action_keeps_config(sim, job, config);
    enum refusal refusal = keeps ? REFUSED_NOT
                           : !j || j->state == EASIM_JOB_WAITING
                               ? action_check_start(sim, job, config)
                               : action_check_resize(sim, job, config);
    if (refusal != REFUSED_NOT)
        return answer_code(refusal);
    if (keeps && ret_power_w)
        *ret_power_w = sim->view.v->power_w;
    if (keeps)
        return (int)j->span;
    const struct gpus_trial trial = gpus_try_config(sim, job, config, ret_power_w);
    if (trial.span >= 0 && ret_power_w)
        *ret_power_w = power_w(trial.committed_nw);
    return trial.span >= 0 && trial.is_over_cap ? (int)EASIM_CAP : trial.span;
}

/* In rounds the host asks for the next one, even if the policy does not declare TICK. */
static bool may_wake(const struct sim *sim) {
    return list_in_rounds(&sim->list) || action_has_capability(sim, EASIM_CAPABILITY_TICK);
}

static int answer_wake(struct sim *sim, enum action_kind kind, enum refusal refusal) {
    const struct action_record record = record_of(kind, refusal, EASIM_NONE, EASIM_NONE);
    return answer_action(sim, &record);
}

static int host_wake_at(struct easim_plan *plan, double time_s) {
    struct sim *sim = plan->sim;
    double now_s = sim->view.v->now_s;
    bool rounds = list_in_rounds(&sim->list),
         later = time_s > now_s || (rounds && time_s == now_s); /* still at this instant */
    enum refusal refusal = !may_wake(sim)                  ? REFUSED_CAPABILITY
                           : later && time_s <= TIME_MAX_S ? REFUSED_NOT
                                                           : REFUSED_TIME;
    if (plan->head.refuses)
        return EASIM_INVAL;
    if (refusal == REFUSED_NOT)
        wake_ups_add(sim, units_ns_not_before(time_s));
    return answer_wake(sim, ACTION_WAKE, refusal);
}

static int host_wake_clear(struct easim_plan *plan) {
    struct sim *sim = plan->sim;
    enum refusal refusal = may_wake(sim) ? REFUSED_NOT : REFUSED_CAPABILITY;
    if (plan->head.refuses)
        return EASIM_INVAL;
    if (refusal == REFUSED_NOT)
        wake_ups_clear(sim);
    return answer_wake(sim, ACTION_WAKE_CLEAR, refusal);
}

static int host_reject(struct easim_plan *plan, uint32_t job, const char *reason) {
    struct sim *sim = plan->sim;
    struct action_record record =
        record_of(ACTION_REJECT, action_check_reject(sim, job), job, EASIM_NONE);
    if (plan->head.refuses)
        return EASIM_INVAL;
    if (record.refusal == REFUSED_NOT) {
        policy_code_ends(sim, false);
        rejection_take(sim, job, rejection_words(sim, reason));
        add_action(plan, (struct action){.kind = ACTION_REJECT, .start = {.job = job}});
        policy_code_begins(sim);
    }
    return answer_action(sim, &record);
}

/* What is asked for outside the range of the GPUs is counted. */
static void set_limit(struct sim *sim, const struct job_wish *wish, uint32_t job, double watts) {
    static const char outside[] = "power limits outside the range of a GPU are brought into it";
    if (wish->limit_w != watts) {
        tally_add(&sim->counted, outside, 1);
        tally_name(&sim->counted, outside, sim->workload->jobs.at[job].id);
    }
    job_limit_change(sim, job, wish->config, wish->wish_w);
}

static int host_limit(struct easim_plan *plan, uint32_t job, double watts) {
    struct sim *sim = plan->sim;
    struct action_record record =
        record_of(ACTION_LIMIT, action_check_limit(sim, job, watts), job, EASIM_NONE);
    record.limit_w = watts;
    if (plan->head.refuses)
        return EASIM_INVAL;
    if (record.refusal == REFUSED_NOT) {
        policy_code_ends(sim, false);
        const struct job_wish wish = job_limit_find(sim, job, watts);
        const uint32_t class = sim->limits->class_of[job];
        int64_t more_nw = limits_want_nw(sim, wish.class) - limits_want_nw(sim, class);
        record.config = wish.config;
        record.limit_w = wish.limit_w;
        if (!sim->cap && more_nw > 0 && power_cap_forbids_more(sim, 0, more_nw))
            record.refusal = REFUSED_CAP;
        else if (wish.class != class)
            set_limit(sim, &wish, job, watts);
        policy_code_begins(sim);
        if (record.refusal == REFUSED_NOT && wish.class == class)
            return EASIM_OK;
    }
    return answer_action(sim, &record);
}

static int64_t host_start_nw(struct easim_plan *plan, uint32_t job, uint32_t config) {
    struct sim *sim = plan->sim;
    const struct easim_job *j = easim_view_job(sim->view.v, job);
    bool is_own = j && config - j->first_config < j->config_count; /* wraps as wanted */
    return sim->cap && is_own ? gpus_most_entry_nw(sim, job, config) : 0;
}

/* --- exchanges --- */

static enum action_kind part_kind(const struct easim_part *part) {
    static const enum action_kind kinds[] = {[EASIM_PART_START] = ACTION_START,
                                             [EASIM_PART_PREEMPT] = ACTION_PREEMPT,
                                             [EASIM_PART_RESIZE] = ACTION_RESIZE};
    if (part->action == EXCHANGE_LIMIT)
        return ACTION_RESIZE;
    return part->action < sizeof kinds / sizeof *kinds ? kinds[part->action] : ACTION_EXCHANGE;
}

static int answer_part(struct sim *sim, const struct easim_part *part, enum refusal refusal) {
    const enum action_kind kind = part_kind(part);
    bool has_config = kind == ACTION_START || kind == ACTION_RESIZE;
    const struct action_record record =
        record_of(kind, refusal, part->job, has_config ? part->config : EASIM_NONE);
    return answer_action(sim, &record);
}

/* A refused exchange is one refusal: that of the part that is to blame. */
static int answer_parts(struct sim *sim, const struct exchange *exchange, enum refusal refusal,
                        uint32_t blamed) {
    if (refusal != REFUSED_NOT)
        return answer_part(sim, &exchange->parts[blamed], refusal);
    for (uint32_t i = 0; i < exchange->count; i++)
        if (exchange->parts[i].action != EXCHANGE_NOTHING)
            answer_part(sim, &exchange->parts[i], REFUSED_NOT);
    return EASIM_OK;
}

static void take_exchange(struct easim_plan *plan, struct exchange *exchange) {
    struct sim *sim = plan->sim;
    policy_code_ends(sim, false);
    exchange_take_gpus(sim, exchange);
    for (uint32_t i = 0; i < exchange->count; i++) {
        const struct easim_part *part = &exchange->parts[i];
        if (part->action == EXCHANGE_NOTHING || part->action == EXCHANGE_LIMIT)
            continue; /* which is done */
        add_action(plan, (struct action){.kind = part_kind(part),
                                         .at_once = part->at_once,
                                         .start = {.job = part->job,
                                                   .config = part->config,
                                                   .allocation = exchange->allocations[i]}});
        exchange->allocations[i] = (struct allocation){0}; /* the plan's now */
    }
    policy_code_begins(sim);
}

static int host_exchange(struct easim_plan *plan, const struct easim_part *parts, uint32_t count,
                         size_t part_bytes, uint32_t *ret_part) {
    struct sim *sim = plan->sim;
    struct exchange exchange = {0};
    uint32_t blamed = EASIM_NONE;
    if (ret_part)
        *ret_part = EASIM_NONE;
    if (plan->head.refuses)
        return EASIM_INVAL;
    bool read = exchange_read(&exchange, sim, parts, count, part_bytes);
    enum refusal refusal = read ? exchange_try(sim, &exchange, &blamed, NULL) : REFUSED_FORM;
    if (refusal == REFUSED_NOT)
        take_exchange(plan, &exchange);
    if (ret_part)
        *ret_part = refusal == REFUSED_NOT ? EASIM_NONE : blamed;
    const struct action_record unread =
        record_of(ACTION_EXCHANGE, REFUSED_FORM, EASIM_NONE, EASIM_NONE);
    int answer = read ? answer_parts(sim, &exchange, refusal, blamed) : answer_action(sim, &unread);
    exchange_finish(&exchange);
    return answer;
}

static int host_try_exchange(struct easim_plan *plan, const struct easim_part *parts,
                             uint32_t count, size_t part_bytes, uint32_t *ret_part,
                             double *ret_power_w) {
    struct sim *sim = plan->sim;
    struct exchange exchange = {0};
    uint32_t blamed = EASIM_NONE;
    int64_t committed_nw = sim->committed_nw;
    enum refusal refusal =
        exchange_read(&exchange, sim, parts, count, part_bytes)
            ? exchange_try(sim, &exchange, &blamed, ret_power_w ? &committed_nw : NULL)
            : REFUSED_FORM;
    exchange_finish(&exchange);
    if (ret_part)
        *ret_part = refusal == REFUSED_NOT ? EASIM_NONE : blamed;
    if (ret_power_w && (refusal == REFUSED_NOT || refusal == REFUSED_CAP))
        *ret_power_w = power_w(committed_nw);
    return answer_code(refusal);
}

/* --- services --- */

static int host_scale_up(struct easim_plan *plan, uint32_t replica_config) {
    struct sim *sim = plan->sim;
    struct action_record record = record_of(
        ACTION_SCALE_UP, action_check_scale_up(sim, replica_config), EASIM_NONE, EASIM_NONE);
    if (plan->head.refuses)
        return EASIM_INVAL;
    uint32_t service = EASIM_NONE, config = EASIM_NONE;
    if (service_view_find_config(sim, replica_config, &service, &config)) {
        record.scaled.service = service;
        record.scaled.config = config;
    }
    if (record.refusal == REFUSED_NOT && replicas_over_cap(sim, service, config))
        record.refusal = REFUSED_CAP;
    if (record.refusal == REFUSED_NOT) {
        policy_code_ends(sim, false);
        replicas_start(sim, service, config);
        record.scaled.number = sim->services.runs[service].last_number;
        service_view_update(sim);
        policy_code_begins(sim);
    }
    return answer_action(sim, &record);
}

static int host_scale_down(struct easim_plan *plan, uint32_t replica) {
    struct sim *sim = plan->sim;
    struct action_record record =
        record_of(ACTION_SCALE_DOWN, action_check_scale_down(sim, replica), EASIM_NONE, EASIM_NONE);
    if (plan->head.refuses)
        return EASIM_INVAL;
    if (record.refusal == REFUSED_NOT || record.refusal == REFUSED_REPLICAS) {
        const struct replica *r = &sim->services.replicas.at[replica];
        record.scaled.service = r->service;
        record.scaled.config = r->config;
        record.scaled.number = r->number;
    }
    if (record.refusal == REFUSED_NOT) {
        policy_code_ends(sim, false);
        replicas_release(sim, replica);
        service_view_update(sim);
        policy_code_begins(sim);
    }
    return answer_action(sim, &record);
}

static double host_replica_figure(struct easim_plan *plan, uint32_t replica_config, double load,
                                  uint32_t figure) {
    return service_view_figure(plan->sim, replica_config, load, figure);
}

static void *host_scratch(struct easim_plan *plan, size_t bytes) {
    return arena_alloc(&plan->sim->scratch, bytes);
}

static double host_uniform(struct easim_plan *plan) {
    struct list *list = &plan->sim->list;
    list->drew = list->drew || list->draws;
    return gsl_rng_uniform(plan->sim->policy_rng);
}

static void host_fail(struct easim_plan *plan, const char *message) {
    plan->failure.length = 0;
    str_add_visible(&plan->failure, message ? message : "");
}

/* Only of a run with an observer that tells a story. */
static void host_reason(struct easim_plan *plan, uint32_t job, const char *text) {
    struct sim *sim = plan->sim;
    for (const struct observer *const *o = sim->observers; *o; o++)
        if ((*o)->reason)
            (*o)->reason((*o)->context, sim, job, text ? text : "");
}

static void host_count(struct easim_plan *plan, const char *what, const char *name) {
    struct str text = {0};
    str_add_visible(&text, what ? what : "");
    tally_add(&plan->sim->counted, text.text ? text.text : "", 1);
    tally_name(&plan->sim->counted, text.text ? text.text : "", name);
    str_finish(&text);
}

/* GPUs of another configuration, which it gets in this plan: what it has done is booked already. */
static double host_remaining(struct easim_plan *plan, uint32_t job) {
    struct sim *sim = plan->sim;
    const struct easim_job *j = easim_view_job(sim->view.v, job);
    if (!j)
        return NAN;
    const struct job_run *run = &sim->runs[job];
    if (sim->workload->jobs.at[job].kind == JOB_KIND_RIGID)
        return easim_job_remaining(sim->view.v, j);
    if (run->segment != SEGMENT_RUN || run->resizing)
        return run->remaining;
    return fmax(0, run->remaining - progress_work(sim, job, progress_computing_ns(sim, job)));
}

/* --- where a job is --- */

ORDER_BY(by_node, struct easim_job_node, ASC(node))

/* A job's allocation under the present plan: if it is new, an action of this plan has it. */
static const struct allocation *find_allocation(const struct easim_plan *plan, uint32_t job) {
    const struct sim *sim = plan->sim;
    const struct job_run *run = &sim->runs[job];
    bool is_old = job_run_uses_gpus(run) && !run->resizing;
    for (size_t i = is_old ? 0 : plan->actions.count; i-- > 0;) {
        const struct action *action = &plan->actions.at[i];
        if (action->start.job == job && action->start.allocation.count > 0)
            return &action->start.allocation;
    }
    return &run->allocation;
}

static uint32_t host_job_nodes(struct easim_plan *plan, uint32_t job, struct easim_job_node *ret,
                               uint32_t most) {
    const struct easim_job *j = easim_view_job(plan->sim->view.v, job);
    if (!j || j->config == EASIM_NONE)
        return 0;
    const struct allocation *allocation = find_allocation(plan, job);
    const struct piece *pieces = allocation_pieces(allocation);
    uint32_t count = allocation->count;
    if (!ret || most == 0)
        return count;
    struct easim_job_node *nodes = mem_alloc(count * sizeof *nodes);
    for (uint32_t i = 0; i < count; i++)
        nodes[i] = (struct easim_job_node){pieces[i].node, allocation->milli ? 1 : pieces[i].gpus};
    sort_array(nodes, count, by_node);
    memcpy(ret, nodes, (count < most ? count : most) * sizeof *ret);
    free(nodes);
    return count;
}

/* `reason` is there only where somebody asks for a story. */
#define HOST(tells) \
    { \
        .struct_size = sizeof(struct easim_host), .plan_start = host_start, \
        .plan_preempt = host_preempt, .plan_resize = host_resize, .try_config = host_try_config, \
        .plan_wake_at = host_wake_at, .plan_wake_clear = host_wake_clear, \
        .job_nodes = host_job_nodes, .scratch = host_scratch, .uniform = host_uniform, \
        .fail = host_fail, .count = host_count, .remaining = host_remaining, \
        .plan_reject = host_reject, .plan_exchange = host_exchange, \
        .try_exchange = host_try_exchange, .reason = tells \
    }
static const struct easim_host host = HOST(NULL), telling_host = HOST(host_reason);

static void commit_plan(struct sim *sim, struct easim_plan *plan) {
    for (size_t i = 0; i < plan->actions.count; i++) {
        const struct action *action = &plan->actions.at[i];
        if (action->kind == ACTION_PREEMPT)
            interrupt_preempt(sim, action->start.job, action->at_once);
        else if (action->kind == ACTION_RESIZE)
            job_resize_carry_out(sim, &action->start);
        else if (action->kind == ACTION_REJECT)
            rejection_carry_out(sim, action->start.job);
    }
    for (size_t i = 0; i < plan->actions.count; i++)
        if (plan->actions.at[i].kind == ACTION_START)
            jobs_start(sim, &plan->actions.at[i].start);
}

/* A failed decision starts nothing: the GPUs that its actions hold go back. */
RARE static void drop_plan(struct sim *sim, struct easim_plan *plan) {
    for (size_t i = 0; i < plan->actions.count; i++) {
        struct action *action = &plan->actions.at[i];
        if (action->kind == ACTION_START || action->kind == ACTION_RESIZE)
            gpus_give_back(sim, action->start.job, action->start.config, &action->start.allocation);
    }
}

static void place_extensions(struct sim *sim) {
    const struct easim_policy *policy = sim->module->policy;
    for (uint32_t i = 0; i < policy->extension_count; i++) {
        uint32_t is = interface_extension(&policy->extensions[i]);
        sim->extensions[i] = is == CAPABILITY_FORECAST   ? view_shown(&sim->view, AT_FORECAST)
                             : is == CAPABILITY_SERVICES ? view_shown(&sim->view, AT_SCALING)
                             : is == CAPABILITY_POWER    ? view_shown(&sim->view, AT_POWER)
                                                         : NULL;
    }
}

void actions_init(struct sim *sim) {
    struct easim_services *services = view_services(&sim->view, 0);
    services->plan_scale_up = host_scale_up;
    services->plan_scale_down = host_scale_down;
    services->replica_figure = host_replica_figure;
    view_power(&sim->view, 0)->plan_limit = host_limit;
    view_power(&sim->view, 0)->start_nw = host_start_nw;
    view_power(&sim->view, 0)->domain_count = sim->cluster->power_domain_count;
    place_extensions(sim);
}

const struct easim_pass *actions_pass(struct easim_plan *plan, struct easim_pass *pass) {
    struct sim *sim = plan->sim;
    *pass = (struct easim_pass){
        .struct_size = sizeof(struct easim_pass),
        .host = sim->told == EASIM_NONE ? &host : &telling_host,
        .plan = plan,
        .params = sim->params->own,
        .state = sim->policy_state,
        .job_memory = sim->job_memory,
        .job_memory_stride = sim->job_memory_stride,
        .told = sim->told,
        .extensions = sim->extensions,
    };
    const struct easim_pass *shown = view_begin_call(&sim->view, pass);
    if (SIM_HAS(sim, options.grown))
        place_extensions(sim);
    return shown;
}

FUSED void actions_finish(struct easim_plan *plan) {
    struct sim *sim = plan->sim;
    if (sim->error.code < 0)
        drop_plan(sim, plan);
    else
        commit_plan(sim, plan);
    if (plan->actions.at) {
        free(sim->spare_actions);
        sim->spare_actions = plan->actions.at;
        sim->spare_capacity = plan->actions.capacity;
    }
    str_finish(&plan->failure);
    arena_reset(&sim->scratch);
}
