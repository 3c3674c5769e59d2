/* Descriptors, signals and memory: see surroundings.h. */
#include "cli/surroundings.h"

#include "base/mem.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <gsl/gsl_errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* Each for the other direction than it is used in: input that is not there, and output that is
   lost, are errors and not empty. Messages may be lost. */
static void open_standard_streams(void) {
    static const int modes[] = {O_WRONLY, O_RDONLY, O_RDWR};
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd)
            _exit(EXIT_FAILURE); /* nobody could be told */
}

/* Other errors of GSL are returned as codes, which are checked. */
static void on_gsl_error(const char *reason, const char *file, int line, int code) {
    (void)reason, (void)file, (void)line;
    if (code == GSL_ENOMEM)
        mem_exhausted(0);
}

void surroundings_prepare(void) {
    cJSON_Hooks hooks = {mem_alloc, free};
    open_standard_streams();
    signal(SIGXFSZ, SIG_IGN);
    gsl_set_error_handler(on_gsl_error);
    cJSON_InitHooks(&hooks);
}
