/* Colors and markers of series. A shipped policy has its own ones in all figures and in the report,
   those of policies/colors.h, which are for display alone. */
#ifndef EASIM_OUTPUT_PLOT_STYLES_H
#define EASIM_OUTPUT_PLOT_STYLES_H

#include <stddef.h>

struct plot_style {
    const char *color; /* "#RRGGBB" */
    int marker, dash;  /* gnuplot's numbers; an open marker is one less than the filled one */
};

/* Names of the table have their own style, others the free ones in the order of their names: first
   those that are nobody's, then those of policies that are not among the names. More are dashed. */
void plot_styles_of_policies(const char *const *names, size_t count, struct plot_style *styles);
/* As policies if some text is a shipped policy, else by place: values of an axis, GPU types. */
void plot_styles_of_values(const char *const *texts, size_t count, struct plot_style *styles);

#endif
