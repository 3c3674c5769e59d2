/* The table of kinds. Invariant: the first three are the others of each class; kind 3 + n has key
   number n. */
#include "ingest/kineto/kineto_kinds.h"

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>

#define KINETO_MOST_KINDS 65536 /* with names of at most 4 MiB in all */

#define OTHERS          3
#define MOST_NAME_BYTES ((size_t)4 << 20)

/* Texts as hashes: a full table must find its entries for names of any length. */
struct key {
    uint64_t name, collective, group;
    int64_t group_size;
    double bytes;
    uint32_t track, class;
};

static uint64_t hash_of_text(struct slice text) {
    return hash_bytes(HASH_START, text.at, text.length);
}

static struct slice cut_text(struct slice text) {
    return (struct slice){text.at,
                          text.length < KINETO_NAME_BYTES ? text.length : KINETO_NAME_BYTES};
}

void kineto_kinds_init(struct kineto_kinds *kinds) {
    *kinds = (struct kineto_kinds){0};
    for (enum kineto_class class = KINETO_COMPUTE; class <= KINETO_MEMORY; class *= 2)
        array_push(&kinds->all,
                   ((struct kineto_kind){class, KINETO_NONE, KINETO_NONE, "others", NULL, 0, NAN}));
}

static uint32_t track_number(struct kineto_kinds *kinds, int64_t device, int64_t stream) {
    struct kineto_track track = {device, stream};
    uint32_t number = intern_find(&kinds->track_keys, &track, sizeof track);
    if (number != INTERN_NONE || kinds->tracks.count == KINETO_MOST_TRACKS)
        return number;
    array_push(&kinds->tracks, track);
    return intern(&kinds->track_keys, &track, sizeof track, NULL);
}

static const char *kept_name(struct kineto_kinds *kinds, struct slice text) {
    bool is_new;
    uint32_t number = intern(&kinds->names, text.at, text.length, &is_new);
    kinds->name_bytes += is_new ? text.length + 64 : 0; /* 64: of the table */
    return intern_text(&kinds->names, number);
}

struct group {
    uint64_t name, kernel;
};

static uint32_t group_number(struct kineto_kinds *kinds, const struct key *key) {
    const struct group group = {key->group, key->name};
    bool is_new;
    uint32_t number = intern(&kinds->groups, &group, sizeof group, &is_new);
    if (is_new)
        array_push(&kinds->has_others, false);
    return number;
}

static uint32_t add_kind(struct kineto_kinds *kinds, const struct kineto_description *description,
                         const struct key *key) {
    struct kineto_kind kind = {description->class, key->track, KINETO_NONE, NULL, NULL, 0, NAN};
    if (description->class == KINETO_COMMUNICATION) {
        kind.group = group_number(kinds, key);
        kind.name = kept_name(kinds, cut_text(description->name));
        kind.collective = description->collective.length > 0
                              ? kept_name(kinds, cut_text(description->collective))
                              : NULL;
        kind.group_size = description->group_size;
        kind.bytes = description->bytes;
    }
    array_push(&kinds->all, kind);
    return intern(&kinds->keys, key, sizeof *key, NULL) + OTHERS;
}

static uint32_t number_of_others(struct kineto_kinds *kinds,
                                 const struct kineto_description *description,
                                 const struct key *key) {
    const struct group group = {key->group, key->name};
    uint32_t number = intern_find(&kinds->groups, &group, sizeof group);
    if (description->class == KINETO_COMMUNICATION && number != INTERN_NONE)
        kinds->has_others.at[number] = true;
    return description->class / 2; /* 1, 2, 4: the first, second, third */
}

uint32_t kineto_kinds_number(struct kineto_kinds *kinds,
                             const struct kineto_description *description) {
    struct key key = {.track = track_number(kinds, description->device, description->stream),
                      .class = description->class};
    if (description->class == KINETO_COMMUNICATION) {
        key.name = hash_of_text(cut_text(description->name));
        key.collective = hash_of_text(cut_text(description->collective));
        key.group = hash_bytes(hash_bytes(hash_of_text(description->group), "", 1),
                               description->ranks.at, description->ranks.length);
        key.group_size = description->group_size;
        key.bytes = description->bytes;
    }
    uint32_t number = intern_find(&kinds->keys, &key, sizeof key);
    if (number != INTERN_NONE)
        return number + OTHERS;
    if (kinds->all.count < KINETO_MOST_KINDS && kinds->name_bytes < MOST_NAME_BYTES)
        return add_kind(kinds, description, &key);
    return number_of_others(kinds, description, &key);
}

bool kineto_kinds_is_known(const struct kineto_kinds *kinds, uint32_t number) {
    return number >= OTHERS && kinds->all.at[number].track != KINETO_NONE;
}

void kineto_kinds_finish(struct kineto_kinds *kinds) {
    free(kinds->all.at);
    free(kinds->tracks.at);
    free(kinds->has_others.at);
    intern_finish(&kinds->keys);
    intern_finish(&kinds->track_keys);
    intern_finish(&kinds->groups);
    intern_finish(&kinds->names);
    *kinds = (struct kineto_kinds){0};
}

/* --- kineto_gpus --- */

#define KINETO_MOST_GPUS 131072
#define KINETO_NO_GPU    KINETO_MOST_GPUS /* of a GPU above the limit */

static uint32_t gpu_number(struct kineto_gpus *gpus, int64_t node, int64_t gpu) {
    const int64_t key[] = {node, gpu};
    uint32_t number = intern_find(&gpus->keys, key, sizeof key);
    if (number != INTERN_NONE)
        return number;
    if (gpus->all.count == KINETO_MOST_GPUS)
        return KINETO_NO_GPU;
    array_push(&gpus->all, ((struct kineto_gpu){.node = node, .gpu = gpu}));
    return intern(&gpus->keys, key, sizeof key, NULL);
}

uint32_t kineto_gpus_add(struct kineto_gpus *gpus, int64_t node, int64_t gpu, double energy_j) {
    uint32_t number = gpu_number(gpus, node, gpu);
    struct kineto_gpu *at = number == KINETO_NO_GPU ? &gpus->others : &gpus->all.at[number];
    at->events++;
    if (isfinite(energy_j))
        at->energy_j += energy_j;
    else
        gpus->without_energy++;
    return number;
}

void kineto_gpus_finish(struct kineto_gpus *gpus) {
    free(gpus->all.at);
    intern_finish(&gpus->keys);
    *gpus = (struct kineto_gpus){0};
}
