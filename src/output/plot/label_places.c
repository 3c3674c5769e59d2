/* Places of names: each point tries eight directions, nearest first. */
#include "output/plot/label_places.h"

#define RINGS     6
#define RING_STEP 12 /* pixels */
#define NEAR      3  /* rings in which a name keeps off intervals */

/* A direction: where the name's box is, seen from the point: -1 left or below, 0, 1 right or above.
   The slanting ones come first: intervals run along the others. */
static const int directions[][2] = {{1, 1}, {-1, 1}, {1, -1}, {-1, -1},
                                    {1, 0}, {-1, 0}, {0, 1},  {0, -1}};

static bool overlap(struct plot_box a, struct plot_box b) {
    return a.left < b.right && b.left < a.right && a.bottom < b.top && b.bottom < a.top;
}

static struct plot_box point_box(const struct plot_named_point *p) {
    return (struct plot_box){p->x - PLOT_POINT_RADIUS, p->y - PLOT_POINT_RADIUS,
                             p->x + PLOT_POINT_RADIUS, p->y + PLOT_POINT_RADIUS};
}

static struct plot_box name_box(const struct plot_named_point *p, const int *direction, int ring) {
    bool slanting = direction[0] != 0 && direction[1] != 0;
    double up = PLOT_POINT_RADIUS + ring * RING_STEP, aside = slanting ? up - 4 : up + 1;
    double x = p->x + direction[0] * (aside + p->width / 2),
           y = p->y + direction[1] * (up + PLOT_NAME_HEIGHT / 2.0);
    return (struct plot_box){x - p->width / 2, y - PLOT_NAME_HEIGHT / 2.0, x + p->width / 2,
                             y + PLOT_NAME_HEIGHT / 2.0};
}

static bool crosses_arms(const struct plot_named_point *p, struct plot_box box) {
    const struct plot_box flat = {p->x - p->arms[0], p->y - 1, p->x + p->arms[0], p->y + 1},
                          upright = {p->x - 1, p->y - p->arms[1], p->x + 1, p->y + p->arms[1]};
    return overlap(box, flat) || overlap(box, upright);
}

static bool is_free_of_arms(const struct plot_named_point *points, size_t count,
                            struct plot_box box) {
    for (size_t i = 0; i < count; i++)
        if (crosses_arms(&points[i], box))
            return false;
    return true;
}

static bool is_free_box(const struct plot_named_point *points, size_t count, size_t placed,
                        struct plot_box area, struct plot_box box) {
    bool inside = box.left >= area.left && box.right <= area.right && box.bottom >= area.bottom &&
                  box.top <= area.top;
    for (size_t i = 0; inside && i < count; i++)
        inside =
            !overlap(box, point_box(&points[i])) && !(i < placed && overlap(box, points[i].box));
    return inside;
}

static bool place_name(struct plot_named_point *points, size_t count, size_t at,
                       struct plot_box area, bool off_arms) {
    struct plot_named_point *p = &points[at];
    for (int ring = 0; ring < (off_arms ? NEAR : RINGS); ring++)
        for (size_t d = 0; d < sizeof directions / sizeof *directions; d++) {
            p->box = name_box(p, directions[d], ring);
            p->far = ring > 0;
            if (is_free_box(points, count, at, area, p->box) &&
                (!off_arms || is_free_of_arms(points, count, p->box)))
                return true;
        }
    return false;
}

bool plot_place_names(struct plot_named_point *points, size_t count, struct plot_box area) {
    for (size_t i = 0; i < count; i++)
        if (!place_name(points, count, i, area, true) && !place_name(points, count, i, area, false))
            return false;
    return true;
}
