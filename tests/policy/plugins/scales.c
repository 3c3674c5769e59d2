/* scales: scales services as the host does (docs/reference/semantics.md 33.3) where replicas always
   find GPUs, from what the view tells; starts jobs in order. */
#include <easim/services.h>

#define MOST_SERVICES 8
#define MOST_REPLICAS 256
#define MOST_STEPS    4096

struct params {
    double interval, down_after;
};

struct step {
    double from_s, per_s;
};

struct state {
    double ticked_s;
    struct {
        uint32_t count;
        struct step steps[MOST_STEPS]; /* of demand */
    } services[MOST_SERVICES];
    struct {
        uint32_t service, number;
        double since_s; /* spare; NAN: not */
    } spare[MOST_REPLICAS];
};

static const struct easim_services *services_of(const struct easim_pass *pass) {
    return easim_services_of(pass, 0);
}

static void note_demand(const struct easim_pass *pass, uint32_t service) {
    struct state *s = pass->state;
    double per_s = easim_service_at(services_of(pass), service)->demand_per_s;
    uint32_t *count = &s->services[service].count;
    struct step *steps = s->services[service].steps;
    if ((*count > 0 && steps[*count - 1].per_s == per_s) || *count == MOST_STEPS)
        return;
    steps[(*count)++] = (struct step){pass->view->now_s, per_s};
}

/* Over the last three intervals. */
static double most_demand(const struct state *s, uint32_t service, double from_s) {
    const struct step *steps = s->services[service].steps;
    double most = 0;
    for (uint32_t i = s->services[service].count; i-- > 0;) {
        most = fmax(most, steps[i].per_s);
        if (steps[i].from_s <= from_s)
            break;
    }
    return most;
}

static bool fits(const struct easim_view *view, const struct easim_replica_config *c) {
    return easim_view_gpu_type(view, c->gpu_type)->node_free_max >= c->k;
}

/* Of least J a token at the load that it would have; EASIM_NONE: none fits. */
static uint32_t best_config(const struct easim_pass *pass, const struct easim_service *service,
                            double most_per_s, double others_per_s) {
    uint32_t best = EASIM_NONE;
    double least = INFINITY;
    for (uint32_t c = service->first_config; c < service->first_config + service->config_count;
         c++) {
        const struct easim_replica_config *config = easim_replica_config_at(services_of(pass), c);
        double all_per_s = others_per_s + config->most_per_s,
               load = most_per_s > 0 ? fmin(1, most_per_s / all_per_s) : service->target,
               joules = services_of(pass)->replica_figure(pass->plan, c, load,
                                                          EASIM_REPLICA_J_PER_TOKEN);
        if (fits(pass->view, config) && joules < least * (1 - 1e-12)) {
            least = joules;
            best = c;
        }
    }
    return best;
}

static double spare_since(const struct easim_pass *pass, uint32_t place, double wanted) {
    struct state *s = pass->state;
    const struct easim_replica *r = easim_replica_at(services_of(pass), place);
    const struct easim_service *service = easim_service_at(services_of(pass), r->service);
    double others = service->ready_per_s + service->loading_per_s -
                    easim_replica_config_at(services_of(pass), r->config)->most_per_s;
    if (s->spare[place].service != r->service || s->spare[place].number != r->number)
        s->spare[place].since_s = NAN;
    s->spare[place].service = r->service;
    s->spare[place].number = r->number;
    if (!(others >= wanted))
        s->spare[place].since_s = NAN;
    else if (isnan(s->spare[place].since_s))
        s->spare[place].since_s = pass->view->now_s;
    return s->spare[place].since_s;
}

/* Of those that were spare for down_after the one of most J a token at load target, then the
   newest. */
static void release_one(const struct easim_pass *pass, uint32_t index, double wanted) {
    const struct easim_services *services = services_of(pass);
    const struct params *p = pass->params;
    uint32_t found = EASIM_NONE, newest = 0;
    double most = 0;
    for (uint32_t i = 0; i < services->replica_count && i < MOST_REPLICAS; i++) {
        const struct easim_replica *r = easim_replica_at(services, i);
        if (r->state == EASIM_REPLICA_NONE || r->service != index)
            continue;
        double since_s = spare_since(pass, i, wanted),
               joules = easim_replica_config_at(services_of(pass), r->config)->target_j_per_token;
        bool goes = joules > most || (joules == most && r->number > newest);
        if (!(pass->view->now_s - since_s >= p->down_after) || !goes)
            continue;
        found = i;
        most = joules;
        newest = r->number;
    }
    const struct easim_service *service = easim_service_at(services, index);
    if (found != EASIM_NONE && service->backlog <= 0 &&
        service->ready + service->loading > service->min)
        services->plan_scale_down(pass->plan, found);
}

static void tick(const struct easim_pass *pass, uint32_t index) {
    const struct params *p = pass->params;
    const struct easim_service *service = easim_service_at(services_of(pass), index);
    double most = most_demand(pass->state, index, pass->view->now_s - 3 * p->interval),
           wanted = most / service->target + service->backlog / p->down_after, has;
    while (has = service->ready_per_s + service->loading_per_s,
           wanted > has && service->ready + service->loading < service->max) {
        uint32_t config = best_config(pass, service, most, has);
        if (config == EASIM_NONE ||
            services_of(pass)->plan_scale_up(pass->plan, config) != EASIM_OK)
            break;
    }
    release_one(pass, index, wanted);
}

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    const struct params *p = pass->params;
    struct state *s = pass->state;
    bool is_tick = fmod(view->now_s, p->interval) == 0 && s->ticked_s <= view->now_s;
    for (uint32_t i = 0; i < services_of(pass)->service_count && i < MOST_SERVICES; i++) {
        note_demand(pass, i);
        if (is_tick)
            tick(pass, i);
    }
    double next_s = (floor(view->now_s / p->interval) + 1) * p->interval;
    if (s->ticked_s < next_s && services_of(pass)->service_count > 0)
        pass->host->plan_wake_at(pass->plan, s->ticked_s = next_s);
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        if (easim_fit(view, easim_view_config(view, job->first_config)) >= 0)
            pass->host->plan_start(pass->plan, job->index, job->first_config);
    }
    return 0;
}

static const struct easim_param params[] = {
    {"interval", "s", "between two ticks", EASIM_PARAM_DURATION, offsetof(struct params, interval),
     1, 1e6, 60, false, NULL, EASIM_ROLE_NONE},
    {"down_after", "s", "a spare replica goes", EASIM_PARAM_DURATION,
     offsetof(struct params, down_after), 1, 1e6, 300, false, NULL, EASIM_ROLE_NONE},
};

static const struct easim_extension extensions[] = {EASIM_SERVICES(false)};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = NAME,
    .version = "1",
    .summary = "scales services as the host does",
    .capabilities = EASIM_CAPABILITY_TICK | MORE_CAPABILITIES,
    .state_size = sizeof(struct state),
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = 2,
    .decide = decide,
    .extensions = extensions,
    .extension_count = 1,
    .extension_bytes = sizeof *extensions};
