/* What the fuzz targets share: files in memory, and failures that a fuzzer sees. */
#ifndef EASIM_TESTS_FUZZ_H
#define EASIM_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The format of a target for several: with libFuzzer each has a program of its own, else the folder
   of the corpus has its name. */
#ifndef READER
extern const char *fuzz_reader;
#define READER fuzz_reader
#endif

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum fuzz_file { FUZZ_FILE_INPUT, FUZZ_FILE_OUTPUT, FUZZ_FILE_COUNT };

_Noreturn static inline void fuzz_fail(const char *what) {
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

#define fuzz_assert(condition) ((condition) ? (void)0 : fuzz_fail(#condition))

/* The path of a file in memory that holds the bytes; each `which` has one, reused by the next call.
 */
static inline const char *fuzz_file(enum fuzz_file which, const void *bytes, size_t length) {
    static int files[FUZZ_FILE_COUNT];
    static char paths[FUZZ_FILE_COUNT][32];
    if (files[which] == 0) {
        files[which] = memfd_create("easim-fuzz", MFD_CLOEXEC);
        snprintf(paths[which], sizeof paths[which], "/proc/self/fd/%d", files[which]);
    }
    if (files[which] <= 0 || ftruncate(files[which], 0) != 0 ||
        pwrite(files[which], bytes, length, 0) != (ssize_t)length)
        fuzz_fail("cannot write a file in memory");
    return paths[which];
}

#endif
