/* Statistical efficiency: see efficiency.h. */
#include "model/efficiency.h"

double efficiency_of_batch(double m0, double phi, double batch) {
    return batch > m0 ? (phi + m0) / (phi + batch) : 1;
}
