/* A program behind two pipes: started in a process group of its own, asked line by line, never left
 * behind. */
#ifndef EASIM_EXEC_PROCESS_H
#define EASIM_EXEC_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Room for the longest line a program may send, its end included. */
#define PROCESS_LINE_BYTES ((size_t)16 << 20)

/* Zero-initialise; release with process_stop. */
struct process {
    pid_t pid; /* also its process group; 0: none, or not ours: connected */
    int to, from;
    char *buffer; /* what it sent since its last line */
    size_t used, capacity;
    char problem[200]; /* what went wrong, after a failure: of numbers and of texts of the C library
                        */
};

/* Runs `exec COMMAND` in /bin/sh, which ends with this thread. Negative on failure. A program that
   cannot be found is found out by the first exchange: the shell ends. */
int process_start(struct process *process, const char *command);
/* Instead: a program that runs already and listens on a Unix socket. Negative on failure. */
int process_connect(struct process *process, const char *path);
/* Sends bytes and waits for so many. Negative on failure. */
int process_trade(struct process *process, const void *data, size_t length, void *answer,
                  size_t size, double timeout_s);
/* Sends text (whole lines) and waits for one line, which lives until the next call and ends with
   NUL in place of the line end. NULL on failure. */
char *process_exchange(struct process *process, const char *text, size_t length, double timeout_s);
/* Sends a last text as far as the pipe takes it, closes the pipes, gives the program grace_s to
   end, then ends its whole process group and collects its exit status. Accepts one that never
   started. */
void process_stop(struct process *process, const char *text, size_t length, double grace_s);

#endif
