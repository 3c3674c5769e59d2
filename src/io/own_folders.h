/* Where the parts of easim are that are no code of the program: beside it where it was built, and
   where they were installed with it, wherever both are now. */
#ifndef EASIM_IO_OWN_FOLDERS_H
#define EASIM_IO_OWN_FOLDERS_H

#include <stdbool.h>

struct own_folders {
    const char *name;      /* of a build: beside the program, then in the folder above */
    const char *relative;  /* of an installation or its copy: from the folder of the program */
    const char *installed; /* as configured, for a program that was copied alone */
};

/* Gives the folders, which need not exist, to visit until it returns true; whether it did. */
bool own_folders_each(const struct own_folders *folders,
                      bool (*visit)(const char *folder, void *context), void *context);

#endif
