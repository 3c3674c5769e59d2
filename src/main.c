/* easim: see cli/dispatch.h. */
#include "cli/dispatch.h"

int main(int argc, char **argv) {
    return cli_main(argc, argv);
}
