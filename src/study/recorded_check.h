/* Whether a folder of results is whole and of one run: its manifest is written last, and names the
   size and the SHA-256 of every file. */
#ifndef EASIM_STUDY_RECORDED_CHECK_H
#define EASIM_STUDY_RECORDED_CHECK_H

#include "base/error.h"

/* ERROR_INPUT, which names the file, unless the folder and those that its manifest lists have
   manifests, and exactly the files that these list. */
int recorded_check(const char *folder, struct error *reterr) MUST_CHECK;

#endif
