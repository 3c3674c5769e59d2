/* Whether a folder of results is whole and of one run: its manifest is written last, and names the
   size and the SHA-256 of every file. */
#ifndef EASIM_STUDY_RECORDED_CHECK_H
#define EASIM_STUDY_RECORDED_CHECK_H

#include "study/recorded.h"

/* Whether the policy of a name that was an input is the one that its name finds here. */
bool recorded_policy_is_here(const struct recorded_file *policy);
/* ERROR_INPUT, which names the file, unless the folder and those that its manifest lists have
   manifests, and exactly the files that these list. */
int recorded_check(const char *folder, struct error *reterr) MUST_CHECK;

#endif
