/* reads_past_end: of the GPU type behind the last one. */
#include "in_order.h"

static int decide(const struct easim_pass *pass) {
    volatile uint32_t gpus = 0;
    if (on_one_gpu(pass->view))
        gpus = easim_view_gpu_type(pass->view, pass->view->gpu_type_count)->gpus;
    (void)gpus;
    return start_in_order(pass);
}

FAULTY("reads_past_end", .decide = decide);
