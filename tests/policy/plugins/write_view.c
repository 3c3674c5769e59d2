/* write_view: at one decision writes to one job of the view (or, by default, to the view itself),
   by one of several ways; starts jobs in order. */
#include <easim/policy.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BY_CAST, BY_MPROTECT, BY_KERNEL, BY_HOST };
static const char *const hows[] = {"cast", "mprotect", "kernel", "host", NULL};

struct params {
    int32_t how;
    int64_t decision, job; /* job -1: the view itself */
};

struct state {
    int64_t decisions;
};

static void *writable(const void *at) {
    return (void *)(uintptr_t)at;
}

/* Where the host writes the view, from the list of mappings: in the first page of one, where it is
   in the page that policies see. */
static char *host_view(const struct easim_view *view) {
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512], *found = NULL;
    while (maps && !found && fgets(line, sizeof line, maps))
        if (strstr(line, "rw-s") && strstr(line, "easim-view"))
            sscanf(line, "%p", (void **)&found);
    if (maps)
        fclose(maps);
    return found ? found + ((uintptr_t)view & 4095) : NULL;
}

static void damage(const struct easim_pass *pass, const struct params *p) {
    const struct easim_view *view = pass->view;
    static const uint32_t value = 1000;
    /* by hand: easim_view_job answers for few jobs */
    const char *job = (const char *)view->jobs + (uint32_t)p->job * view->job_stride;
    const uint32_t *at =
        p->job < 0 ? &view->free_gpus : &((const struct easim_job *)job)->preemptions;
    if (p->how == BY_MPROTECT) {
        uintptr_t page = (uintptr_t)at & ~(uintptr_t)4095;
        if (mprotect(writable((const void *)page), 8192, PROT_READ | PROT_WRITE) != 0)
            pass->host->fail(pass->plan, "mprotect was refused");
    }
    if (p->how == BY_KERNEL) {
        int file = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
        if (pwrite(file, &value, sizeof value, (off_t)(uintptr_t)at) < 0)
            pass->host->fail(pass->plan, "the kernel does not write there");
        close(file);
        return;
    }
    char *host = p->how == BY_HOST ? host_view(view) : NULL;
    if (p->how != BY_HOST)
        memcpy(writable(at), &value, sizeof value);
    else if (host)
        memcpy(host + ((const char *)at - (const char *)view), &value, sizeof value);
}

static int decide(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    struct state *s = pass->state;
    if (++s->decisions == p->decision) {
        damage(pass, p);
        if (p->how == BY_KERNEL)
            return -1;
    }
    for (uint32_t i = pass->view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(pass->view, i);
        i = job->next_waiting;
        if (easim_fit(pass->view, easim_view_config(pass->view, job->first_config)) >= 0)
            pass->host->plan_start(pass->plan, job->index, job->first_config);
    }
    return 0;
}

static const struct easim_param params[] = {
    {"how", "", "by which way", EASIM_PARAM_CHOICE, offsetof(struct params, how), 0, BY_HOST,
     BY_CAST, false, hows, EASIM_ROLE_NONE},
    {"decision", "", "in which decision", EASIM_PARAM_INT, offsetof(struct params, decision), 1,
     1e6, 1, false, NULL, EASIM_ROLE_NONE},
    {"job", "", "to which job; -1: the view itself", EASIM_PARAM_INT, offsetof(struct params, job),
     -1, 1e6, -1, false, NULL, EASIM_ROLE_NONE}};

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "write_view",
                                                       .version = "1",
                                                       .summary = "writes where it must not",
                                                       .state_size = sizeof(struct state),
                                                       .params_size = sizeof(struct params),
                                                       .params = params,
                                                       .param_count =
                                                           sizeof params / sizeof *params,
                                                       .decide = decide};
