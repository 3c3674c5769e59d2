/* Names beside the points of a figure, none over another name or point. */
#ifndef EASIM_OUTPUT_PLOT_LABEL_PLACES_H
#define EASIM_OUTPUT_PLOT_LABEL_PLACES_H

#include <stdbool.h>
#include <stddef.h>

/* A box in pixels, upwards and to the right. */
struct plot_box {
    double left, bottom, right, top;
};

/* A point with its name. */
struct plot_named_point {
    double x, y;
    double arms[2];      /* of its intervals, to both sides and up and down */
    double width;        /* of the name */
    struct plot_box box; /* of the name, when it has a place */
    bool far;            /* so far that a line has to join them */
};

#define PLOT_NAME_HEIGHT  15
#define PLOT_POINT_RADIUS 7

/* Gives every name a place inside `area`, the nearest that is free, in the order of the points:
   free of intervals too if there is one, for names only have to keep off names and points. false:
   there is not enough room. */
bool plot_place_names(struct plot_named_point *points, size_t count, struct plot_box area);

#endif
