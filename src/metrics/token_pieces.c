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

static int compare_changes(const void *left, const void *right) {
    const struct spread_change *a = left, *b = right;
    return (a->value > b->value) - (a->value < b->value);
}

static size_t list_changes(const struct token_pieces *pieces, struct spread_change *changes) {
    size_t count = 0;
    for (size_t i = 0; i < pieces->list.count; i++) {
        const struct token_piece *piece = &pieces->list.at[i];
        double density = piece->tokens / (piece->high - piece->low);
        if (!isfinite(density)) {
            changes[count++] = (struct spread_change){piece->high, piece->tokens, 0};
            continue;
        }
        changes[count++] = (struct spread_change){piece->low, 0, density};
        changes[count++] = (struct spread_change){piece->high, 0, -density};
    }
    qsort(changes, count, sizeof *changes, compare_changes);
    return count;
}

double token_pieces_quantile(struct token_pieces *pieces, double share) {
    double total = pieces->endless, below = 0, density = 0, result = INFINITY;
    for (size_t i = 0; i < pieces->list.count; i++)
        total += pieces->list.at[i].tokens;
    if (!(total > 0))
        return NAN;
    struct spread_change *changes = mem_alloc((2 * pieces->list.count + 1) * sizeof *changes);
    size_t count = list_changes(pieces, changes);
    double wanted = share * total;
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
    if (result == INFINITY && pieces->endless <= 0) /* rounding */
        result = changes[count - 1].value;
    free(changes);
    return result;
}

void token_pieces_finish(struct token_pieces *pieces) {
    free(pieces->list.at);
    *pieces = (struct token_pieces){0};
}
