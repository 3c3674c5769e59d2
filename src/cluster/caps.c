/* How a power cap is kept: see caps.h. Sections: rules, events, power domains. */
#include "cluster/caps.h"

#include "base/intern.h"
#include "base/numfmt.h"
#include "base/units.h"
#include "config/csv_reader.h"
#include "easim/types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CAP_PATH "cluster.power_cap"
#define CAP      ABOVE(0, 1e12), UNIT(POWER)

/* --- rules --- */

static const char *const enforce_words[] = {"none", "throttle", "throttle_then_preempt", NULL};
static const char *const order_words[] = {"equal", "by_class", "by_flex", NULL};
static const char *const admit_words[] = {"efficient", "full", "floor", NULL};

struct cap_section {
    struct series series; /* its constant: watts */
    struct cap_rules rules;
};

const struct field cap_forms[] = {
    {"", .type = FIELD_REAL, DEFAULT(INFINITY), CAP}, {"", OBJECT_FORM(series_fields)}, FIELDS_END};

const struct field cap_fields[] = {
    {"watts", REAL(cap_section, series.constant), DEFAULT(INFINITY), CAP,
     HELP("constant cap; this or file (default: none, with power_domains or cap_events)")},
    SERIES_ROWS(cap_section, series., .required = false),
    {"enforce", CHOICE(cap_section, rules.enforce, enforce_words),
     HELP("what easim does to keep the cap under any policy: nothing, lower power limits of "
          "running jobs, or also preempt")},
    {"order", CHOICE(cap_section, rules.order, order_words),
     HELP("jobs slowed first: all alike, those of class best_effort, or those with flex")},
    {"admit", CHOICE(cap_section, rules.admit, admit_words),
     HELP("power of running jobs at which a start has to fit: of least energy per work, without "
          "throttling, or the least")},
    {"steps", INT(cap_section, rules.steps), DEFAULT(64), RANGE(0, 1024),
     HELP("power levels of a job from its least to its full power; 0: any power")},
    {"grace", DURATION(cap_section, rules.grace_s), DEFAULT(1), RANGE(0, TIME_MAX_S),
     HELP("time above the cap that is no violation")},
    FIELDS_END};

static const struct series_kind plain_kind = {CAP_PATH "_w", "power_w", cap_forms,
                                              .is_limit = true},
                                cap_kind = {CAP_PATH, "power_w", cap_forms, .is_limit = true};

/* What no key alone says. */
static int check_keys(const struct cap_section *section, const struct cap_nodes *nodes,
                      const struct binding *binding) {
    static const char needs_enforcement[] =
        CAP_PATH " with enforce: throttle or throttle_then_preempt in it";
    const struct series *series = &section->series;
    bool enforced = section->rules.enforce != ENFORCE_NONE;
    bool constant = series->constant < INFINITY, file = series->file;
    const struct {
        bool wrong;
        const struct yaml_node *at;
        const char *path, *expected;
    } faults[] = {
        {nodes->plain, nodes->cap, CAP_PATH, "power_cap_w or power_cap, got both"},
        {constant && file, nodes->cap, CAP_PATH, "watts or file, got both"},
        {!file &&
             (series->column || series->time_column || series->repeat_node || series->period_s > 0),
         nodes->cap, CAP_PATH, "file with column, time_column, repeat and period"},
        {!constant && !file && !nodes->domains && !nodes->events, nodes->cap, CAP_PATH,
         "watts or file, or power_domains or cap_events in the cluster"},
        {enforced && nodes->contention, nodes->cap, CAP_PATH,
         "enforce: none with contention of the network, because speeds of jobs that share links "
         "do not follow from their power limits"},
        {!enforced, nodes->domains, "cluster.power_domains", needs_enforcement},
        {!enforced, nodes->events, "cluster.cap_events", needs_enforcement}};
    size_t before = binding->problems->count;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (faults[i].wrong && faults[i].at)
            problems_add(binding->problems, faults[i].at->where, faults[i].path, "expected %s",
                         faults[i].expected);
    return binding->problems->count > before ? ERROR_INPUT : 0;
}

int caps_bind(struct cap_rules *rules, struct series *cap, const struct cap_nodes *nodes,
              const struct binding *binding) {
    struct cap_section section = {.rules = {.steps = 64}};
    int result = series_bind(cap, &plain_kind, nodes->plain, binding);
    if (nodes->cap && schema_bind(binding, cap_fields, nodes->cap, CAP_PATH, &section) < 0)
        result = ERROR_INPUT;
    if (result == 0)
        result = check_keys(&section, nodes, binding);
    if (section.rules.enforce == ENFORCE_NONE)
        section.rules.grace_s = 0;
    *rules = section.rules;
    if (result < 0 || !nodes->cap)
        return result;
    *cap = section.series;
    if (!cap->file)
        return 0;
    cap->kind = &cap_kind;
    cap->column = cap->column ? cap->column : cap_kind.column;
    return series_bind_period(cap, binding);
}

/* --- events --- */

struct event_row {
    double start_s, duration_s, reduction_frac, target_w, notice_s, ramp_s, price_per_kwh;
};

#define SECONDS RANGE(0, TIME_MAX_S), HELP("seconds")

static const struct field event_columns[] = {
    {"start_s", REAL(event_row, start_s), REQUIRED, SECONDS},
    {"duration_s", REAL(event_row, duration_s), REQUIRED, ABOVE(0, TIME_MAX_S), HELP("seconds")},
    {"reduction_frac", REAL(event_row, reduction_frac), DEFAULT(NAN), ABOVE(0, 1),
     .below_max = true, HELP("share")},
    {"target_w", REAL(event_row, target_w), DEFAULT(NAN), ABOVE(0, 1e12), HELP("power in W")},
    {"notice_s", REAL(event_row, notice_s), SECONDS},
    {"ramp_s", REAL(event_row, ramp_s), SECONDS},
    {"price_per_kwh", REAL(event_row, price_per_kwh), DEFAULT(NAN), RANGE(0, 1e12)},
    FIELDS_END};

struct event_reader {
    struct csv_reader csv;
    struct arena *arena;
    ARRAY_OF(struct cap_event) rows;
};

/* What no cell alone says. False after adding a problem. */
static bool check_event(const struct event_reader *r, const struct event_row *row) {
    bool has_target = !isnan(row->target_w), starts_early = row->start_s <= row->notice_s;
    const struct cap_event *last = r->rows.count > 0 ? &r->rows.at[r->rows.count - 1] : NULL;
    const char *notice = csv_reader_has(&r->csv, "notice_s") ? "notice_s" : "start_s";
    const struct {
        bool wrong;
        const char *column, *expected;
    } faults[] = {
        {has_target == !isnan(row->reduction_frac),
         csv_reader_has(&r->csv, "reduction_frac") ? "reduction_frac" : "target_w",
         has_target ? "reduction_frac or target_w, not both" : "reduction_frac or target_w"},
        {row->ramp_s > row->duration_s, "ramp_s", "a ramp within duration_s"},
        {!has_target && starts_early, notice,
         "a notice after t = 0, because reduction_frac is of the power before it; or target_w"},
        {has_target && starts_early && row->ramp_s > 0, "ramp_s",
         "0 with a notice by t = 0, because the ramp begins at the power before it"},
        {last && units_ns(row->start_s) < cap_event_end_ns(last), "start_s",
         last ? arena_printf(r->arena, "a time from %.9g on, when the event before is over",
                             units_s(cap_event_end_ns(last)))
              : NULL},
    };
    bool right = true;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        if (faults[i].wrong)
            csv_reader_refuse(&r->csv, faults[i].column, faults[i].expected);
        right = right && !faults[i].wrong;
    }
    return right;
}

static void read_event(void *context) {
    struct event_reader *r = context;
    struct event_row row;
    if (csv_reader_row(&r->csv, &row) && check_event(r, &row))
        array_push(&r->rows, ((struct cap_event){.start_ns = units_ns(row.start_s),
                                                 .duration_ns = units_ns(row.duration_s),
                                                 .notice_ns = units_ns(row.notice_s),
                                                 .ramp_ns = units_ns(row.ramp_s),
                                                 .reduction_frac = row.reduction_frac,
                                                 .target_w = row.target_w,
                                                 .price_per_kwh = row.price_per_kwh}));
}

/* Negative after adding problems. */
static int read_events(struct event_reader *r, const char *path) {
    struct problems *problems = r->csv.problems;
    size_t before = problems->count;
    int status = csv_reader_open(&r->csv, path);
    if (status == 0 && !csv_reader_has(&r->csv, "reduction_frac") &&
        !csv_reader_has(&r->csv, "target_w"))
        problems_add(problems, (struct location){path, 1, 0}, NULL,
                     "expected a column reduction_frac or target_w, got none");
    else if (status == 0)
        csv_each_row(r->csv.csv, problems, read_event, r);
    csv_reader_close(&r->csv);
    if (problems->count == before && r->rows.count == 0)
        problems_add(problems, (struct location){path, 0, 0}, NULL,
                     "expected at least one event, got none");
    return problems->count > before ? ERROR_INPUT : 0;
}

int cap_events_load(struct cap_events *events, const struct binding *binding) {
    struct event_reader r = {
        .csv = {.columns = event_columns, .closed = true, .problems = binding->problems},
        .arena = binding->arena};
    if (!events->file)
        return 0;
    if (!schema_can_read(binding, events->file))
        return ERROR_INPUT;
    int status = read_events(&r, events->file);
    events->count = (uint32_t)r.rows.count;
    events->at = arena_alloc(binding->arena, r.rows.count * sizeof *events->at);
    if (r.rows.count > 0)
        memcpy(events->at, r.rows.at, r.rows.count * sizeof *events->at);
    free(r.rows.at);
    return status;
}

/* --- power domains --- */

const struct field power_domain_fields[] = {
    {LOCATION(power_domain, where)},
    {"name", TEXT(power_domain, name), REQUIRED, HELP("name of the domain")},
    {"parent", TEXT(power_domain, parent_name),
     HELP("domain listed before, of which it is a part (default: the cluster)")},
    {"nodes", TEXTS(power_domain, ranges), REQUIRED,
     HELP("numbers of its nodes, from 0 in file order, or ranges such as 0-15")},
    {"cap", REAL(power_domain, cap_w), REQUIRED, CAP,
     HELP("limit of the power of these nodes and their GPUs")},
    FIELDS_END};

struct tree {
    struct power_domain *domains;
    uint32_t *node_domain;
    const double *idle_w;
    uint32_t node_count;
    const char *path; /* of the domain that is added */
    struct problems *problems;
};

/* Parents come first: their nodes are placed already, so that a node of a domain is in its parent,
   and in no other. */
static int place_node(const struct tree *tree, uint32_t d, uint32_t node) {
    uint32_t at = tree->node_domain[node];
    struct power_domain *domain = &tree->domains[d];
    const struct power_domain *other = at == EASIM_NONE ? NULL : &tree->domains[at];
    if (at != domain->parent && other && other->parent == domain->parent)
        return problems_add(tree->problems, domain->where, tree->path,
                            "expected nodes that are not in \"%.80s\" yet, got %u", other->name,
                            node);
    if (at != domain->parent)
        return problems_add(tree->problems, domain->where, tree->path,
                            "expected nodes of its parent \"%.80s\", got %u", domain->parent_name,
                            node);
    tree->node_domain[node] = d;
    domain->node_count++;
    return 0;
}

/* "7", or "0-15". */
static bool parse_range(const char *text, int64_t *first, int64_t *last) {
    size_t length = strcspn(text, "-"), end = strlen(text);
    size_t from = length < end ? length + 1 : 0;
    return numfmt_parse_int(text, length, first) &&
           numfmt_parse_int(text + from, end - from, last) && *first <= *last;
}

static int place_domain(const struct tree *tree, uint32_t d) {
    const struct power_domain *domain = &tree->domains[d];
    const char *const *ranges = domain->ranges.at;
    double fixed_w = 0;
    for (size_t i = 0; i < domain->ranges.count; i++) {
        int64_t first, last;
        if (!parse_range(ranges[i], &first, &last) || last >= tree->node_count)
            return problems_add(
                tree->problems, domain->where, tree->path,
                "expected nodes from 0 to %u, or ranges such as 0-15, got \"%.80s\"",
                tree->node_count - 1, ranges[i]);
        for (uint32_t n = (uint32_t)first; n <= last; n++) {
            if (place_node(tree, d, n) < 0)
                return ERROR_INPUT;
            fixed_w += tree->idle_w[n];
        }
    }
    if (domain->cap_w >= fixed_w)
        return 0;
    return problems_add(tree->problems, domain->where, tree->path,
                        "expected a cap of at least the %.9g W that its idle GPUs and nodes draw, "
                        "got %.9g",
                        fixed_w, domain->cap_w);
}

static int add_domain(const struct tree *tree, uint32_t d, struct intern *names) {
    struct power_domain *domain = &tree->domains[d];
    const char *parent = domain->parent_name;
    bool is_new;
    domain->parent = parent ? intern_find(names, parent, strlen(parent)) : EASIM_NONE;
    (void)intern(names, domain->name, strlen(domain->name), &is_new);
    if (!is_new)
        (void)intern(names, &d, sizeof d, NULL); /* so that numbers stay those of domains */
    if (!is_new)
        return problems_add(tree->problems, domain->where, tree->path,
                            "domain \"%.80s\" is defined twice", domain->name);
    if (parent && domain->parent == INTERN_NONE)
        return problems_add(tree->problems, domain->where, tree->path,
                            "expected a parent that is listed before it, got \"%.80s\"", parent);
    return parent && tree->domains[domain->parent].node_count == 0 ? 0 : place_domain(tree, d);
}

uint32_t *power_domains_bind(const struct schema_list *domains, const double *idle_w,
                             uint32_t node_count, const struct binding *binding) {
    struct tree tree = {.domains = domains->at,
                        .idle_w = idle_w,
                        .node_count = node_count,
                        .problems = binding->problems};
    struct intern names = {0};
    int result = 0;
    tree.node_domain = arena_alloc(binding->arena, node_count * sizeof *tree.node_domain);
    for (uint32_t n = 0; n < node_count; n++)
        tree.node_domain[n] = EASIM_NONE;
    for (uint32_t d = 0; d < domains->count; d++) {
        tree.path = arena_printf(binding->arena, "cluster.power_domains[%u]", d);
        if (add_domain(&tree, d, &names) < 0) {
            tree.domains[d].node_count = 0; /* and what is in it is left out */
            result = ERROR_INPUT;
        }
    }
    intern_finish(&names);
    return result < 0 ? NULL : tree.node_domain;
}
