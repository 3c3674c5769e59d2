/* SHA-256, computed by nettle. */
#include "io/sha256.h"

#include "base/machine.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)64 << 10)

static void finish_hash(struct sha256_ctx *context, char digest[static SHA256_TEXT]) {
    static const char digits[] = "0123456789abcdef";
    uint8_t bytes[SHA256_DIGEST_SIZE];
    sha256_digest(context, sizeof bytes, bytes);
    for (size_t i = 0; i < sizeof bytes; i++) {
        digest[2 * i] = digits[bytes[i] >> 4];
        digest[2 * i + 1] = digits[bytes[i] & 15];
    }
    digest[SHA256_TEXT - 1] = '\0';
}

void sha256_text(struct slice text, char digest[static SHA256_TEXT]) {
    struct sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, text.length, (const uint8_t *)text.at);
    finish_hash(&context, digest);
}

static int hash_all(int fd, char digest[static SHA256_TEXT], uint64_t *ret_bytes) {
    struct sha256_ctx context;
    uint8_t *buffer = mem_alloc(BUFFER_BYTES);
    uint64_t bytes = 0;
    ssize_t count;
    sha256_init(&context);
    while ((count = TEMP_FAILURE_RETRY(read(fd, buffer, BUFFER_BYTES))) > 0) {
        sha256_update(&context, (size_t)count, buffer);
        bytes += (uint64_t)count;
    }
    int code = count < 0 ? errno : 0;
    free(buffer);
    if (code == 0) {
        finish_hash(&context, digest);
        *ret_bytes = bytes;
    }
    return code;
}

static bool is_no_file(int code) {
    return code == ENOENT || code == ENOTDIR || code == ELOOP || code == ENAMETOOLONG;
}

int sha256_file(const char *path, char digest[static SHA256_TEXT], uint64_t *ret_bytes,
                struct error *reterr) {
    struct stat status;
    int code = 0;
    if (stat(path, &status) < 0)
        code = errno;
    else if (!S_ISREG(status.st_mode)) /* a pipe would wait for its writer */
        return SHA256_NO_FILE;
    int fd = code == 0 ? (int)TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC)) : -1;
    if (fd >= 0) {
        code = hash_all(fd, digest, ret_bytes);
        close(fd);
    } else if (code == 0) {
        code = errno;
    }
    if (code == 0)
        return 0;
    return is_no_file(code)
               ? SHA256_NO_FILE
               : error_set(reterr, code == EACCES || code == EPERM ? ERROR_INPUT : ERROR_IO,
                           "%s: cannot read: %s", path, strerror(code));
}

bool sha256_is_of_file(const char *sha256, const char *path) {
    char now[SHA256_TEXT];
    uint64_t bytes;
    struct error error = {0};
    int r = sha256 ? sha256_file(path, now, &bytes, &error) : SHA256_NO_FILE;
    if (r == ERROR_IO)
        machine_end("%s", error.text);
    return r == 0 && strcmp(now, sha256) == 0;
}
