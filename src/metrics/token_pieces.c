/* Quantiles over tokens: see token_pieces.h. */
#include "metrics/token_pieces.h"

#include <math.h>
#include <stdlib.h>

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

void token_pieces_add_all(struct token_pieces *pieces, const struct token_pieces *more) {
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
