/* Peaks by device name. Invariant: a row that another one's words contain comes after it. */
#include "ingest/peaks.h"

#include "base/numfmt.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define T 1e12
#define G 1e9

/* Sources: NVIDIA's data sheets and architecture white papers (V100 2020, T4 2019, A100 2022, A40,
   A10 2021, H100 2023 with white paper v1.04, H200 2024, L4 and L40S 2023, HGX B200 2025), and
   AMD's data sheets of MI250, MI250X (2021) and MI300X (2023). A trace of an MI250 shows each of
   its two dies as a GPU, so its row has half a card. Clocks follow from FLOP a clock and SM. */
static const struct gpu_peaks table[] = {
    {"V100 PCIE", {7 * T, 14 * T, 28 * T, NAN, 112 * T, NAN, 900 * G}, 1380, 1380},
    {"V100", {7.8 * T, 15.7 * T, 31.4 * T, NAN, 125 * T, NAN, 900 * G}, 1530, 1530},
    {"T4", {0.253 * T, 8.1 * T, 16.2 * T, NAN, 65 * T, NAN, 320 * G}, 1590, 1590},
    {"A100 SXM4 80GB", {9.7 * T, 19.5 * T, 78 * T, 156 * T, 312 * T, NAN, 2039 * G}, 1410, 1410},
    {"A100 80GB", {9.7 * T, 19.5 * T, 78 * T, 156 * T, 312 * T, NAN, 1935 * G}, 1410, 1410},
    {"A100", {9.7 * T, 19.5 * T, 78 * T, 156 * T, 312 * T, NAN, 1555 * G}, 1410, 1410},
    {"A40", {0.584 * T, 37.4 * T, 37.4 * T, 74.8 * T, 149.7 * T, NAN, 696 * G}, 1740, 1740},
    {"A10", {0.488 * T, 31.2 * T, 31.2 * T, 62.5 * T, 125 * T, NAN, 600 * G}, 1695, 1695},
    {"L4", {0.473 * T, 30.3 * T, 30.3 * T, 60 * T, 121 * T, 242 * T, 300 * G}, 2040, 2040},
    {"L40S", {1.43 * T, 91.6 * T, 91.6 * T, 183 * T, 362 * T, 733 * T, 864 * G}, 2520, 2520},
    {"H100 PCIE",
     {25.6 * T, 51.2 * T, 102.4 * T, 378 * T, 756 * T, 1513 * T, 2039 * G},
     1620,
     1755},
    {"H100",
     {33.5 * T, 66.9 * T, 133.8 * T, 494.7 * T, 989.4 * T, 1978.9 * T, 3352 * G},
     1830,
     1980},
    {"H200",
     {33.5 * T, 66.9 * T, 133.8 * T, 494.7 * T, 989.4 * T, 1978.9 * T, 4800 * G},
     1830,
     1980},
    {"B200", {37 * T, 75 * T, NAN, 1100 * T, 2250 * T, 4500 * T, 7700 * G}, NAN, NAN},
    {"MI250X", {23.95 * T, 23.95 * T, NAN, NAN, 191.5 * T, NAN, 1638 * G}, 1700, 1700},
    {"MI250", {22.65 * T, 22.65 * T, NAN, NAN, 181.05 * T, NAN, 1638 * G}, 1700, 1700},
    {"MI300X", {81.7 * T, 163.4 * T, NAN, 653.7 * T, 1307.4 * T, 2614.9 * T, 5300 * G}, 2100, 2100},
};

/* Whether the text has the word: letters and digits, and none next to it. */
static bool has_word(const char *text, const char *word, size_t length) {
    for (const char *at = text; *at; at++) {
        size_t i = 0;
        while (i < length && toupper((unsigned char)at[i]) == toupper((unsigned char)word[i]))
            i++;
        if (i == length && !isalnum((unsigned char)at[i]) &&
            (at == text || !isalnum((unsigned char)at[-1])))
            return true;
    }
    return false;
}

static bool has_words(const char *text, const char *words) {
    while (*words) {
        size_t length = strcspn(words, " ");
        if (!has_word(text, words, length))
            return false;
        words += length + strspn(words + length, " ");
    }
    return true;
}

const struct gpu_peaks *gpu_peaks_find(const char *device) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (has_words(device, table[i].name))
            return &table[i];
    return NULL;
}

void gpu_peaks_replace(struct gpu_peaks *peaks, const struct gpu_peaks *by) {
    for (size_t i = 0; i < GPU_PEAKS; i++)
        if (!isnan(by->at[i]))
            peaks->at[i] = by->at[i];
    if (!isnan(by->tensor_mhz))
        peaks->tensor_mhz = peaks->vector_mhz = by->tensor_mhz;
}

/* --- text --- */

static const struct gpu_peaks unknown = {NULL, {NAN, NAN, NAN, NAN, NAN, NAN, NAN}, NAN, NAN};

static const struct {
    const char *name;
    double unit;
} columns[] = {[PEAK_FP64] = {"fp64", T},
               [PEAK_FP32] = {"fp32", T},
               [PEAK_FP16] = {"fp16", T},
               [PEAK_TF32] = {"tf32", T},
               [PEAK_TENSOR_FP16] = {"tensor_fp16", T},
               [PEAK_TENSOR_FP8] = {"tensor_fp8", T},
               [PEAK_MEMORY] = {"memory", G}};

/* "fp32=19.5" */
static bool parse_peak(const char *text, size_t length, struct gpu_peaks *peaks) {
    const char *equals = memchr(text, '=', length);
    size_t name = equals ? (size_t)(equals - text) : 0;
    double value;
    if (!equals || !numfmt_parse_real(equals + 1, length - name - 1, &value) || value <= 0)
        return false;
    for (size_t i = 0; i < GPU_PEAKS; i++)
        if (strlen(columns[i].name) == name && memcmp(columns[i].name, text, name) == 0) {
            peaks->at[i] = value * columns[i].unit;
            return true;
        }
    peaks->tensor_mhz = peaks->vector_mhz = value;
    return name == 5 && memcmp("clock", text, name) == 0;
}

int gpu_peaks_parse(const char *text, struct gpu_peaks *peaks, struct error *reterr) {
    struct gpu_peaks read = unknown;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        if (!parse_peak(at, length, &read))
            return error_set(
                reterr, ERROR_INPUT,
                "expected NAME=VALUE with commas, as fp32=19.5,tensor_fp16=312 "
                "(TFLOP/s; also fp64, fp16, tf32, tensor_fp8; memory in GB/s; clock in "
                "MHz), got \"%.*s\"",
                (int)length, at);
        at += length;
        if (!*at)
            break;
    }
    *peaks = read;
    return 0;
}
