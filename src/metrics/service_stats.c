/* What services did in the measured time, and quantiles over their tokens: see service_stats.h. */
#include "metrics/service_stats.h"

#include "base/units.h"
#include "engine/services.h"

#include <math.h>
#include <stdlib.h>

/* --- token_pieces --- */

void token_pieces_add(struct token_pieces *pieces, double low, double high, double tokens) {
    struct token_piece *last =
        pieces->list.count > 0 ? &pieces->list.at[pieces->list.count - 1] : NULL;
    if (!(tokens > 0))
        return;
    if (low == INFINITY)
        pieces->endless += tokens;
    else if (last && low == high && last->low == low && last->high == low)
        last->tokens += tokens;
    else
        array_push(&pieces->list, ((struct token_piece){fmin(low, high), fmax(low, high), tokens}));
}

/* All of `more` into `pieces`. */
static void token_pieces_add_all(struct token_pieces *pieces, const struct token_pieces *more) {
    pieces->endless += more->endless;
    for (size_t i = 0; i < more->list.count; i++)
        array_push(&pieces->list, more->list.at[i]);
}

/* Where the spread of tokens changes: so many at this very value, and so many more (or fewer) to
   every unit from here on. */
struct spread_change {
    double value, tokens, density;
};

ORDER_BY(compare_changes, struct spread_change, ASC(value))

/* Pieces that lie above `low` and begin up to `high`, as far as they are above `low`. */
static size_t list_changes(const struct token_pieces *pieces, double low, double high,
                           struct spread_change *changes) {
    size_t count = 0;
    for (size_t i = 0; i < pieces->list.count; i++) {
        const struct token_piece *piece = &pieces->list.at[i];
        if (piece->high <= low || piece->low > high)
            continue;
        double density = piece->tokens / (piece->high - piece->low);
        if (!isfinite(density)) {
            changes[count++] = (struct spread_change){piece->high, piece->tokens, 0};
            continue;
        }
        changes[count++] = (struct spread_change){fmax(piece->low, low), 0, density};
        changes[count++] = (struct spread_change){piece->high, 0, -density};
    }
    sort_array(changes, count, compare_changes);
    return count;
}

static double tokens_up_to(const struct token_pieces *pieces, double value) {
    double tokens = 0;
    for (size_t i = 0; i < pieces->list.count; i++) {
        const struct token_piece *piece = &pieces->list.at[i];
        if (piece->high <= value)
            tokens += piece->tokens;
        else if (piece->low < value)
            tokens += piece->tokens * ((value - piece->low) / (piece->high - piece->low));
    }
    return tokens;
}

/* Where the pieces are few, the value is looked for exactly; first, where that is. */
#define HALVINGS 12

static void halve_range(const struct token_pieces *pieces, double wanted, double *low,
                        double *high) {
    *low = INFINITY;
    *high = 0;
    for (size_t i = 0; i < pieces->list.count; i++) {
        *low = fmin(*low, pieces->list.at[i].low);
        *high = fmax(*high, pieces->list.at[i].high);
    }
    *low = nextafter(*low, -INFINITY);
    for (int i = 0; i < HALVINGS; i++) {
        double middle = *low + (*high - *low) / 2;
        *(tokens_up_to(pieces, middle) >= wanted ? high : low) = middle;
    }
}

/* wanted: tokens up to the value, some of which are finite. */
static double find_value(const struct token_pieces *pieces, double wanted) {
    double low, high, density = 0, result = INFINITY;
    struct spread_change *changes = mem_alloc((2 * pieces->list.count + 1) * sizeof *changes);
    halve_range(pieces, wanted, &low, &high);
    double below = tokens_up_to(pieces, low);
    size_t count = list_changes(pieces, low, high, changes);
    for (size_t i = 0; i < count && result == INFINITY; i++) {
        double from = i > 0 ? changes[i - 1].value : changes[i].value;
        double more = density * (changes[i].value - from);
        if (density > 0 && below + more >= wanted)
            result = from + (wanted - below) / density;
        else if (below + more + changes[i].tokens >= wanted)
            result = changes[i].value;
        below += more + changes[i].tokens;
        density = fmax(density + changes[i].density, 0);
    }
    if (result == INFINITY && count > 0 && pieces->endless <= 0) /* rounding */
        result = changes[count - 1].value;
    free(changes);
    return result;
}

double token_pieces_quantile(const struct token_pieces *pieces, double share) {
    double total = pieces->endless;
    for (size_t i = 0; i < pieces->list.count; i++)
        total += pieces->list.at[i].tokens;
    if (!(total > 0))
        return NAN;
    double wanted = share * total;
    return total - pieces->endless >= wanted * (1 - 1e-12) && pieces->list.count > 0
               ? find_value(pieces, wanted)
               : INFINITY;
}

void token_pieces_finish(struct token_pieces *pieces) {
    free(pieces->list.at);
    *pieces = (struct token_pieces){0};
}

/* --- service_stats --- */

/* ---- While the run goes on ---- */

static void open_stats(struct service_stats *stats, const struct sim *sim) {
    if (stats->at)
        return;
    stats->count = sim->services.count;
    stats->at = mem_zalloc(stats->count + 1, sizeof *stats->at);
}

void service_stats_begin(struct service_stats *stats, const struct sim *sim) {
    service_stats_finish(stats);
    open_stats(stats, sim);
    for (uint32_t s = 0; s < stats->count; s++) {
        const struct service_run *run = &sim->services.runs[s];
        stats->at[s] = (struct service_stat){.before = run->backlog,
                                             .energy_at_start = run->energy,
                                             .gpu_ps_at_start = run->gpu_ps,
                                             .scale_ups_at_start = run->scale_ups,
                                             .preemptions_at_start = run->preemptions};
    }
}

/* Tokens that come in wait for what is there already. Those that are dropped wait for nothing. */
static void note_waits(struct service_stat *stat, const struct service_run *run,
                       const struct service_piece *piece) {
    double capacity_per_s = run->capacity_per_s, kept = piece->demanded - piece->dropped;
    if (capacity_per_s > 0)
        token_pieces_add(&stat->waits_s, piece->backlog_before / capacity_per_s,
                         piece->backlog_after / capacity_per_s, kept);
    else
        token_pieces_add(&stat->waits_s, INFINITY, INFINITY, kept);
    stat->within += piece->over_wait ? 0 : kept;
}

/* Served by the groups in proportion to their capacity. */
static void note_latencies(struct service_stat *stat, const struct service *spec,
                           const struct service_run *run, const struct service_piece *piece) {
    for (uint32_t c = 0; c < spec->config_count; c++)
        if (run->groups[c].ready > 0)
            token_pieces_add(&stat->latencies_ms, run->groups[c].latency_ms,
                             run->groups[c].latency_ms,
                             piece->served * run->groups[c].ready * spec->configs[c].most_per_s /
                                 run->capacity_per_s);
}

void service_stats_note(struct service_stats *stats, const struct sim *sim,
                        const struct service_piece *piece) {
    open_stats(stats, sim);
    struct service_stat *stat = &stats->at[piece->service];
    const struct service_run *run = &sim->services.runs[piece->service];
    stat->demanded += piece->demanded;
    stat->served += piece->served;
    stat->dropped += piece->dropped;
    note_waits(stat, run, piece);
    if (piece->served > 0 && run->capacity_per_s > 0)
        note_latencies(stat, services_spec(sim, piece->service), run, piece);
}

/* ---- At its end ---- */

/* Infinite ones are not defined in a table. */
static double finite_quantile(const struct token_pieces *pieces, double share) {
    double value = token_pieces_quantile(pieces, share);
    return isfinite(value) ? value : NAN;
}

static struct service_row row_of(const struct service_stat *stat, const struct sim *sim,
                                 uint32_t service) {
    const struct service_run *run = &sim->services.runs[service];
    double share = services_spec(sim, service)->demand.output_share,
           energy_j = power_j(run->energy - stat->energy_at_start);
    return (struct service_row){
        .tokens_before = stat->before * share,
        .tokens_demanded = stat->demanded * share,
        .tokens_served = stat->served * share,
        .tokens_dropped = stat->dropped * share,
        .tokens_left = run->backlog * share,
        .slo_share = summary_ratio(stat->within, stat->demanded),
        .energy_service_kwh = energy_j / J_PER_KWH,
        .energy_all_per_work_kwh = NAN,
        .j_per_token = summary_ratio(energy_j, stat->served * share),
        .token_wait_p50_s = finite_quantile(&stat->waits_s, 0.5),
        .token_wait_p99_s = finite_quantile(&stat->waits_s, 0.99),
        .token_latency_p99_ms = finite_quantile(&stat->latencies_ms, 0.99),
        .replica_gpu_h = power_gpu_s(run->gpu_ps - stat->gpu_ps_at_start) / S_PER_H,
        .scale_ups = (double)(run->scale_ups - stat->scale_ups_at_start),
        .service_preemptions = (double)(run->preemptions - stat->preemptions_at_start)};
}

static void add_row(struct summary *summary, const struct service_row *row) {
    summary->tokens_before += row->tokens_before;
    summary->tokens_demanded += row->tokens_demanded;
    summary->tokens_served += row->tokens_served;
    summary->tokens_dropped += row->tokens_dropped;
    summary->tokens_left += row->tokens_left;
    summary->replica_gpu_h += row->replica_gpu_h;
    summary->scale_ups += row->scale_ups;
    summary->service_preemptions += row->service_preemptions;
    if (row->tokens_demanded > 0)
        summary->slo_share += row->slo_share * row->tokens_demanded;
}

void service_stats_sum_up(struct service_stats *stats, const struct sim *sim,
                          struct summary *summary) {
    open_stats(stats, sim);
    struct service_row *rows = mem_zalloc(stats->count + 1, sizeof *rows);
    summary->services = rows;
    summary->service_count = stats->count;
    struct service_stat all = {0};
    double energy_j = 0;
    for (uint32_t s = 0; s < stats->count; s++) {
        rows[s] = row_of(&stats->at[s], sim, s);
        add_row(summary, &rows[s]);
        energy_j += rows[s].energy_service_kwh * J_PER_KWH;
        token_pieces_add_all(&all.waits_s, &stats->at[s].waits_s);
        token_pieces_add_all(&all.latencies_ms, &stats->at[s].latencies_ms);
    }
    summary->slo_share = summary_ratio(summary->slo_share, summary->tokens_demanded);
    summary->j_per_token = summary_ratio(energy_j, summary->tokens_served);
    summary->token_wait_p50_s = finite_quantile(&all.waits_s, 0.5);
    summary->token_wait_p99_s = finite_quantile(&all.waits_s, 0.99);
    summary->token_latency_p99_ms = finite_quantile(&all.latencies_ms, 0.99);
    token_pieces_finish(&all.waits_s);
    token_pieces_finish(&all.latencies_ms);
}

void service_stats_finish(struct service_stats *stats) {
    for (uint32_t s = 0; stats->at && s < stats->count; s++) {
        token_pieces_finish(&stats->at[s].waits_s);
        token_pieces_finish(&stats->at[s].latencies_ms);
    }
    free(stats->at);
    *stats = (struct service_stats){0};
}
