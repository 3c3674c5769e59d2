/* What tells that a file was not touched between two looks at it, without reading it: where it is,
   how long, and when it was last changed. */
#ifndef EASIM_IO_FILE_STAMP_H
#define EASIM_IO_FILE_STAMP_H

#include <stdbool.h>
#include <stdint.h>

struct file_stamp {
    uint64_t device, inode, bytes;
    int64_t modified_ns, changed_ns;
    bool is_file; /* a regular one; else the rest is 0 */
    bool settled; /* it was last changed so long before the look that another change would show:
                     clocks of file systems tick every few milliseconds, and may be others' */
};

void file_stamp_take(const char *path, struct file_stamp *ret_stamp);
/* Whether it is the same file, unchanged; whether the stamps are settled does not count. */
bool file_stamp_same(const struct file_stamp *one, const struct file_stamp *other);

#endif
