/* Shapley values (Shapley 1953): what each player of a game adds, averaged over all orders of
 * joining. */
#ifndef EASIM_EXPERIMENT_ABLATE_SHAPLEY_H
#define EASIM_EXPERIMENT_ABLATE_SHAPLEY_H

#define SHAPLEY_MOST 16 /* players */

/* values[S]: worth of the coalition S, a set of players by bits; 2^players of them. The shares add
   up to values[all] - values[none], but for rounding; that of a player who never changes the worth
   is exactly 0. Of the game with values[S] and values[all but S] exchanged, every share is exactly
   the negative. */
void shapley_shares(const double *values, unsigned players, double *shares);

#endif
