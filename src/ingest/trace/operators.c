/* The work of operators, from the sizes of their inputs: family, floating-point operations, bytes.
   Invariant: a figure that the sizes do not give is unknown, never guessed. */
#include "ingest/trace/findings.h"

#include "io/json_text.h"

#include <math.h>

#define MOST_INPUTS 24
#define MOST_RANK   8

const char *const trace_family_names[FAMILY_COUNT] = {TRACE_FAMILIES(NAME_OF)};
const char *const trace_precision_names[PRECISION_COUNT] = {TRACE_PRECISIONS(NAME_OF)};

/* ---- Families ---- */

/* The first row of which a text is in the name, in small letters, decides. */
static const struct {
    enum trace_family family;
    const char *texts[10];
} families[] = {
    {FAMILY_ATTENTION, {"attention", "flash_", "fmha", "attn"}},
    {FAMILY_CONVOLUTION,
     {"convolution", "conv2d", "conv1d", "conv3d", "conv_", "dgrad", "wgrad", "fprop", "winograd"}},
    {FAMILY_EMBEDDING, {"embedding"}},
    {FAMILY_NORM, {"norm", "bn_fw", "bn_bw"}},
    {FAMILY_GEMM,
     {"gemm", "cijk_", "aten::mm", "addmm", "bmm", "matmul", "aten::linear", "cutlass", "gemv",
      "nvjet"}},
    {FAMILY_REDUCTION,
     {"reduce", "softmax", "aten::sum", "aten::mean", "aten::max", "argmax", "cumsum", "loss"}},
    {FAMILY_ELEMENTWISE,
     {"elementwise", "multi_tensor", "_foreach", "aten::add", "aten::mul", "aten::copy_", "relu",
      "gelu", "fill", "dropout"}},
};

void trace_lower(const char *text, char *ret_text, size_t size) {
    size_t length = 0;
    for (; text[length] && length + 1 < size; length++)
        ret_text[length] =
            text[length] >= 'A' && text[length] <= 'Z' ? (char)(text[length] + 32) : text[length];
    ret_text[length] = '\0';
}

enum trace_family trace_family_of(const char *name) {
    char text[256];
    trace_lower(name, text, sizeof text);
    /* the library of most embeddings, whose GEMMs have the word once more */
    for (char *at = text; (at = strstr(at, "fbgemm"));)
        memset(at, ' ', strlen("fbgemm"));
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        for (size_t k = 0; k < 10 && families[i].texts[k]; k++)
            if (strstr(text, families[i].texts[k]))
                return families[i].family;
    return FAMILY_OTHER;
}

/* ---- Sizes ---- */

struct tensor {
    int64_t sizes[MOST_RANK];
    size_t rank;
    int bytes; /* of an element; 0: not known */
};

struct inputs {
    struct tensor tensors[MOST_INPUTS];
    struct slice values[MOST_INPUTS]; /* without quotes; empty: not given */
    size_t count;
    enum trace_precision precision; /* of the first tensor of floating point */
};

static const struct {
    const char *name;
    int bytes;
    enum trace_precision precision; /* PRECISION_COUNT: no floating point */
} types[] = {
    {"float", 4, PRECISION_FP32},
    {"c10::BFloat16", 2, PRECISION_FP16},
    {"c10::Half", 2, PRECISION_FP16},
    {"double", 8, PRECISION_FP64},
    {"c10::Float8_e4m3fn", 1, PRECISION_FP8},
    {"c10::Float8_e5m2", 1, PRECISION_FP8},
    {"long int", 8, PRECISION_COUNT},
    {"long", 8, PRECISION_COUNT},
    {"int", 4, PRECISION_COUNT},
    {"short int", 2, PRECISION_COUNT},
    {"bool", 1, PRECISION_COUNT},
    {"unsigned char", 1, PRECISION_COUNT},
    {"signed char", 1, PRECISION_COUNT},
    {"c10::complex<float>", 8, PRECISION_COUNT},
};

static void read_sizes(struct slice text, struct inputs *in) {
    struct json_cursor cursor = json_inside(text);
    struct slice list, size;
    while (in->count < MOST_INPUTS && json_element(&cursor, &list)) {
        struct tensor *tensor = &in->tensors[in->count++];
        struct json_cursor inside = json_inside(list);
        while (tensor->rank < MOST_RANK && json_element(&inside, &size))
            if (!json_integer(size, &tensor->sizes[tensor->rank++]))
                tensor->sizes[tensor->rank - 1] = -1; /* a list of tensors */
    }
}

static void read_types(struct slice text, struct inputs *in) {
    struct json_cursor cursor = json_inside(text);
    struct slice type;
    for (size_t i = 0; i < in->count && json_element(&cursor, &type); i++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            if (slice_is(json_string(type), types[t].name)) {
                in->tensors[i].bytes = types[t].bytes;
                if (in->precision == PRECISION_COUNT && in->tensors[i].rank > 0)
                    in->precision = types[t].precision;
            }
}

static void read_inputs(const struct trace_rank *rank, uint32_t shape, struct inputs *in) {
    const struct intern_entry *entry = &rank->shapes.entries.at[shape];
    const char *sizes = entry->key, *end = sizes + entry->length;
    const char *first = memchr(sizes, TRACE_SHAPE_END, entry->length);
    const char *second = memchr(first + 1, TRACE_SHAPE_END, (size_t)(end - first - 1));
    *in = (struct inputs){.precision = PRECISION_COUNT};
    read_sizes((struct slice){sizes, (size_t)(first - sizes)}, in);
    read_types((struct slice){first + 1, (size_t)(second - first - 1)}, in);
    struct json_cursor cursor = json_inside((struct slice){second + 1, (size_t)(end - second - 1)});
    struct slice value;
    for (size_t i = 0; i < MOST_INPUTS && json_element(&cursor, &value); i++)
        in->values[i] = json_string(value);
}

/* ---- Products that may be too large ---- */

struct product {
    int64_t value;
    bool wrong; /* a factor is negative, or the product exceeds 63 bits */
};

static void times(struct product *p, int64_t factor) {
    p->wrong |= factor < 0 || __builtin_mul_overflow(p->value, factor, &p->value);
}

static struct product product_of(const int64_t *factors, size_t count) {
    struct product p = {1, false};
    for (size_t i = 0; i < count; i++)
        times(&p, factors[i]);
    return p;
}

static double bytes_of(const struct tensor *tensor) {
    struct product p = product_of(tensor->sizes, tensor->rank);
    return tensor->rank == 0               ? 0
           : tensor->bytes == 0 || p.wrong ? NAN
                                           : (double)p.value * tensor->bytes;
}

/* ---- Kinds of operators ---- */

/* 2 m n k, of batches. first: the place of the left factor. */
static bool multiply(const struct inputs *in, size_t first, size_t batched, struct product *flop,
                     struct tensor *output) {
    const struct tensor *a = &in->tensors[first], *b = &in->tensors[first + 1];
    size_t rank = 2 + batched;
    if (first + 1 >= in->count || a->rank != rank || b->rank != rank ||
        a->sizes[rank - 1] != b->sizes[rank - 2] || (batched && a->sizes[0] != b->sizes[0]))
        return false;
    const int64_t factors[] = {2, batched ? a->sizes[0] : 1, a->sizes[batched], a->sizes[rank - 1],
                               b->sizes[rank - 1]};
    *flop = product_of(factors, 5);
    *output = (struct tensor){
        .sizes = {factors[1], factors[2], factors[4]}, .rank = 3, .bytes = a->bytes};
    return true;
}

/* 2 B H Nq Nk (dq + dv) of queries, keys and values with sizes B H N d, in any order of N and H. */
static bool attend(const struct inputs *in, size_t first, size_t length_at, struct product *flop,
                   struct tensor *output) {
    const struct tensor *q = &in->tensors[first], *k = q + 1, *v = q + 2;
    if (first + 2 >= in->count || q->rank != 4 || k->rank != 4 || v->rank != 4)
        return false;
    size_t head_at = 3 - length_at;
    const int64_t factors[] = {2,
                               q->sizes[0],
                               q->sizes[head_at],
                               q->sizes[length_at],
                               k->sizes[length_at],
                               q->sizes[3] + v->sizes[3]};
    *flop = product_of(factors, 6);
    *output = *q;
    output->sizes[3] = v->sizes[3];
    return true;
}

static bool is_true(const struct inputs *in, size_t at) {
    return at < MOST_INPUTS && (slice_is(in->values[at], "True") || slice_is(in->values[at], "1") ||
                                slice_is(in->values[at], "2")); /* of a custom mask: causal */
}

/* Numbers of "[1, 1]"; how many there are. */
static size_t read_numbers(struct slice text, int64_t *numbers) {
    size_t count = 0;
    struct slice value;
    struct json_cursor cursor = json_inside(text);
    while (count < MOST_RANK && json_element(&cursor, &value))
        if (!json_integer(value, &numbers[count++]))
            return 0;
    return count;
}

struct places {                                     /* of the values of a convolution */
    size_t padding, stride, dilation, groups, mask; /* mask 0: forward */
    size_t transposed;                              /* 0: never */
};

static bool convolve(const struct inputs *in, const struct places *at, struct product *flop,
                     struct tensor *output) {
    size_t first = at->mask > 0;
    const struct tensor *x = &in->tensors[first], *w = &in->tensors[first + 1];
    size_t spatial = x->rank >= 3 ? x->rank - 2 : 0;
    int64_t padding[MOST_RANK], stride[MOST_RANK], dilation[MOST_RANK], groups = 1;
    if (first + 1 >= in->count || spatial == 0 || w->rank != x->rank ||
        (at->transposed && is_true(in, at->transposed)) ||
        !json_integer(in->values[at->groups], &groups) || groups < 1 ||
        read_numbers(in->values[at->padding], padding) != spatial ||
        read_numbers(in->values[at->stride], stride) != spatial ||
        read_numbers(in->values[at->dilation], dilation) != spatial)
        return false;
    *output =
        (struct tensor){.sizes = {x->sizes[0], w->sizes[0]}, .rank = x->rank, .bytes = x->bytes};
    *flop = (struct product){2, false};
    for (size_t i = 2; i < x->rank; i++) {
        if (stride[i - 2] < 1)
            return false;
        output->sizes[i] =
            (x->sizes[i] + 2 * padding[i - 2] - dilation[i - 2] * (w->sizes[i] - 1) - 1) /
                stride[i - 2] +
            1;
        times(flop, w->sizes[i]);
    }
    if (first && (in->tensors[0].rank != x->rank ||
                  memcmp(in->tensors[0].sizes, output->sizes, x->rank * sizeof *x->sizes) != 0))
        return false;
    times(flop, w->sizes[1]); /* Cin / groups */
    for (size_t i = 0; i < output->rank; i++)
        times(flop, output->sizes[i]);
    if (first) { /* once for the gradient of the input, once for that of the weights */
        struct json_cursor cursor = json_inside(in->values[at->mask]);
        struct slice wanted;
        int64_t gradients = 0;
        for (size_t i = 0; i < 2 && json_element(&cursor, &wanted); i++)
            gradients += slice_is_word(wanted, "true");
        times(flop, gradients);
    }
    return true;
}

enum operator_kind { MULTIPLY, BATCHED, ATTENTION, ATTENTION_BACKWARD, CONVOLUTION };

/* first: of the two factors, or of queries, keys and values. */
static const struct {
    const char *name;
    enum operator_kind kind;
    size_t first, length_at, causal_at; /* length_at: of sequences among the sizes */
    struct places places;
} operators[] = {
    {"aten::mm", MULTIPLY, 0, 0, 0, {0}},
    {"aten::addmm", MULTIPLY, 1, 0, 0, {0}},
    {"aten::_addmm_activation", MULTIPLY, 1, 0, 0, {0}},
    {"aten::bmm", BATCHED, 0, 0, 0, {0}},
    {"aten::baddbmm", BATCHED, 1, 0, 0, {0}},
    {"aten::scaled_dot_product_attention", ATTENTION, 0, 2, 5, {0}},
    {"aten::_scaled_dot_product_flash_attention", ATTENTION, 0, 2, 4, {0}},
    {"aten::_scaled_dot_product_efficient_attention", ATTENTION, 0, 2, 6, {0}},
    {"aten::_scaled_dot_product_cudnn_attention", ATTENTION, 0, 2, 6, {0}},
    {"aten::_flash_attention_forward", ATTENTION, 0, 1, 8, {0}},
    {"aten::_efficient_attention_forward", ATTENTION, 0, 1, 9, {0}},
    {"aten::_scaled_dot_product_flash_attention_backward", ATTENTION_BACKWARD, 1, 2, 11, {0}},
    {"aten::_scaled_dot_product_efficient_attention_backward", ATTENTION_BACKWARD, 1, 2, 11, {0}},
    {"aten::_flash_attention_backward", ATTENTION_BACKWARD, 1, 1, 11, {0}},
    {"aten::_efficient_attention_backward", ATTENTION_BACKWARD, 1, 1, 14, {0}},
    {"aten::cudnn_convolution", CONVOLUTION, 0, 0, 0, {2, 3, 4, 5, 0, 0}},
    {"aten::miopen_convolution", CONVOLUTION, 0, 0, 0, {3, 4, 5, 6, 0, 0}},
    {"aten::conv2d", CONVOLUTION, 0, 0, 0, {4, 3, 5, 6, 0, 0}},
    {"aten::convolution", CONVOLUTION, 0, 0, 0, {4, 3, 5, 8, 0, 6}},
    {"aten::_convolution", CONVOLUTION, 0, 0, 0, {4, 3, 5, 8, 0, 6}},
    {"aten::convolution_backward", CONVOLUTION, 0, 0, 0, {5, 4, 6, 9, 10, 7}},
};

/* The part of the product that is computed. */
static double share_of(const struct inputs *in, enum operator_kind kind, size_t causal_at) {
    double share = kind == ATTENTION_BACKWARD ? 2.5 : 1;
    bool attends = kind == ATTENTION || kind == ATTENTION_BACKWARD;
    return attends && is_true(in, causal_at) ? share / 2 : share;
}

/* Inputs and output once each. An elementwise output is as large as the largest input. */
static double moved_bytes(const struct inputs *in, enum trace_family family,
                          const struct tensor *output) {
    double sum = output->rank > 0 ? bytes_of(output) : 0, largest = 0;
    for (size_t i = 0; i < in->count; i++) {
        double bytes = bytes_of(&in->tensors[i]);
        sum += bytes;
        largest = bytes > largest ? bytes : largest;
    }
    return output->rank == 0 && family == FAMILY_ELEMENTWISE ? sum + largest : sum;
}

void trace_operator_work(const struct trace_rank *rank, const struct trace_op *op,
                         struct trace_work *ret_work) {
    const char *name = intern_text(&rank->names, op->name);
    struct inputs in;
    struct tensor output = {.rank = 0};
    struct product flop = {0, false};
    read_inputs(rank, op->shape, &in);
    *ret_work = (struct trace_work){trace_family_of(name), in.precision, NAN, NAN, false};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        bool known = false;
        if (strcmp(name, operators[i].name) != 0)
            continue;
        if (operators[i].kind == MULTIPLY || operators[i].kind == BATCHED)
            known = multiply(&in, operators[i].first, operators[i].kind == BATCHED, &flop, &output);
        else if (operators[i].kind == CONVOLUTION)
            known = convolve(&in, &operators[i].places, &flop, &output);
        else
            known = attend(&in, operators[i].first, operators[i].length_at, &flop, &output);
        /* Other operators have forms whose sizes do not tell. */
        ret_work->wrong = flop.wrong || (!known && operators[i].kind <= BATCHED);
        if (known && !flop.wrong)
            ret_work->flop =
                (double)flop.value * share_of(&in, operators[i].kind, operators[i].causal_at);
    }
    if (!ret_work->wrong)
        ret_work->bytes = moved_bytes(&in, ret_work->family, &output);
}
