/* Kernels of all ranks by name, and how near they come to the peaks of their GPU. Invariant: the
   work of an operator counts once, over the time of all its kernels. */
#include "ingest/trace/findings.h"

#include "base/mem.h"

#include <math.h>

#define NEITHER_SHARE   0.25
#define CHANGED_SHARE   0.10
#define OF_WINDOW_SHARE 0.01

const char *const trace_bound_names[BOUND_COUNT] = {TRACE_BOUNDS(NAME_OF)};

/* The operator of a kernel: the innermost one around its launch that has sizes. */
static uint32_t sized_operator(const struct trace_rank *rank, const struct trace_gpu *gpu) {
    uint32_t op = gpu->op;
    while (op != TRACE_NONE && rank->ops.at[op].shape == TRACE_NONE)
        op = rank->ops.at[op].parent;
    return op;
}

/* The innermost operator around it, with or without sizes. */
static uint32_t near_operator(const struct trace_rank *rank, const struct trace_gpu *gpu) {
    uint32_t op = gpu->op;
    while (op != TRACE_NONE && rank->ops.at[op].category != KINETO_OPERATOR)
        op = rank->ops.at[op].parent;
    return op;
}

/* Work of operators by name and sizes, so that each text is read once. */
struct works {
    struct intern keys;
    ARRAY_OF(struct trace_work) all;
    ARRAY_OF(uint32_t) kernel_of_name; /* of the rank: 1 + its number, 0: none yet */
};

static const struct trace_work *work_of(struct works *works, const struct trace_rank *rank,
                                        uint32_t op) {
    const uint32_t key[] = {rank->ops.at[op].name, rank->ops.at[op].shape};
    bool is_new;
    uint32_t number = intern(&works->keys, key, sizeof key, &is_new);
    if (is_new)
        trace_operator_work(rank, &rank->ops.at[op], array_add(&works->all));
    return &works->all.at[number];
}

static struct trace_kernel *kernel_of(struct trace_kernels *kernels, struct works *works,
                                      const struct trace_rank *rank, uint32_t name) {
    while (works->kernel_of_name.count <= name)
        array_push(&works->kernel_of_name, 0);
    uint32_t *known = &works->kernel_of_name.at[name];
    if (*known == 0) {
        const char *text = intern_text(&rank->names, name);
        bool is_new;
        *known = 1 + intern(&kernels->names, text, strlen(text), &is_new);
        if (is_new)
            *array_add(&kernels->all) =
                (struct trace_kernel){.name = intern_text(&kernels->names, *known - 1),
                                      .family = FAMILY_COUNT,
                                      .precision = PRECISION_COUNT,
                                      .before_ns = NAN};
    }
    return &kernels->all.at[*known - 1];
}

static bool counts(const struct trace_rank *rank, const struct trace_gpu *gpu) {
    return trace_of_steps(rank, gpu) && trace_class(rank, gpu) == KINETO_COMPUTE;
}

/* Time of the kernels of each operator with sizes. */
static int64_t *operator_times(const struct trace_rank *rank) {
    int64_t *times = mem_zalloc(rank->ops.count + 1, sizeof *times);
    for (size_t i = 0; i < rank->gpu.count; i++) {
        const struct trace_gpu *gpu = &rank->gpu.at[i];
        uint32_t op = counts(rank, gpu) ? sized_operator(rank, gpu) : TRACE_NONE;
        if (op != TRACE_NONE)
            times[op] += gpu->end_ns - gpu->start_ns;
    }
    return times;
}

static void add_work(struct trace_kernels *kernels, struct trace_kernel *kernel,
                     const struct trace_work *work, int64_t length_ns, int64_t operator_ns) {
    double share = operator_ns > 0 ? (double)length_ns / (double)operator_ns : 0;
    if (!isnan(work->flop)) {
        kernel->flop += work->flop * share;
        kernel->flop_ns += length_ns;
        kernels->flop += work->flop * share;
        kernels->family_flop[work->family] += work->flop * share;
        kernel->precision = work->precision;
    }
    if (!isnan(work->bytes)) {
        kernel->bytes += work->bytes * share;
        kernel->bytes_ns += length_ns;
    }
    kernels->wrong += work->wrong;
}

static void add_event(struct trace_kernels *kernels, struct works *works,
                      const struct trace_rank *rank, const struct trace_gpu *gpu,
                      const int64_t *times) {
    struct trace_kernel *kernel = kernel_of(kernels, works, rank, gpu->name);
    uint32_t sized = sized_operator(rank, gpu), near = near_operator(rank, gpu);
    int64_t length_ns = gpu->end_ns - gpu->start_ns;
    if (kernel->family == FAMILY_COUNT || kernel->family == FAMILY_OTHER) {
        kernel->family = FAMILY_OTHER;
        if (near != TRACE_NONE)
            kernel->family = trace_family_of(intern_text(&rank->names, rank->ops.at[near].name));
        if (kernel->family == FAMILY_OTHER)
            kernel->family = trace_family_of(kernel->name);
    }
    kernel->count++;
    kernel->total_ns += length_ns;
    array_push(
        &kernels->durations,
        ((struct trace_duration){works->kernel_of_name.at[gpu->name] - 1,
                                 length_ns < UINT32_MAX ? (uint32_t)length_ns : UINT32_MAX}));
    if (sized != TRACE_NONE)
        add_work(kernels, kernel, work_of(works, rank, sized), length_ns, times[sized]);
}

void trace_kernels_add(struct trace_kernels *kernels, const struct trace_rank *rank,
                       const int64_t *path) {
    struct works works = {0};
    int64_t *times = operator_times(rank);
    for (size_t i = 0; i < rank->gpu.count; i++)
        if (counts(rank, &rank->gpu.at[i]))
            add_event(kernels, &works, rank, &rank->gpu.at[i], times);
    for (uint32_t name = 0; path && name < rank->names.entries.count; name++)
        if (path[name] > 0)
            kernel_of(kernels, &works, rank, name)->path_ns += path[name];
    kernels->window_ns += (double)(rank->window.end_ns - rank->window.start_ns);
    kernels->steps += (double)rank->trace->steps.count;
    kernels->ranks++;
    free(times);
    free(works.all.at);
    free(works.kernel_of_name.at);
    intern_finish(&works.keys);
}

/* ---- Ranking ---- */

ORDER_BY(by_kernel, struct trace_duration, ASC(kernel) ASC(length))
ORDER_BY(by_total, struct trace_kernel, DESC(total_ns) DESC(path_ns) TEXT_ASC(name))

static void find_quantiles(struct trace_kernels *kernels) {
    struct trace_duration *all = kernels->durations.at;
    sort_array(all, kernels->durations.count, by_kernel);
    for (size_t first = 0, end; first < kernels->durations.count; first = end) {
        for (end = first; end < kernels->durations.count && all[end].kernel == all[first].kernel;)
            end++;
        size_t count = end - first;
        struct trace_kernel *kernel = &kernels->all.at[all[first].kernel];
        kernel->p50_ns = all[first + (count - 1) / 2].length; /* nearest rank */
        kernel->p99_ns = all[first + (count * 99 + 99) / 100 - 1].length;
    }
    free(kernels->durations.at);
    kernels->durations.at = NULL;
    kernels->durations.count = kernels->durations.capacity = 0;
}

/* Kernels that compute in TF32 take inputs of float. */
static enum trace_precision precision_of(const struct trace_kernel *kernel) {
    bool is_tf32 = strstr(kernel->name, "tf32") || strstr(kernel->name, "TF32") ||
                   strstr(kernel->name, "s1688");
    return kernel->precision == PRECISION_FP32 && is_tf32 ? PRECISION_TF32 : kernel->precision;
}

static void judge_kernel(struct trace_kernel *kernel, const struct gpu_peaks *peaks) {
    kernel->precision = precision_of(kernel);
    if (kernel->flop_ns == 0)
        kernel->flop = NAN;
    if (kernel->bytes_ns == 0)
        kernel->bytes = NAN;
    static const enum gpu_peak of_precision[] = {[PRECISION_FP64] = PEAK_FP64,
                                                 [PRECISION_FP32] = PEAK_FP32,
                                                 [PRECISION_TF32] = PEAK_TF32,
                                                 [PRECISION_FP16] = PEAK_TENSOR_FP16,
                                                 [PRECISION_FP8] = PEAK_TENSOR_FP8};
    double flop_peak =
        kernel->precision < PRECISION_COUNT ? peaks->at[of_precision[kernel->precision]] : NAN;
    double memory_peak = peaks->at[PEAK_MEMORY];
    double computes =
        flop_peak > 0 ? kernel->flop / ((double)kernel->flop_ns / 1e9) / flop_peak : NAN;
    double moves =
        memory_peak > 0 ? kernel->bytes / ((double)kernel->bytes_ns / 1e9) / memory_peak : NAN;
    bool heavy = kernel->family == FAMILY_GEMM || kernel->family == FAMILY_ATTENTION ||
                 kernel->family == FAMILY_CONVOLUTION;
    kernel->roofline = fmax(computes, moves); /* of a NaN and a number the number */
    kernel->bound = heavy ? BOUND_COMPUTE : BOUND_MEMORY;
    if (isnan(kernel->roofline) || (heavy && isnan(computes)))
        return;
    if (kernel->roofline < NEITHER_SHARE)
        kernel->bound = BOUND_NEITHER;
    else
        kernel->bound = moves > computes || isnan(computes) ? BOUND_MEMORY : BOUND_COMPUTE;
}

void trace_kernels_rank(struct trace_kernels *kernels) {
    find_quantiles(kernels);
    for (size_t i = 0; i < kernels->all.count; i++) {
        struct trace_kernel *kernel = &kernels->all.at[i];
        if (kernel->family == FAMILY_COUNT)
            kernel->family = trace_family_of(kernel->name);
        judge_kernel(kernel, &kernels->peaks);
        kernels->total_ns += kernel->total_ns;
        kernels->family_ns[kernel->family] += kernel->total_ns;
        kernels->family_count[kernel->family] += kernel->count;
        kernels->family_path_ns[kernel->family] += kernel->path_ns;
        kernels->bound_ns[kernel->bound] += kernel->total_ns;
        kernels->bound_path_ns[kernel->bound] += kernel->path_ns;
    }
    sort_array(kernels->all.at, kernels->all.count, by_total);
}

/* Times are per step and rank if both sides have steps, else per rank. */
void trace_kernels_compare(struct trace_kernels *kernels, const struct trace_kernels *before) {
    bool by_step = kernels->steps > 0 && before->steps > 0;
    double now_by = by_step ? kernels->steps : (double)kernels->ranks;
    double then_by = by_step ? before->steps : (double)before->ranks;
    double least_ns = OF_WINDOW_SHARE * kernels->window_ns / now_by;
    size_t *places = mem_alloc((kernels->all.count + 1) * sizeof *places);
    for (size_t i = 0; i < kernels->all.count; i++) {
        const char *name = kernels->all.at[i].name;
        places[intern_find(&kernels->names, name, strlen(name))] = i;
        kernels->all.at[i].before_ns = 0;
    }
    for (size_t b = 0; b < before->all.count; b++) {
        const struct trace_kernel *then = &before->all.at[b];
        bool is_new;
        uint32_t name = intern(&kernels->names, then->name, strlen(then->name), &is_new);
        size_t i = is_new ? kernels->all.count : places[name];
        if (is_new) { /* it is gone */
            array_push(&kernels->all,
                       ((struct trace_kernel){.name = intern_text(&kernels->names, name),
                                              .family = then->family,
                                              .precision = then->precision,
                                              .bound = then->bound,
                                              .flop = NAN,
                                              .bytes = NAN,
                                              .roofline = NAN}));
        }
        kernels->all.at[i].before_ns = (double)then->total_ns / then_by;
    }
    free(places);
    for (size_t i = 0; i < kernels->all.count; i++) {
        struct trace_kernel *kernel = &kernels->all.at[i];
        double change_ns = fabs((double)kernel->total_ns / now_by - kernel->before_ns);
        kernel->changed = change_ns > CHANGED_SHARE * kernel->before_ns && change_ns > least_ns;
    }
}

void trace_kernels_finish(struct trace_kernels *kernels) {
    free(kernels->all.at);
    free(kernels->durations.at);
    intern_finish(&kernels->names);
    *kernels = (struct trace_kernels){0};
}
