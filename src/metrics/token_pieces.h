/* How tokens are spread over a figure, as waiting time: pieces in each of which they are spread
   evenly, and quantiles of all of them together. */
#ifndef EASIM_METRICS_TOKEN_PIECES_H
#define EASIM_METRICS_TOKEN_PIECES_H

#include "base/array.h"

struct token_piece {
    double low, high, tokens; /* low == high: all at one value */
};

/* Zero-initialise; release with token_pieces_finish. */
struct token_pieces {
    ARRAY_OF(struct token_piece) list;
    double endless; /* tokens with an infinite figure */
};

/* low and high in any order; INFINITY as low: endless. Pieces at one value that follow each other
   become one. */
void token_pieces_add(struct token_pieces *pieces, double low, double high, double tokens);
/* The least value up to which lie at least the share (0..1) of the tokens; INFINITY, or NAN if
   there are none. */
double token_pieces_quantile(const struct token_pieces *pieces, double share);
/* All of `more` into `pieces`. */
void token_pieces_add_all(struct token_pieces *pieces, const struct token_pieces *more);
void token_pieces_finish(struct token_pieces *pieces);

#endif
