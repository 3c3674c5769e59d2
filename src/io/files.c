/* Files and folders as such. */
#include "io/files.h"

#include "base/hash.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)64 << 10)

uint64_t files_hash(const char *path) {
    struct stat status;
    if (stat(path, &status) < 0 || !S_ISREG(status.st_mode)) /* a pipe would wait for its writer */
        return 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    uint64_t hash = HASH_START;
    char *buffer = mem_alloc(BUFFER_BYTES);
    ssize_t count;
    while ((count = read(fd, buffer, BUFFER_BYTES)) > 0)
        hash = hash_bytes(hash, buffer, (size_t)count);
    free(buffer);
    close(fd);
    return count < 0 ? 0 : hash;
}

int files_make_folders(const char *path, struct error *reterr) {
    char *partial = mem_strdup(path);
    int r = 0;
    for (char *at = partial + 1; r == 0; at++) {
        if (*at != '/' && *at != '\0')
            continue;
        char ended = *at;
        *at = '\0';
        if (mkdir(partial, 0777) < 0 && errno != EEXIST)
            r = error_set(reterr, ERROR_IO, "%s: cannot make folder: %s", partial, strerror(errno));
        *at = ended;
        if (ended == '\0')
            break;
    }
    free(partial);
    return r;
}
