/* Attribution: see attribution.h. A piece is the part of a segment in one bucket. The leaves of the
   tree get the pieces, and shares of GPU time without a job. Then rows are made of leaves. */
#include "insight/attribution/attribution.h"

#include "base/numfmt.h"
#include "base/str.h"
#include "base/units.h"

#include <stdlib.h>
#include <string.h>

/* --- attribution_path --- */

static int attribution_path_find(struct attribution_path *path, const struct workload *workload,
                                 struct error *reterr) MUST_CHECK;

#define LABEL "label."

static const char *const words[] = {
    [PATH_USER] = "user",   [PATH_MODEL] = "model",       [PATH_JOB] = "job",
    [PATH_CLASS] = "class", [PATH_GPU_TYPE] = "gpu_type", [PATH_TIME] = "time"};

#define EXPECTED "user, model, job, class, gpu_type, time or label.NAME"

static int refuse_word(const char *word, struct arena *arena, struct error *reterr) {
    size_t count = sizeof words / sizeof *words;
    const char *known[sizeof words / sizeof *words + 1];
    memcpy(known, words, sizeof words);
    known[count] = "label";
    return error_set(reterr, ERROR_INPUT, "expected " EXPECTED ", got \"%.80s\"%s", word,
                     str_suggestion(arena, word, known, count + 1));
}

static int read_element(struct path_element *element, struct arena *arena, struct error *reterr) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(element->name, words[i]) == 0) {
            element->kind = (enum path_kind)i;
            return 0;
        }
    element->kind = PATH_LABEL;
    return strncmp(element->name, LABEL, strlen(LABEL)) == 0 && element->name[strlen(LABEL)]
               ? 0
               : refuse_word(element->name, arena, reterr);
}

/* Up to the next slash, or the end, where *at then is; a backslash escapes the next character. */
static const char *read_name(const char **at, struct arena *arena) {
    char *name = arena_alloc(arena, strlen(*at) + 1), *to = name;
    for (; **at && **at != '/'; (*at)++) {
        if (**at == '\\' && (*at)[1])
            (*at)++;
        *to++ = **at;
    }
    *to = '\0';
    return name;
}

static bool comes_before(const struct attribution_path *path, const char *name) {
    for (size_t i = 0; i < path->count; i++)
        if (strcmp(path->at[i].name, name) == 0)
            return true;
    return false;
}

int attribution_path_read(struct attribution_path *path, const char *text, struct arena *arena,
                          struct error *reterr) {
    struct attribution_path read = {.count = 0};
    if (!*text)
        return error_set(reterr, ERROR_INPUT, "expected " EXPECTED ", got nothing");
    for (const char *at = text;; at++) {
        struct path_element element = {.name = read_name(&at, arena)};
        if (!*element.name)
            return error_set(reterr, ERROR_INPUT, "an element of \"%.200s\" is empty", text);
        if (read.count == ATTRIBUTION_MOST_LEVELS)
            return error_set(reterr, ERROR_INPUT, "expected at most %d elements",
                             ATTRIBUTION_MOST_LEVELS);
        if (comes_before(&read, element.name))
            return error_set(reterr, ERROR_INPUT, "\"%.80s\" comes twice", element.name);
        if (read_element(&element, arena, reterr) < 0)
            return ERROR_INPUT;
        read.at[read.count++] = element;
        if (!*at)
            break;
    }
    *path = read;
    return 0;
}

static int refuse_label(const char *name, const struct workload *workload, struct error *reterr) {
    struct arena arena = {0};
    const char **names = arena_alloc(&arena, (workload->label_names.count + 1) * sizeof *names);
    const char *list = workload->label_names.count > 0 ? "" : "none";
    for (size_t i = 0; i < workload->label_names.count; i++) {
        names[i] = workload->label_names.at[i];
        list = arena_printf(&arena, "%s%s%.80s", list, i ? ", " : "", names[i]);
    }
    (void)error_set(reterr, ERROR_INPUT, "no label \"%.80s\" in the workload (there are: %s)%s",
                    name, list, str_suggestion(&arena, name, names, workload->label_names.count));
    arena_finish(&arena);
    return ERROR_INPUT;
}

/* Looks up its labels. ERROR_INPUT: the workload has not got one. */
static int attribution_path_find(struct attribution_path *path, const struct workload *workload,
                                 struct error *reterr) {
    for (size_t i = 0; i < path->count; i++) {
        struct path_element *e = &path->at[i];
        uint32_t label = 0;
        while (e->kind == PATH_LABEL && label < workload->label_names.count &&
               strcmp(workload->label_names.at[label], e->name + strlen(LABEL)) != 0)
            label++;
        if (e->kind == PATH_LABEL && label == workload->label_names.count)
            return refuse_label(e->name + strlen(LABEL), workload, reterr);
        e->label = label;
    }
    return 0;
}

bool attribution_path_has(const struct attribution_path *path, enum path_kind kind) {
    for (size_t i = 0; i < path->count; i++)
        if (path->at[i].kind == kind)
            return true;
    return false;
}

/* --- attribution --- */

#define MOST_CELLS 10000000

enum { CLASS_SERVICE = 2 }; /* after false and true: whether a job is of class sla */
static const char *const class_names[] = {"best_effort", "sla", [CLASS_SERVICE] = "service"};

const char *const idle_rule_names[] = {"none", "by-use", "by-entitlement", NULL};

struct leaf {
    uint32_t values[ATTRIBUTION_MOST_LEVELS];
    struct attribution_sums sums;
    size_t row;
};

/* A user in a cell: a key, of which every byte counts. */
struct seat {
    uint64_t cell, user;
};

/* That a job has a part in a leaf. */
struct stake {
    uint32_t job, leaf;
};

struct work {
    struct attribution *result;
    const struct recorded_run *run;
    struct cells cells;
    struct step_integral steps;
    struct intern leaf_keys;
    ARRAY_OF(struct leaf) leaves;
    ARRAY_OF(struct stake) stakes; /* by job */
    struct intern seats;           /* with use, of IDLE_BY_ENTITLEMENT */
    ARRAY_OF(int128) seat_used_ps;
    double weights; /* of all users */
};

/* The part of a segment in one bucket. */
struct attribution_piece {
    const struct recorded_segment *segment;
    int64_t from_ns, to_ns;
    uint32_t gpu_type;
    int128 used_ps;
};

/* ---- Pieces ---- */

static void each_piece(struct work *work,
                       void (*take)(struct work *work, const struct attribution_piece *)) {
    const struct recorded_run *run = work->run;
    for (size_t i = 0; i < run->segments.count; i++) {
        const struct recorded_segment *s = &run->segments.at[i];
        const struct easim_config *config = recorded_run_config(run, s);
        int64_t from_ns = s->start_ns > work->cells.from_ns ? s->start_ns : work->cells.from_ns;
        int64_t to_ns = s->end_ns < work->cells.to_ns ? s->end_ns : work->cells.to_ns;
        while (config && from_ns < to_ns) {
            int64_t end_ns = cells_end_ns(&work->cells, from_ns);
            end_ns = end_ns < to_ns ? end_ns : to_ns;
            int128 used_ps = (int128)recorded_run_milli(run, s) * (end_ns - from_ns);
            take(work, &(struct attribution_piece){s, from_ns, end_ns, config->gpu_type, used_ps});
            from_ns = end_ns;
        }
    }
}

/* A part in time of what is spread evenly over a segment. */
static int128 share_of(int128 whole, int64_t part_ns, int64_t whole_ns) {
    return whole / whole_ns * part_ns + whole % whole_ns * part_ns / whole_ns;
}

/* ---- Leaves ---- */

static uint32_t label_value(struct work *work, const struct job_spec *job, uint32_t label) {
    const char *text = job->labels && job->labels[label] ? job->labels[label] : "";
    return intern(&work->result->labels, text, strlen(text), NULL);
}

static uint32_t value_of(struct work *work, const struct path_element *element, uint32_t job,
                         const struct attribution_piece *piece) {
    const struct job_spec *spec = &work->run->workload.jobs.at[job];
    switch (element->kind) {
    case PATH_USER:
        return spec->user;
    case PATH_MODEL:
        return spec->kind == JOB_KIND_RIGID ? ATTRIBUTION_RIGID : spec->model;
    case PATH_JOB:
        return job;
    case PATH_CLASS:
        return recorded_run_is_replica(work->run, job) ? CLASS_SERVICE : spec->sla;
    case PATH_GPU_TYPE:
        return piece->gpu_type;
    case PATH_TIME:
        return (uint32_t)((size_t)(cells_at(&work->cells, piece->from_ns, 0) - work->cells.at) /
                          work->cells.types);
    case PATH_LABEL:
        return label_value(work, spec, element->label);
    }
    return ATTRIBUTION_NOBODY;
}

static uint32_t leaf_of(struct work *work, const uint32_t values[ATTRIBUTION_MOST_LEVELS]) {
    bool is_new;
    size_t count = work->result->request.path.count;
    uint32_t leaf = intern(&work->leaf_keys, values, count * sizeof *values, &is_new);
    if (is_new)
        memcpy(array_add(&work->leaves)->values, values, count * sizeof *values);
    return leaf;
}

static struct leaf *leaf_of_piece(struct work *work, const struct attribution_piece *piece) {
    const struct attribution_path *path = &work->result->request.path;
    uint32_t values[ATTRIBUTION_MOST_LEVELS], job = piece->segment->job;
    for (size_t i = 0; i < path->count; i++)
        values[i] = value_of(work, &path->at[i], job, piece);
    uint32_t leaf = leaf_of(work, values);
    size_t n = work->stakes.count;
    if (n == 0 || work->stakes.at[n - 1].job != job || work->stakes.at[n - 1].leaf != leaf)
        array_push(&work->stakes, ((struct stake){job, leaf}));
    return &work->leaves.at[leaf];
}

/* A leaf without a job: bucket and GPU type are known, and the user unless it is EASIM_NONE. */
static struct leaf *leaf_of_nobody(struct work *work, size_t cell, uint32_t user) {
    const struct attribution_path *path = &work->result->request.path;
    uint32_t values[ATTRIBUTION_MOST_LEVELS];
    for (size_t i = 0; i < path->count; i++) {
        enum path_kind kind = path->at[i].kind;
        values[i] = kind == PATH_USER       ? user
                    : kind == PATH_GPU_TYPE ? (uint32_t)(cell % work->cells.types)
                    : kind == PATH_TIME     ? (uint32_t)(cell / work->cells.types)
                                            : ATTRIBUTION_NOBODY;
    }
    uint32_t leaf = leaf_of(work, values); /* which may move them */
    return &work->leaves.at[leaf];
}

/* ---- Sums ---- */

static void add_cell(struct attribution_sums *sums, const struct cell *cell, double share) {
    sums->idle_gpu_s += power_gpu_s(cell->idle_ps) * share;
    sums->idle_j += power_j(cell->idle_energy) * share;
    for (int p = 0; p < NODE_PARTS; p++)
        sums->part_j[p] += power_j(cell->part_energy[p]) * share;
    sums->fabric_j += power_j(cell->fabric_energy) * share;
    sums->step.co2_kg += cell->apart.co2_kg * share;
    sums->step.cost += cell->apart.cost * share;
}

static struct seat seat_of(const struct work *work, const struct attribution_piece *piece) {
    const struct cell *cell = cells_at(&work->cells, piece->from_ns, piece->gpu_type);
    return (struct seat){(uint64_t)(cell - work->cells.at),
                         work->run->workload.jobs.at[piece->segment->job].user};
}

static void count_seat(struct work *work, const struct attribution_piece *piece) {
    struct seat seat = seat_of(work, piece);
    bool is_new;
    uint32_t number = intern(&work->seats, &seat, sizeof seat, &is_new);
    if (is_new)
        array_push(&work->seat_used_ps, 0);
    work->seat_used_ps.at[number] += piece->used_ps;
}

/* The share of a piece in its cell, by the rule. */
static double share_of_piece(const struct work *work, const struct attribution_piece *piece) {
    const struct cell *cell = cells_at(&work->cells, piece->from_ns, piece->gpu_type);
    if (work->result->request.idle == IDLE_BY_USE)
        return (double)piece->used_ps / (double)cell->used_ps;
    if (work->result->request.idle == IDLE_NONE)
        return 0;
    struct seat seat = seat_of(work, piece);
    int128 of_user = work->seat_used_ps.at[intern_find(&work->seats, &seat, sizeof seat)];
    return work->run->workload.users.at[seat.user].weight / work->weights *
           ((double)piece->used_ps / (double)of_user);
}

static void add_piece(struct work *work, const struct attribution_piece *piece) {
    const struct recorded_segment *s = piece->segment;
    struct attribution_sums *sums = &leaf_of_piece(work, piece)->sums;
    int64_t part_ns = piece->to_ns - piece->from_ns, whole_ns = s->end_ns - s->start_ns;
    int128 energy = share_of(s->energy, part_ns, whole_ns);
    struct step_sum of_1w = step_integral_find(&work->steps, piece->from_ns, piece->to_ns);
    struct model_counts counts = model_counts_of(work->run, s);
    double w = power_j(s->energy) / units_s(whole_ns), share = share_of_piece(work, piece);
    sums->used_ps += piece->used_ps;
    sums->energy += energy;
    sums->step.co2_kg += of_1w.co2_kg * w;
    sums->step.cost += of_1w.cost * w;
    model_counts_add(&sums->counts, &counts, (double)part_ns / (double)whole_ns);
    if (share > 0)
        add_cell(sums, cells_at(&work->cells, piece->from_ns, piece->gpu_type), share);
}

/* Adds the entitlements of users who have not used the cell. */
static void add_absent(struct work *work, size_t cell) {
    const struct workload *workload = &work->run->workload;
    for (uint32_t user = 0; user < workload->users.count; user++) {
        const struct seat seat = {cell, user};
        if (intern_find(&work->seats, &seat, sizeof seat) == INTERN_NONE)
            add_cell(&leaf_of_nobody(work, cell, user)->sums, &work->cells.at[cell],
                     workload->users.at[user].weight / work->weights);
    }
}

static void add_cells(struct work *work) {
    enum idle_rule rule = work->result->request.idle;
    for (size_t i = 0; i < work->cells.buckets * work->cells.types; i++) {
        const struct cell *cell = &work->cells.at[i];
        if (cell->failed_ps > 0)
            leaf_of_nobody(work, i, EASIM_NONE)->sums.failed_gpu_s += power_gpu_s(cell->failed_ps);
        if (rule == IDLE_BY_ENTITLEMENT)
            add_absent(work, i);
        else if (rule == IDLE_NONE || cell->used_ps == 0)
            add_cell(&leaf_of_nobody(work, i, EASIM_NONE)->sums, cell, 1);
    }
}

/* ---- Rows ---- */

static void add_sums(struct attribution_sums *to, const struct attribution_sums *from) {
    to->used_ps += from->used_ps;
    to->energy += from->energy;
    to->idle_gpu_s += from->idle_gpu_s;
    to->failed_gpu_s += from->failed_gpu_s;
    to->idle_j += from->idle_j;
    for (int p = 0; p < NODE_PARTS; p++)
        to->part_j[p] += from->part_j[p];
    to->fabric_j += from->fabric_j;
    to->step.co2_kg += from->step.co2_kg;
    to->step.cost += from->step.cost;
    model_counts_add(&to->counts, &from->counts, 1);
}

/* Labels by their bytes, all others in the order of the scenario; rows without a value last. */
static int by_path(const void *left, const void *right, void *context) {
    const struct leaf *const *a = left, *const *b = right;
    const struct attribution *attribution = context;
    for (size_t i = 0; i < attribution->request.path.count; i++) {
        uint32_t x = (*a)->values[i], y = (*b)->values[i];
        if (x == y)
            continue;
        bool as_text = attribution->request.path.at[i].kind == PATH_LABEL &&
                       x != ATTRIBUTION_NOBODY && y != ATTRIBUTION_NOBODY;
        return as_text ? strcmp(attribution_text(attribution, i, x),
                                attribution_text(attribution, i, y))
               : x < y ? -1
                       : 1;
    }
    return 0;
}

static size_t add_row(struct attribution *attribution, struct leaf *leaf, uint32_t level,
                      size_t parent) {
    struct attribution_row *row = array_add(&attribution->rows);
    row->level = level;
    row->parent = parent;
    row->sums = level == attribution->request.path.count
                    ? &leaf->sums
                    : arena_alloc(&attribution->arena, sizeof *row->sums);
    memcpy(row->values, leaf->values, level * sizeof *row->values);
    for (uint32_t i = 0; i < level; i++)
        row->nobody |= row->values[i] == ATTRIBUTION_NOBODY;
    return attribution->rows.count - 1;
}

/* The rows above the leaf that differ from those above the one before it. */
static void add_rows(struct attribution *attribution, struct leaf *leaf, size_t *open) {
    uint32_t count = (uint32_t)attribution->request.path.count, level = 0;
    while (level < count && open[level + 1] != SIZE_MAX &&
           attribution->rows.at[open[level + 1]].values[level] == leaf->values[level])
        level++;
    for (; level < count; level++) {
        open[level + 1] = add_row(attribution, leaf, level + 1, open[level]);
        for (uint32_t below = level + 2; below <= count; below++)
            open[below] = SIZE_MAX;
    }
    leaf->row = open[count];
    for (uint32_t i = 0; i < count; i++)
        add_sums(attribution->rows.at[open[i]].sums, &leaf->sums);
}

/* Counts the jobs that have a part in each row. */
static void count_jobs(struct work *work) {
    struct attribution *attribution = work->result;
    uint32_t *last = mem_alloc(attribution->rows.count * sizeof *last); /* job counted, by row */
    for (size_t i = 0; i < attribution->rows.count; i++)
        last[i] = EASIM_NONE;
    for (size_t i = 0; i < work->stakes.count; i++) {
        const struct stake *stake = &work->stakes.at[i];
        size_t row = work->leaves.at[stake->leaf].row;
        while (last[row] != stake->job) {
            last[row] = stake->job;
            attribution->rows.at[row].jobs++;
            row = attribution->rows.at[row].parent;
        }
    }
    free(last);
}

static void make_rows(struct work *work) {
    struct attribution *attribution = work->result;
    size_t count = work->leaves.count, open[ATTRIBUTION_MOST_LEVELS + 1];
    struct leaf **sorted = mem_alloc((count + 1) * sizeof(struct leaf *));
    struct leaf none = {.row = 0};
    attribution->leaves = work->leaves.at;
    for (size_t i = 0; i < count; i++)
        sorted[i] = &work->leaves.at[i];
    qsort_r(sorted, count, sizeof(struct leaf *), by_path, attribution);
    open[0] = add_row(attribution, &none, 0, 0);
    for (size_t i = 1; i <= ATTRIBUTION_MOST_LEVELS; i++)
        open[i] = SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        add_rows(attribution, sorted[i], open);
    free(sorted);
    count_jobs(work);
}

/* ---- All of it ---- */

static int check_size(const struct recorded_run *run, const struct attribution_request *request,
                      struct error *reterr) {
    size_t buckets = cells_buckets(run, request->bucket_ns);
    size_t types = run->folder->cluster.gpu_type_count,
           users = request->idle == IDLE_BY_ENTITLEMENT ? run->workload.users.count : 1;
    if (buckets == 0 || (double)buckets * (double)types * (double)users <= MOST_CELLS)
        return 0;
    return error_set(reterr, ERROR_INPUT,
                     "expected longer buckets: %zu of them, %zu GPU types and %zu users are more "
                     "than %d cells",
                     buckets, types, users, MOST_CELLS);
}

/* A segment has one power, unless a cap slows its job: then only all of it is known. */
static int check_limits(const struct work *work, struct error *reterr) {
    const struct recorded_run *run = work->run;
    char from[NUMFMT_BYTES], to[NUMFMT_BYTES], bucket[NUMFMT_BYTES];
    for (size_t i = 0; i < run->limits.count; i++) {
        const struct recorded_segment *s = &run->segments.at[i];
        int64_t from_ns = s->start_ns > work->cells.from_ns ? s->start_ns : work->cells.from_ns,
                end_ns = from_ns < s->end_ns ? cells_end_ns(&work->cells, from_ns) : s->end_ns;
        if (run->limits.at[i].throttled_ns == 0 || end_ns >= s->end_ns)
            continue;
        numfmt_ns(from, s->start_ns);
        numfmt_ns(to, s->end_ns);
        numfmt_ns(bucket, end_ns);
        return error_set(reterr, ERROR_INPUT,
                         "expected no bucket that ends within %s..%s s, got one at %s s: the cap "
                         "slows job %s then, so only its whole energy is recorded",
                         from, to, bucket, run->workload.jobs.at[s->job].id);
    }
    return 0;
}

static void work_finish(struct work *work) {
    cells_finish(&work->cells);
    step_integral_finish(&work->steps);
    intern_finish(&work->leaf_keys);
    intern_finish(&work->seats);
    free(work->stakes.at);
    free(work->seat_used_ps.at);
}

int attribution_find(struct attribution *attribution, const struct recorded_run *run,
                     const struct attribution_request *request, struct error *reterr) {
    struct work work = {.result = attribution, .run = run};
    *attribution = (struct attribution){.run = run, .request = *request};
    if (attribution_path_find(&attribution->request.path, &run->workload, reterr) < 0 ||
        check_size(run, request, reterr) < 0)
        return ERROR_INPUT;
    cells_find(&work.cells, run, request->bucket_ns);
    int r = check_limits(&work, reterr);
    if (r < 0) {
        work_finish(&work);
        return r;
    }
    step_integral_init(&work.steps, run->folder);
    for (uint32_t u = 0; u < run->workload.users.count; u++)
        work.weights += run->workload.users.at[u].weight;
    if (request->idle == IDLE_BY_ENTITLEMENT)
        each_piece(&work, count_seat);
    each_piece(&work, add_piece);
    add_cells(&work);
    make_rows(&work);
    work_finish(&work);
    return 0;
}

void attribution_finish(struct attribution *attribution) {
    intern_finish(&attribution->labels);
    free(attribution->rows.at);
    free(attribution->leaves);
    arena_finish(&attribution->arena);
    *attribution = (struct attribution){0};
}

const char *attribution_text(const struct attribution *attribution, size_t element,
                             uint32_t value) {
    const struct workload *workload = &attribution->run->workload;
    const struct recorded_folder *folder = attribution->run->folder;
    if (value == ATTRIBUTION_NOBODY || value == ATTRIBUTION_RIGID)
        return "";
    switch (attribution->request.path.at[element].kind) {
    case PATH_USER:
        return workload->users.at[value].name;
    case PATH_MODEL:
        return folder->models.models[value].name;
    case PATH_JOB:
        return workload->jobs.at[value].id;
    case PATH_CLASS:
        return class_names[value];
    case PATH_GPU_TYPE:
        return folder->cluster.gpu_types[value].name;
    case PATH_LABEL:
        return intern_text(&attribution->labels, value);
    case PATH_TIME:
        break;
    }
    return "";
}

int64_t attribution_from_ns(const struct attribution *attribution, uint32_t value) {
    int64_t bucket_ns = attribution->request.bucket_ns;
    int64_t warmup_ns = attribution->run->workload.warmup_ns;
    return bucket_ns == INT64_MAX ? 0 : (warmup_ns / bucket_ns + value) * bucket_ns;
}

double attribution_base_j(const struct attribution_sums *sums) {
    double base_j = sums->fabric_j;
    for (int p = 0; p < NODE_PARTS; p++)
        base_j += sums->part_j[p];
    return base_j;
}

double attribution_energy_j(const struct attribution_sums *sums) {
    return power_j(sums->energy) + sums->idle_j + attribution_base_j(sums);
}
