/* What a process needs before its first command, whoever has started it. */
#ifndef EASIM_CLI_SURROUNDINGS_H
#define EASIM_CLI_SURROUNDINGS_H

/* Standard streams that are closed are opened on /dev/null, or the next file would take their
   place; what is then printed on standard output is still an error. A file that becomes too large
   is an error of write and no signal. cJSON and GSL end without memory as mem.h does, which must
   come before either is used. */
void surroundings_prepare(void);

#endif
