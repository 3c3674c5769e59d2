/* The texts of the exec protocol (docs/reference/program-policy.md): what easim sends, and numbers
 * that read back exactly. */
#ifndef EASIM_EXEC_MESSAGE_H
#define EASIM_EXEC_MESSAGE_H

#include <easim/forecast.h>
#include <easim/power.h>
#include <easim/services.h>
#include <stdarg.h>

/* The protocol in which hello is written, and the newest. 1 had no numbers of messages; 3 has tries
   and what a program asks for. */
#define EXEC_PROTOCOL        2
#define EXEC_NEWEST_PROTOCOL 3

/* Extensions of exec, by their place in its table. */
enum { EXEC_FORECAST, EXEC_SERVICES, EXEC_POWER };
static inline const struct easim_forecast *forecast_of(const struct easim_pass *pass) {
    return easim_forecast_of(pass, EXEC_FORECAST);
}
static inline const struct easim_services *services_of(const struct easim_pass *pass) {
    return easim_services_of(pass, EXEC_SERVICES);
}
static inline const struct easim_power *power_of(const struct easim_pass *pass) {
    return easim_power_of(pass, EXEC_POWER);
}

/* A growing text. Zero-initialise; free(at). `failed`: memory ran out, the text is incomplete. */
struct text {
    char *at;
    size_t length, capacity;
    bool failed;
};

void text_add(struct text *text, const char *more);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
void text_string(struct text *text, const char *name, const char *value); /* "name":"value" */
void text_real(struct text *text, const char *name,
               double value); /* "name":value, null if not finite */

void text_number(struct text *text, double value); /* likewise */

/* The hello message, but for services and its end. */
void message_hello(struct text *text, const struct easim_pass *pass);
/* The whole finish message: the end of the run, and the energy since the last decision. */
void message_finish(struct text *text, uint32_t number, const struct easim_view *view);
/* The beginning of the decide message: time and power. */
void message_decide(struct text *text, uint32_t number, const struct easim_view *view);
/* Members of the decide message that stand for one thing each, as objects. shares: with what is
   held and free of GPUs that jobs share. */
void message_gpu_type(struct text *text, const struct easim_view *view, uint32_t gpu_type,
                      bool shares);
void message_forecast(struct text *text, const struct easim_forecast_hour *hour);
void message_event(struct text *text, const struct easim_event *event, uint32_t protocol);
void message_user(struct text *text, const struct easim_view *view, uint32_t user, bool shares);
void message_arrived(struct text *text, const struct easim_job *job); /* what never changes */
/* What changes; with its configurations, if they are others, and its limit, or NULL. */
void message_job(struct text *text, const struct easim_job *job, bool new_phase, uint32_t protocol,
                 const struct easim_power_job *limit);
/* Finished or rejected, and out of the view. */
void message_job_over(struct text *text, uint32_t job, uint32_t state);

#endif
