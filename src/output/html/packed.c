/* Packs the data of the page: columns of whole numbers next to the JSON, all of it deflated and
   written in base 64. */
#include "output/html/internal.h"

#include "base/units.h"

#include <math.h>
#include <nettle/base64.h>
#include <stdlib.h>
#include <zlib.h>

#define LEVEL      1 /* higher ones cost more time than they save bytes */
#define WINDOW     15
#define MEMORY     9
#define MOST_BYTES ((size_t)3 << 30) /* that zlib takes at once */

int64_t *packed_room(struct packed *packed, size_t count) {
    if (count > packed->capacity) {
        free(packed->values);
        packed->values = mem_alloc(count * sizeof *packed->values);
        packed->capacity = count;
    }
    return packed->values;
}

static int64_t ms_of(int64_t time_ns) {
    return (time_ns + NS_PER_S / 2000) / (NS_PER_S / 1000);
}

int64_t packed_ms(int64_t since_ns, int64_t time_ns) {
    return time_ns < 0 ? -1 : ms_of(time_ns) - ms_of(since_ns);
}

int64_t packed_real(double value) {
    float rounded = (float)value;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return isfinite(rounded) ? (int64_t)(bits >> 8) + (bits >> 7 & 1) : -1;
}

/* 0, -1, 1, -2, 2 become 0, 1, 2, 3, 4: small numbers of either sign have few bytes. */
static uint64_t folded(int64_t value) {
    return value < 0 ? 2 * (uint64_t)-value - 1 : 2 * (uint64_t)value;
}

void packed_add(struct str *out, struct packed *packed, const char *key, size_t count) {
    int64_t *values = packed->values;
    uint64_t plain = 0, steps = 0;
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        plain |= folded(values[i]);
        steps |= folded(values[i] - (i > 0 ? values[i - 1] : 0));
    }
    while (bytes < 8 && (steps < plain ? steps : plain) >> 8 * bytes > 0)
        bytes++;
    for (size_t i = count; i-- > 0;)
        values[i] = (int64_t)folded(values[i] - (steps < plain && i > 0 ? values[i - 1] : 0));
    json_out_key(out, key);
    str_addf(out, "{\"packed\":%zu,\"count\":%zu,\"bytes\":%zu,\"steps\":%d}", packed->bytes.length,
             count, bytes, steps < plain);
    char *to = str_reserve(&packed->bytes, count * bytes);
    for (size_t b = 0; b < bytes; b++)
        for (size_t i = 0; i < count; i++)
            *to++ = (char)(values[i] >> 8 * b & 255);
    packed->bytes.length += count * bytes;
}

int packed_write(struct packed *packed, struct str *json, struct str *out, struct error *reterr) {
    int strategy = packed->bytes.length > json->length ? Z_RLE : Z_DEFAULT_STRATEGY;
    struct str deflated = {0};
    z_stream stream = {0};
    json->length++; /* with its NUL */
    str_add_bytes(json, packed->bytes.text, packed->bytes.length);
    if (json->length > MOST_BYTES)
        return error_set(reterr, ERROR_INPUT, "%zu bytes of data are too many for a page",
                         json->length);
    if (deflateInit2(&stream, LEVEL, Z_DEFLATED, WINDOW, MEMORY, strategy) != Z_OK)
        return error_set(reterr, ERROR_MACHINE, "cannot start zlib");
    stream.next_in = (Bytef *)json->text;
    stream.avail_in = (uInt)json->length;
    stream.avail_out = (uInt)deflateBound(&stream, json->length);
    stream.next_out = (Bytef *)str_reserve(&deflated, stream.avail_out);
    (void)deflate(&stream, Z_FINISH); /* fails only if the bound is none */
    size_t length = BASE64_ENCODE_RAW_LENGTH(stream.total_out);
    char *to = str_reserve(out, length);
    base64_encode_raw(to, stream.total_out, (const uint8_t *)deflated.text);
    to[length] = '\0';
    out->length += length;
    deflateEnd(&stream);
    str_finish(&deflated);
    return 0;
}

void packed_finish(struct packed *packed) {
    str_finish(&packed->bytes);
    free(packed->values);
}
