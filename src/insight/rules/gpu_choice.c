/* Rules of the choice of a GPU type: jobs that fast GPUs serve for too much energy, and slow ones
   for too long. Only choices are blamed: what would have been better fitted what was free at the
   job's start. */
#include "base/units.h"
#include "insight/rules/gathered.h"
#include "insight/rules/internal.h"

#include <math.h>
#include <stdlib.h>

/* ---- Jobs and what they could have had ---- */

enum { SPEEDUP, POWER_RATIO, OWN_J, OTHER_J, EDP_RATIO }; /* means by work */

struct choice {
    const struct rule_run *rule_run;
    bool slow; /* looks for faster GPUs of less EDP, else for slower ones of less energy */
    double ratio;
    struct room_free *free; /* by GPU type, at the start of the job */
    struct gathered_list list;
};

/* Whether the job should have had another configuration. */
static bool is_wrong_choice(const struct choice *choice, const struct easim_config *own,
                            uint32_t span, const struct easim_config *other) {
    uint32_t there = other->empty_span;
    double speedup = own->goodput[span] / other->goodput[there];
    double power_ratio = own->power_w[span] / other->power_w[there];
    if (!choice->slow)
        return speedup > 1 && speedup < choice->ratio * power_ratio;
    double edp_ratio = power_ratio / (speedup * speedup);
    return speedup < 1 && edp_ratio > choice->ratio;
}

/* The best of other GPU types with as many GPUs that fitted: of least energy, or of least EDP. */
static const struct easim_config *find_better(const struct choice *choice,
                                              const struct kept_piece *piece, uint32_t span) {
    struct kept_configs all = kept_work_configs(choice->rule_run, piece->set);
    const struct easim_config *best = NULL;
    double least = INFINITY;
    for (uint32_t i = 0; i < all.count; i++) {
        const struct easim_config *c = &all.at[i];
        uint32_t there = c->empty_span;
        if (c->gpu_type == piece->config->gpu_type || c->k != piece->config->k ||
            c->goodput[there] <= 0 || !room_fits(&choice->free[c->gpu_type], c) ||
            !is_wrong_choice(choice, piece->config, span, c))
            continue;
        double cost = kept_work_unit_j(c, there) / (choice->slow ? c->goodput[there] : 1);
        if (cost < least) {
            least = cost;
            best = c;
        }
    }
    return best;
}

static void gather_piece(struct choice *choice, const struct kept_piece *piece) {
    uint32_t span = kept_work_span(piece);
    const struct easim_config *own = piece->config, *other = find_better(choice, piece, span);
    if (!other)
        return;
    uint32_t there = other->empty_span;
    double own_j = kept_work_unit_j(own, span), other_j = kept_work_unit_j(other, there);
    double speedup = own->goodput[span] / other->goodput[there];
    struct gathered *g =
        gathered_find(&choice->list, piece->spec->model, own->gpu_type, other->gpu_type);
    g->work += piece->work;
    g->lost_j += piece->work * (own_j - other_j);
    g->gained_s += piece->work * (1 / other->goodput[there] - 1 / own->goodput[span]);
    g->means[SPEEDUP] += piece->work * speedup;
    g->means[POWER_RATIO] += piece->work * own->power_w[span] / other->power_w[there];
    g->means[OWN_J] += piece->work * own_j;
    g->means[OTHER_J] += piece->work * other_j;
    g->means[EDP_RATIO] += piece->work * own_j / (other_j * speedup);
    gathered_add_piece(g, piece, piece->work * (own_j - other_j));
}

/* The kept pieces of a hold, the segments of a job on the GPUs that it got at its start. */
static void gather_hold(struct choice *choice, uint32_t first) {
    const struct recorded_run *run = choice->rule_run->run;
    const struct recorded_job *job = &run->jobs[run->segments.at[first].job];
    uint32_t end = job->segments + job->segment_count;
    struct kept_piece piece;
    for (size_t at = first; at < end; at++) {
        if (at > first &&
            (run->segments.at[at].kind == SEGMENT_QUEUED ||
             instants_is_first_of_hold(&run->segments.at[at], &run->segments.at[at - 1])))
            return;
        if (kept_work_at(choice->rule_run, at, &piece))
            gather_piece(choice, &piece);
    }
}

static void gather_choices(struct choice *choice) {
    const struct recorded_run *run = choice->rule_run->run;
    uint32_t types = run->folder->cluster.gpu_type_count;
    struct instants instants;
    struct error error = {0}; /* waste_of_run has told it */
    if (types < 2)
        return;
    choice->free = mem_zalloc(types, sizeof *choice->free);
    instants_init(&instants, run, &choice->rule_run->waste->instants);
    while (instants_next_ns(&instants) < INT64_MAX && instants_step(&instants, &error) == 0)
        for (size_t e = instants.first_taken; e < instants.taken_end; e++) {
            uint32_t first = instants.events[e].index;
            instants_room_for(&instants, &run->segments.at[first], choice->free);
            gather_hold(choice, first);
        }
    instants_finish(&instants);
    free(choice->free);
}

/* ---- Texts ---- */

static void add_choice_figures(const struct gathered *g, const char *own, const char *other,
                               struct insight *insight) {
    SHOW(insight, wasted_fast, .starts = g->jobs, .speedup = gathered_mean(g, SPEEDUP),
         .power_ratio = gathered_mean(g, POWER_RATIO), .energy_per_sample = gathered_mean(g, OWN_J),
         .energy_per_sample_other = gathered_mean(g, OTHER_J),
         .edp_ratio = gathered_mean(g, EDP_RATIO), .energy_over_best = g->lost_j / J_PER_KWH,
         .time_gained = g->gained_s / S_PER_H, .gpu_hours = g->gpu_s / S_PER_H, .gpu_type = own,
         .other_gpu_type = other);
}

static void report_choice(const struct choice *choice, struct gathered *g,
                          struct insights *insights) {
    const struct recorded_folder *folder = choice->rule_run->folder;
    const char *own = folder->cluster.gpu_types[g->type].name,
               *other = folder->cluster.gpu_types[g->other].name;
    struct insight *insight =
        gathered_report(choice->rule_run, g, "kWh over the other GPUs", 1 / J_PER_KWH, insights);
    if (choice->slow)
        insight_find(insight,
                     "%u starts on %s while %s were free: %.2f times the energy-delay product, "
                     "%.4g h longer",
                     g->jobs, own, other, gathered_mean(g, EDP_RATIO), -g->gained_s / S_PER_H);
    else
        insight_find(insight,
                     "%u starts on %s while %s were free: %.2f times as fast for %.2f times the "
                     "power, %.4g kWh more",
                     g->jobs, own, other, gathered_mean(g, SPEEDUP), gathered_mean(g, POWER_RATIO),
                     g->lost_j / J_PER_KWH);
    add_choice_figures(g, own, other, insight);
    insight->recommendation = arena_printf(&insights->arena, "let jobs use %s alone", other);
    narrower_h(insight, g->other);
    insight_weigh(insight, fmax(g->lost_j, 0), choice->rule_run->energy_j);
}

static void find_choices(const struct rule_run *rule_run, double ratio, bool slow,
                         struct insights *insights) {
    struct choice choice = {.rule_run = rule_run, .slow = slow, .ratio = ratio};
    gather_choices(&choice);
    for (size_t i = 0; i < choice.list.at.count; i++)
        report_choice(&choice, &choice.list.at.at[i], insights);
    gathered_list_finish(&choice.list);
}

void find_wasted_fast(const struct rule_run *rule_run, const void *thresholds,
                      struct insights *insights) {
    const struct wasted_fast_thresholds *t = thresholds;
    find_choices(rule_run, t->ratio, false, insights);
}

void find_slow_cheap(const struct rule_run *rule_run, const void *thresholds,
                     struct insights *insights) {
    const struct slow_cheap_thresholds *t = thresholds;
    find_choices(rule_run, t->ratio, true, insights);
}
