/* The rule of services: those that miss their objective or have more replicas than they need. */
#include "base/units.h"
#include "cluster/power_meter.h"
#include "insight/rules/gathered.h"
#include "insight/rules/internal.h"
#include "insight/waste/classes.h"

#include <math.h>
#include <stdlib.h>

/* ---- What a service did in the measured time ---- */

/* All ready replicas of a service have the same load. */
struct load_piece {
    int64_t from_ns, to_ns;
    double load;
};

struct service_facts {
    ARRAY_OF(struct load_piece) pieces; /* in order of time, not overlapping */
    uint32_t most;                      /* replicas at once */
    double energy_j, reserved_s;        /* of its replicas; for which they waited for GPUs */
    struct top_list low, full;          /* times below the least load, and in full use */
    double low_s, low_j;                /* and what is underused in those that last */
};

static uint32_t service_of(const struct recorded_run *run, uint32_t job) {
    return run->replicas.at[job - run->first_replica].service;
}

ORDER_BY(by_start, struct load_piece, ASC(from_ns))

static double load_of(const struct recorded_run *run, const struct recorded_segment *s) {
    double most = recorded_run_config(run, s)->goodput[EASIM_ONE_NODE];
    return s->work / (most * units_s(s->end_ns - s->start_ns));
}

/* Pieces of replicas that serve at once become one. */
static void join_pieces(struct service_facts *facts) {
    size_t kept = 0;
    if (facts->pieces.count == 0)
        return;
    sort_array(facts->pieces.at, facts->pieces.count, by_start);
    for (size_t i = 0; i < facts->pieces.count; i++) {
        struct load_piece piece = facts->pieces.at[i];
        struct load_piece *last = kept > 0 ? &facts->pieces.at[kept - 1] : NULL;
        if (last && piece.from_ns < last->to_ns)
            piece.from_ns = last->to_ns;
        if (piece.to_ns > piece.from_ns)
            facts->pieces.at[kept++] = piece;
    }
    facts->pieces.count = kept;
}

static void add_segment(struct service_facts *facts, const struct rule_run *rule_run,
                        const struct recorded_segment *s) {
    int64_t from_ns = s->start_ns > rule_run->from_ns ? s->start_ns : rule_run->from_ns;
    if (s->end_ns <= from_ns)
        return;
    if (s->kind == SEGMENT_RESERVED)
        facts->reserved_s += units_s(s->end_ns - from_ns);
    else
        facts->energy_j += rule_run_energy_j(rule_run, s);
    if (s->kind == SEGMENT_SERVE)
        array_push(&facts->pieces,
                   ((struct load_piece){from_ns, s->end_ns, load_of(rule_run->run, s)}));
}

/* The longest stretches on one side of a load. */
static struct top_list find_stretches(const struct service_facts *facts, double load, bool below) {
    struct top_list list = {0};
    for (size_t i = 0, next; i < facts->pieces.count; i = next) {
        const struct load_piece *first = &facts->pieces.at[i];
        next = i + 1;
        if ((first->load < load) != below)
            continue;
        while (next < facts->pieces.count &&
               facts->pieces.at[next].from_ns == facts->pieces.at[next - 1].to_ns &&
               (facts->pieces.at[next].load < load) == below)
            next++;
        int64_t to_ns = facts->pieces.at[next - 1].to_ns;
        top_list_add(&list, (struct top_entry){units_s(to_ns - first->from_ns), (uint32_t)i,
                                               first->from_ns, to_ns});
    }
    return list;
}

/* Energy of replicas above that of full use, in stretches that last. */
static double underused_in(const struct rule_run *rule_run, uint32_t service,
                           const struct top_list *low, double low_for_s) {
    const struct recorded_run *run = rule_run->run;
    double sum_j = 0;
    for (size_t i = 0; i < run->segments.count; i++) {
        const struct recorded_segment *s = &run->segments.at[i];
        if (s->kind != SEGMENT_SERVE || service_of(run, s->job) != service)
            continue;
        for (size_t e = 0; e < low->count && low->at[e].weight >= low_for_s; e++) {
            int64_t from_ns = s->start_ns > low->at[e].from_ns ? s->start_ns : low->at[e].from_ns;
            int64_t to_ns = s->end_ns < low->at[e].to_ns ? s->end_ns : low->at[e].to_ns;
            double part = (double)(to_ns - from_ns) / (double)(s->end_ns - s->start_ns);
            if (to_ns > from_ns)
                sum_j += part * serving_divide(run, s, (struct waste_amount){power_j(s->energy), 0},
                                               s->work)
                                    .underused.energy_j;
        }
    }
    return sum_j;
}

/* Its replicas at a time, reserved ones included. */
static uint32_t count_replicas(const struct recorded_run *run, uint32_t service, int64_t time_ns) {
    uint32_t count = 0;
    for (uint32_t r = 0; r < run->replicas.count; r++) {
        const struct recorded_job *j = &run->jobs[run->first_replica + r];
        const struct recorded_segment *all = recorded_run_segments(run, j);
        count += run->replicas.at[r].service == service && all->start_ns <= time_ns &&
                 all[j->segment_count - 1].end_ns > time_ns;
    }
    return count;
}

/* The most are there when one begins. */
static uint32_t most_replicas(const struct rule_run *rule_run, uint32_t service) {
    const struct recorded_run *run = rule_run->run;
    uint32_t most = count_replicas(run, service, rule_run->from_ns);
    for (uint32_t r = 0; r < run->replicas.count; r++) {
        int64_t start_ns = run->workload.jobs.at[run->first_replica + r].submit_ns;
        uint32_t count = run->replicas.at[r].service == service && start_ns >= rule_run->from_ns
                             ? count_replicas(run, service, start_ns)
                             : 0;
        most = count > most ? count : most;
    }
    return most;
}

static void find_facts(struct service_facts *facts, const struct rule_run *rule_run,
                       uint32_t service, const struct slo_replicas_thresholds *t) {
    const struct recorded_run *run = rule_run->run;
    for (size_t i = 0; i < run->segments.count; i++) {
        const struct recorded_segment *s = &run->segments.at[i];
        if (recorded_run_is_replica(run, s->job) && service_of(run, s->job) == service)
            add_segment(facts, rule_run, s);
    }
    join_pieces(facts);
    facts->most = most_replicas(rule_run, service);
    facts->low = find_stretches(facts, t->least_load, true);
    facts->full = find_stretches(facts, 1 - 1e-9, false);
    for (size_t e = 0; e < facts->low.count; e++)
        facts->low_s += facts->low.at[e].weight >= t->low_for_s ? facts->low.at[e].weight : 0;
    if (facts->low_s > 0)
        facts->low_j = underused_in(rule_run, service, &facts->low, t->low_for_s);
}

/* ---- What to try ---- */

static void change(const struct recorded_service *service, struct insight *insight, const char *key,
                   double value) {
    insight_change(insight, arena_printf(insight->arena, "%s.%s", service->spec->path, key),
                   arena_printf(insight->arena, "%.6g", value));
}

static void propose_more(const struct recorded_service *service, const struct service_facts *facts,
                         struct insight *insight) {
    const struct service *spec = service->spec;
    insight->recommendation = "more replicas, or a lower target, so that they are there before the "
                              "demand is; GPUs for them";
    insight->column = SUMMARY_COLUMN(slo_share);
    if (facts->most >= spec->replicas.max)
        change(service, insight, "replicas.max", 2 * (double)spec->replicas.max);
    else if (facts->reserved_s > 0 && !spec->scaling.preempt)
        insight_change(insight, arena_printf(insight->arena, "%s.scaling.preempt", spec->path),
                       "true");
    else if (spec->scaling.target > 0.2)
        change(service, insight, "scaling.target", spec->scaling.target / 2);
    else
        change(service, insight, "replicas.min",
               fmin((double)spec->replicas.max, 2 * fmax(1, (double)spec->replicas.min)));
}

/* The least number of GPUs of its configurations, and the most. */
static void find_sizes(const struct service *spec, uint32_t *least, uint32_t *most) {
    *least = *most = spec->configs[0].k;
    for (uint32_t c = 1; c < spec->config_count; c++) {
        *least = spec->configs[c].k < *least ? spec->configs[c].k : *least;
        *most = spec->configs[c].k > *most ? spec->configs[c].k : *most;
    }
}

/* count: of its replicas then. */
static void propose_fewer(const struct recorded_service *service, uint32_t count,
                          struct insight *insight) {
    const struct service *spec = service->spec;
    uint32_t least, most;
    find_sizes(spec, &least, &most);
    insight->recommendation = "fewer replicas, a higher target, or smaller replicas";
    if (count <= spec->replicas.min && spec->replicas.min > 1)
        change(service, insight, "replicas.min", 1);
    else if (count > spec->replicas.min && spec->scaling.target < 0.9)
        change(service, insight, "scaling.target", spec->scaling.target < 0.8 ? 0.8 : 0.95);
    else if (count > spec->replicas.min)
        change(service, insight, "scaling.down_after", fmax(1, spec->scaling.down_after_s / 4));
    else if (least < most)
        insight_change(insight, arena_printf(insight->arena, "%s.replicas.k", spec->path),
                       arena_printf(insight->arena, "[%u]", least));
    else
        proposal_none(insight,
                      "it has its least number of replicas, of the least size that there is");
}

/* ---- What it says ---- */

static void add_stretches(const struct service_facts *facts, const struct top_list *list,
                          double least_s, struct insight *insight) {
    for (size_t i = 0; i < list->count && list->at[i].weight >= least_s; i++) {
        const struct load_piece *piece = &facts->pieces.at[list->at[i].index];
        insight_evidence(insight, EVIDENCE_INTERVAL, "", units_s(list->at[i].from_ns),
                         units_s(list->at[i].to_ns), "its replicas were at %.3g %% when it began",
                         100 * piece->load);
    }
}

static struct insight *begin(const struct rule_run *rule_run, uint32_t service, double part_j,
                             struct insights *insights) {
    struct insight *insight = insights_add(insights, rule_run->from_s, rule_run->to_s);
    const struct recorded_service *s = &rule_run->run->services[service];
    insight->entity = ENTITY_SERVICE;
    insight->name = s->spec->name;
    insight_weigh(insight, part_j, rule_run->energy_j);
    SHOW(insight, slo_replicas, .slo_share = s->slo_share, .energy_per_token = s->j_per_token);
    return insight;
}

static void find_of_service(const struct rule_run *rule_run, uint32_t service,
                            const struct slo_replicas_thresholds *t, struct insights *insights) {
    const struct recorded_service *s = &rule_run->run->services[service];
    struct service_facts facts = {0};
    find_facts(&facts, rule_run, service, t);
    if (s->slo_share < t->least_share) {
        struct insight *insight =
            begin(rule_run, service, facts.energy_j * (1 - s->slo_share), insights);
        insight_find(insight,
                     "%.4g %% of its tokens waited for no longer than %.4g s, for %.4g J each",
                     100 * s->slo_share, s->spec->slo.wait_s, s->j_per_token);
        SHOW(insight, service_full, .most_replicas = facts.most, .reserved = facts.reserved_s);
        add_stretches(&facts, &facts.full, 0, insight);
        propose_more(s, &facts, insight);
    }
    if (facts.low_s > 0) {
        struct insight *insight = begin(rule_run, service, facts.low_j, insights);
        insight_find(insight,
                     "its replicas were below %.3g %% of what they can give for %.4g h, up to "
                     "%.4g h at a time: %.4g kWh more than in full use",
                     100 * t->least_load, facts.low_s / S_PER_H, facts.low.at[0].weight / S_PER_H,
                     facts.low_j / J_PER_KWH);
        SHOW(insight, service_low, .low = facts.low_s, .longest = facts.low.at[0].weight,
             .energy = facts.low_j / J_PER_KWH);
        add_stretches(&facts, &facts.low, t->low_for_s, insight);
        propose_fewer(s, count_replicas(rule_run->run, service, facts.low.at[0].from_ns), insight);
    }
    free(facts.pieces.at);
}

void find_slo_replicas(const struct rule_run *rule_run, const void *thresholds,
                       struct insights *insights) {
    for (uint32_t s = 0; s < rule_run->run->service_count; s++)
        find_of_service(rule_run, s, thresholds, insights);
}
