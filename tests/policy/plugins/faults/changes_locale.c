/* changes_locale: numbers and texts are those of another locale. */
#include "in_order.h"

#include <locale.h>

static int decide(const struct easim_pass *pass) {
    if (on_one_gpu(pass->view) && !setlocale(LC_ALL, "C.UTF-8"))
        return -1;
    return start_in_order(pass);
}

FAULTY("changes_locale", .decide = decide);
