/* The order of waiting jobs by a key that stays: see static_order.h. */
#include "policy/list/static_order.h"

#include "cluster/cluster.h"

#include <stdlib.h>

/* --- static order --- */
/* Invariants: the traits of a node are exactly those of the jobs below it; no node except the root
   is empty, or full between two calls. */

void static_order_finish(struct static_order *line) {
    free(line->nodes.at);
    free(line->unused.at);
    free(line->node_traits.at);
    free(line->kind_traits.at);
    *line = (struct static_order){0};
}

static uint64_t *traits_of_node(const struct static_order *line, uint32_t node) {
    return &line->node_traits.at[(size_t)node * line->words];
}

static uint64_t *traits_of_kind(const struct static_order *line, uint32_t kind) {
    return &line->kind_traits.at[(size_t)kind * line->words];
}

static bool have_common(const uint64_t *a, const uint64_t *b, uint32_t words) {
    for (uint32_t i = 0; i < words; i++)
        if (a[i] & b[i])
            return true;
    return false;
}

/* --- memory --- */

static void push_words(struct static_order *line, bool of_kind) {
    for (uint32_t i = 0; i < line->words; i++) {
        if (of_kind)
            array_push(&line->kind_traits, UINT64_C(0));
        else
            array_push(&line->node_traits, UINT64_C(0));
    }
}

/* `count` blocks of words become wider. */
static uint64_t *widen(uint64_t *old, size_t count, uint32_t words, uint32_t more) {
    uint64_t *wide = mem_zalloc(count + 1, more * sizeof *wide);
    for (size_t i = 0; i < count; i++)
        memcpy(&wide[i * more], &old[i * words], words * sizeof *wide);
    free(old);
    return wide;
}

static void need_words(struct static_order *line, uint32_t words) {
    if (words <= line->words)
        return;
    size_t kinds = line->words ? line->kind_traits.count / line->words : 0;
    words = words > 2 * line->words ? words : 2 * line->words;
    line->kind_traits.at = widen(line->kind_traits.at, kinds, line->words, words);
    line->kind_traits.count = kinds * words;
    line->kind_traits.capacity = (kinds + 1) * words;
    line->node_traits.at = widen(line->node_traits.at, line->nodes.count, line->words, words);
    line->node_traits.count = line->nodes.count * words;
    line->node_traits.capacity = (line->nodes.count + 1) * words;
    line->words = words;
}

uint32_t static_order_add_kind(struct static_order *line, uint32_t trait_count) {
    need_words(line, (trait_count + 63) / 64);
    push_words(line, true);
    return (uint32_t)(line->kind_traits.count / line->words) - 1;
}

static uint32_t new_node(struct static_order *line, bool leaf) {
    uint32_t node;
    if (line->unused.count > 0) {
        node = line->unused.at[--line->unused.count];
    } else {
        node = (uint32_t)line->nodes.count;
        (void)array_add(&line->nodes);
        push_words(line, false);
    }
    line->nodes.at[node].count = 0;
    line->nodes.at[node].leaf = leaf;
    return node;
}

/* --- traits --- */

static const uint64_t *traits_below(const struct static_order *line, const struct order_node *n,
                                    uint32_t i) {
    return n->leaf ? traits_of_kind(line, n->at[i]) : traits_of_node(line, n->at[i]);
}

static void sum_traits(struct static_order *line, uint32_t node) {
    const struct order_node *n = &line->nodes.at[node];
    uint64_t *traits = traits_of_node(line, node);
    memset(traits, 0, line->words * sizeof *traits);
    for (uint32_t i = 0; i < n->count; i++) {
        const uint64_t *own = traits_below(line, n, i);
        for (uint32_t word = 0; word < line->words; word++)
            traits[word] |= own[word];
    }
}

static void join_traits(struct static_order *line, uint32_t node, const uint64_t *more) {
    uint64_t *traits = traits_of_node(line, node);
    for (uint32_t word = 0; word < line->words; word++)
        traits[word] |= more[word];
}

/* --- places in a node --- */

/* The first place behind a rank. */
static uint32_t place_behind(const struct order_node *n, const struct index_rank *rank) {
    uint32_t from = 0, to = n->count;
    while (from < to) {
        uint32_t mid = (from + to) / 2;
        if (index_before(rank, &n->ranks[mid]))
            to = mid;
        else
            from = mid + 1;
    }
    return from;
}

/* The child below which a rank is, or is to be. */
static uint32_t child_of(const struct order_node *n, const struct index_rank *rank) {
    uint32_t behind = place_behind(n, rank);
    return behind > 0 ? behind - 1 : 0;
}

static void put_at(struct order_node *n, uint32_t i, const struct index_rank *rank, uint32_t at) {
    memmove(&n->ranks[i + 1], &n->ranks[i], (n->count - i) * sizeof *n->ranks);
    memmove(&n->at[i + 1], &n->at[i], (n->count - i) * sizeof *n->at);
    n->ranks[i] = *rank;
    n->at[i] = at;
    n->count++;
}

static void drop_at(struct order_node *n, uint32_t i) {
    n->count--;
    memmove(&n->ranks[i], &n->ranks[i + 1], (n->count - i) * sizeof *n->ranks);
    memmove(&n->at[i], &n->at[i + 1], (n->count - i) * sizeof *n->at);
}

/* Appends what is in one node from a place on to another. */
static void move_from(struct static_order *line, uint32_t from, uint32_t place, uint32_t to) {
    struct order_node *a = &line->nodes.at[from], *b = &line->nodes.at[to];
    uint32_t moved = a->count - place;
    memcpy(&b->ranks[b->count], &a->ranks[place], moved * sizeof *a->ranks);
    memcpy(&b->at[b->count], &a->at[place], moved * sizeof *a->at);
    b->count += moved;
    a->count = place;
}

/* --- changes --- */

/* The half of a full node that goes into a new one behind it. */
static uint32_t split(struct static_order *line, uint32_t node) {
    uint32_t half = new_node(line, line->nodes.at[node].leaf);
    move_from(line, node, ORDER_MOST / 2, half);
    sum_traits(line, node);
    sum_traits(line, half);
    return half;
}

/* Returns the node that the given one was split into, or ORDER_NONE. */
static uint32_t insert(struct static_order *line, uint32_t node, const struct index_rank *rank,
                       uint32_t kind) {
    struct order_node *n = &line->nodes.at[node];
    if (n->leaf) {
        put_at(n, place_behind(n, rank), rank, kind);
    } else {
        uint32_t i = child_of(n, rank);
        if (index_before(rank, &n->ranks[i]))
            n->ranks[i] = *rank;
        uint32_t half = insert(line, n->at[i], rank, kind);
        n = &line->nodes.at[node];
        if (half != ORDER_NONE)
            put_at(n, i + 1, &line->nodes.at[half].ranks[0], half);
    }
    join_traits(line, node, traits_of_kind(line, kind));
    return line->nodes.at[node].count == ORDER_MOST ? split(line, node) : ORDER_NONE;
}

void static_order_add(struct static_order *line, const struct index_rank *rank, uint32_t kind) {
    if (line->nodes.count == 0)
        line->root = new_node(line, true);
    line->count++;
    uint32_t old = line->root, half = insert(line, old, rank, kind);
    if (half == ORDER_NONE)
        return;
    line->root = new_node(line, false);
    struct order_node *n = &line->nodes.at[line->root];
    put_at(n, 0, &line->nodes.at[old].ranks[0], old);
    put_at(n, 1, &line->nodes.at[half].ranks[0], half);
    sum_traits(line, line->root);
}

/* A child has lost a job: out if it is empty, and together with the next if both have little. */
static void tidy_child(struct static_order *line, uint32_t node, uint32_t i) {
    struct order_node *n = &line->nodes.at[node];
    uint32_t child = n->at[i], next = i + 1 < n->count ? n->at[i + 1] : ORDER_NONE;
    uint32_t count = line->nodes.at[child].count;
    if (count == 0) {
        array_push(&line->unused, child);
        drop_at(n, i);
    } else if (next != ORDER_NONE && count + line->nodes.at[next].count < ORDER_MOST / 2) {
        move_from(line, next, 0, child);
        sum_traits(line, child);
        array_push(&line->unused, next);
        drop_at(n, i + 1);
    }
}

static void take_out(struct static_order *line, uint32_t node, const struct index_rank *rank) {
    struct order_node *n = &line->nodes.at[node];
    if (n->leaf) {
        drop_at(n, place_behind(n, rank) - 1);
    } else {
        uint32_t i = child_of(n, rank);
        take_out(line, n->at[i], rank);
        tidy_child(line, node, i);
    }
    sum_traits(line, node);
}

void static_order_remove(struct static_order *line, const struct index_rank *rank) {
    take_out(line, line->root, rank);
    line->count--;
    for (struct order_node *n = &line->nodes.at[line->root]; !n->leaf && n->count <= 1;
         n = &line->nodes.at[line->root]) {
        array_push(&line->unused, line->root);
        line->root = n->count == 1 ? n->at[0] : new_node(line, true);
    }
}

static void change_below(struct static_order *line, uint32_t node, const struct index_rank *rank,
                         uint32_t kind) {
    struct order_node *n = &line->nodes.at[node];
    if (n->leaf)
        n->at[place_behind(n, rank) - 1] = kind;
    else
        change_below(line, n->at[child_of(n, rank)], rank, kind);
    sum_traits(line, node);
}

void static_order_change(struct static_order *line, const struct index_rank *rank, uint32_t kind) {
    change_below(line, line->root, rank, kind);
}

/* --- looking --- */

static bool next_below(const struct static_order *line, uint32_t node,
                       const struct index_rank *after, const uint64_t *mask,
                       struct order_place *ret) {
    const struct order_node *n = &line->nodes.at[node];
    uint32_t first = !after ? 0 : n->leaf ? place_behind(n, after) : child_of(n, after);
    for (uint32_t i = first; i < n->count; i++) {
        if (mask && !have_common(traits_below(line, n, i), mask, line->words))
            continue;
        if (n->leaf) {
            *ret = (struct order_place){n->ranks[i], n->at[i]};
            return true;
        }
        if (next_below(line, n->at[i], i == first ? after : NULL, mask, ret))
            return true;
    }
    return false;
}

bool static_order_next(const struct static_order *line, const struct index_rank *after,
                       const uint64_t *mask, struct order_place *ret) {
    return line->count > 0 && next_below(line, line->root, after, mask, ret);
}

/* --- waits --- */

void order_waits_finish(struct order_waits *waits) {
    intern_finish(&waits->ways);
    free(waits->open.at);
    free(waits->enders.at);
    *waits = (struct order_waits){0};
}

/* The trait of those who can start in a way; the next is that of those who ask for room in it. */
static uint32_t trait_of_way(uint32_t way) {
    return TRAIT_COUNT + 2 * way;
}

uint32_t order_waits_add_kind(struct order_waits *waits, struct static_order *line,
                              const struct groups *groups, uint32_t group, uint32_t stands) {
    size_t count;
    const struct group_way *ways = groups_ways(groups, group, &count);
    for (size_t i = 0; i < count; i++) {
        bool is_new;
        intern(&waits->ways, &ways[i], sizeof ways[i], &is_new);
        waits->stamp = is_new ? 0 : waits->stamp;
    }
    uint32_t kind = static_order_add_kind(line, trait_of_way((uint32_t)waits->ways.entries.count));
    if (stands < TRAIT_COUNT)
        static_order_set_trait(line, kind, stands);
    for (size_t i = 0; i < count; i++) {
        uint32_t trait = trait_of_way(intern(&waits->ways, &ways[i], sizeof ways[i], NULL));
        static_order_set_trait(line, kind, trait);
        if (stands == TRAIT_ASKS)
            static_order_set_trait(line, kind, trait + 1);
    }
    return kind;
}

static void open_trait(struct order_waits *waits, uint32_t trait) {
    waits->open.at[trait / 64] |= UINT64_C(1) << trait % 64;
}

/* Without a bound every job that asks is visited; with one those for whom it leaves a way. */
static void open_ways(struct order_waits *waits, const struct easim_pass *pass,
                      const struct easim_list *ops, bool asks) {
    uint32_t most[CLUSTER_MAX_TYPES]; /* GPUs that there can be room for, by type */
    bool bounded = asks && ops->room_most;
    if (asks && !bounded)
        open_trait(waits, TRAIT_ASKS);
    for (uint32_t h = 0; bounded && h < pass->view->gpu_type_count; h++)
        most[h] = ops->room_most(pass, h);
    for (uint32_t i = 0; i < waits->ways.entries.count; i++) {
        const struct group_way *way = waits->ways.entries.at[i].key;
        if (way->level != pass->level)
            continue;
        int span = easim_room(pass->view, way->gpu_type, way->k, way->milli);
        if (span >= 0 && (way->spans >> span & 1))
            open_trait(waits, trait_of_way(i));
        if (bounded && way->k <= most[way->gpu_type])
            open_trait(waits, trait_of_way(i) + 1);
    }
}

void order_waits_find_open(struct order_waits *waits, const struct static_order *line,
                           const struct easim_pass *pass, const struct easim_list *ops, bool asks,
                           bool displaces) {
    waits->open.count = 0;
    while (waits->open.count <= line->words)
        array_push(&waits->open, UINT64_C(0));
    open_ways(waits, pass, ops, asks && static_order_has(line, TRAIT_ASKS));
    if (displaces)
        open_trait(waits, TRAIT_DISPLACES);
}

const uint64_t *order_waits_enders(struct order_waits *waits, const struct static_order *line,
                                   bool displaces) {
    waits->enders.count = 0;
    while (waits->enders.count <= line->words)
        array_push(&waits->enders, UINT64_C(0));
    waits->enders.at[0] =
        UINT64_C(1) << TRAIT_ORDINARY | (displaces ? 0 : UINT64_C(1) << TRAIT_DISPLACES);
    return waits->enders.at;
}
