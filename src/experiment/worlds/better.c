/* How often one policy is better than another: see better.h. */
#include "experiment/worlds/better.h"

#include <float.h>
#include <math.h>

struct share_range better_wilson(size_t hits, size_t count) {
    if (count == 0)
        return (struct share_range){NAN, NAN, NAN};
    const double z = 1.959963984540054; /* 97.5 % of the normal law */
    double n = (double)count, share = (double)hits / n, weight = 1 + z * z / n;
    double middle = (share + z * z / (2 * n)) / weight;
    double half = z / weight * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
    return (struct share_range){share, hits == 0 ? 0 : middle - half,
                                hits == count ? 1 : middle + half};
}

/* The difference as far as it is above rounding. */
static double mean_above_rounding(const struct paired *paired) {
    double size = fmax(fabs(paired->base_mean), fabs(paired->base_mean + paired->diff.mean));
    return fabs(paired->diff.mean) > 10 * DBL_EPSILON * size ? paired->diff.mean : 0;
}

int better_verdict(const struct paired *paired, enum metric_better direction, bool clearly) {
    double mean = mean_above_rounding(paired);
    bool tested = paired->diff.n > 1 && (isnan(paired->p_value) || paired->p_value < 0.05);
    if (mean == 0 || direction == METRIC_NEITHER || (clearly && !tested))
        return 0;
    return (mean > 0) == (direction == METRIC_MORE) ? 1 : -1;
}

struct better better_of(const double *values, const double *base, size_t worlds,
                        size_t replications, enum metric_better direction) {
    struct better better = {0};
    size_t ahead = 0, clearly = 0, worse = 0, most_pairs = 0;
    for (size_t w = 0; w < worlds; w++) {
        struct paired p =
            paired_test(values + w * replications, base + w * replications, replications);
        if (p.diff.n == 0)
            continue;
        better.worlds++;
        ahead += better_verdict(&p, direction, false) > 0;
        clearly += better_verdict(&p, direction, true) > 0;
        worse += better_verdict(&p, direction, true) < 0;
        most_pairs = p.diff.n > most_pairs ? p.diff.n : most_pairs;
    }
    bool directed = direction != METRIC_NEITHER;
    better.sign = better_wilson(ahead, directed ? better.worlds : 0);
    better.clearly = better_wilson(clearly, directed && most_pairs > 1 ? better.worlds : 0);
    better.worse = better_wilson(worse, directed && most_pairs > 1 ? better.worlds : 0);
    return better;
}
