/* Any bytes as the file of a profile reader, and all that is written of what it found. */
#ifndef EASIM_TESTS_FUZZ_PROFILE_INPUT_H
#define EASIM_TESTS_FUZZ_PROFILE_INPUT_H

#include "ingest/profiles.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_profile(const struct profile_reader *reader, const struct profile_options *options,
                                const uint8_t *data, size_t size) {
    char path[64];
    int fd = memfd_create("input", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    struct profile profile = {0};
    struct problems problems = {0};
    char *paths[] = {path};
    struct str out = {0};
    int status = reader->read(paths, 1, options, &profile, &problems);
    if ((status < 0) != (problems.count > 0))
        abort(); /* a failure says why, and nothing else does */
    if (status == 0) {
        profile_write_csv(&profile, &out);
        figures_write_json(profile.figures, &out);
        figures_write_table(profile.figures, 20, &out);
    }
    str_finish(&out);
    profile_finish(&profile);
    problems_finish(&problems);
    close(fd);
}

#endif
