/* Stamps of files: see file_stamp.h. */
#include "io/file_stamp.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#define SETTLED_NS ((int64_t)2000000000)

static int64_t nanoseconds(struct timespec time) {
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void file_stamp_take(const char *path, struct file_stamp *ret_stamp) {
    struct stat status;
    struct timespec now;
    *ret_stamp = (struct file_stamp){0};
    int r = stat(path, &status);
    if (r < 0)
        r = stat(path, &status); /* a fault that stays is met by whoever reads the file */
    if (r < 0 || !S_ISREG(status.st_mode))
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t changed_ns = nanoseconds(status.st_ctim);
    *ret_stamp = (struct file_stamp){.device = status.st_dev,
                                     .inode = status.st_ino,
                                     .bytes = (uint64_t)status.st_size,
                                     .modified_ns = nanoseconds(status.st_mtim),
                                     .changed_ns = changed_ns,
                                     .is_file = true,
                                     .settled = llabs(nanoseconds(now) - changed_ns) > SETTLED_NS};
}

bool file_stamp_same(const struct file_stamp *one, const struct file_stamp *other) {
    return one->is_file == other->is_file && one->device == other->device &&
           one->inode == other->inode && one->bytes == other->bytes &&
           one->modified_ns == other->modified_ns && one->changed_ns == other->changed_ns;
}
