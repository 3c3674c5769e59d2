/* The choice of the command. */
#ifndef EASIM_CLI_DISPATCH_H
#define EASIM_CLI_DISPATCH_H

/* Runs the command that the arguments of the program name; the exit code. */
int cli_main(int argc, char **argv);

#endif
