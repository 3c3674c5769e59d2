/* Changes the locale. */
#include "wrong.h"
#include <locale.h>

static int decide(const struct easim_pass *pass) {
    setlocale(LC_ALL, "C.UTF-8");
    return start_in_order(pass);
}

POLICY(.decide = decide);
