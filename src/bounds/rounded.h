/* Sums, products and quotients that are never above the exact result (low_*), sums and products
   that are never below it (high_*): the neighbour of the nearest double. */
#ifndef EASIM_BOUNDS_ROUNDED_H
#define EASIM_BOUNDS_ROUNDED_H

#include <math.h>

static inline double low_add(double a, double b) {
    return nextafter(a + b, -INFINITY);
}
static inline double high_add(double a, double b) {
    return nextafter(a + b, INFINITY);
}
static inline double low_multiply(double a, double b) {
    return nextafter(a * b, -INFINITY);
}
static inline double high_multiply(double a, double b) {
    return nextafter(a * b, INFINITY);
}
static inline double low_divide(double a, double b) {
    return nextafter(a / b, -INFINITY);
}

#endif
