/* Statistical efficiency of large batches (Pollux, OSDI'21, eq. 6 with its noise scale phi). Pure
 * function. */
#ifndef EASIM_MODEL_EFFICIENCY_H
#define EASIM_MODEL_EFFICIENCY_H

/* Useful share of each sample at global batch B relative to the reference batch m0: (phi + m0)/(phi
   + B) for B > m0, else 1. All in samples; phi >= 0, m0 > 0. */
double efficiency_of_batch(double m0, double phi, double batch);

#endif
