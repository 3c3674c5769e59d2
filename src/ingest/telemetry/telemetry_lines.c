/* Telemetry that is read line by line: one loop for all formats. */
#include "ingest/telemetry/telemetry.h"

/* A line with a NUL byte is a bad row; a compressed file that ends early keeps what came before. */
static int read_telemetry_lines(struct telemetry *telemetry, const struct telemetry_format *format,
                                struct error *reterr) {
    struct slice line;
    int got, status = format->begin ? format->begin(telemetry, reterr) : 0;
    while (status == 0 && (got = lines_next(telemetry->lines, &line, reterr)) != 0) {
        if (got == ERROR_INPUT) {
            telemetry->rows++;
            telemetry_bad_row(telemetry);
        } else if (got < 0 && lines_is_damaged(telemetry->lines)) {
            telemetry_damaged(telemetry, reterr->text);
            break;
        } else if (got < 0) {
            return got;
        } else if (line.length > 0) {
            status = format->line(telemetry, line, reterr);
        }
    }
    return status == 0 && format->end ? format->end(telemetry, reterr) : status;
}

int telemetry_read(const struct telemetry_format *format, const struct telemetry_job *job,
                   void *reader) {
    size_t before = job->problems->count;
    struct telemetry t;
    telemetry_init(&t, job, reader);
    for (size_t i = 0; i < job->count; i++) {
        struct error error = {0};
        t.path = job->paths[i];
        if (lines_open(t.path, &t.lines, &error) < 0 ||
            read_telemetry_lines(&t, format, &error) < 0)
            problems_add(job->problems, (struct location){0}, NULL, "%s", error.text);
        lines_close(t.lines);
        t.lines = NULL;
    }
    if (job->problems->count == before)
        (void)telemetry_report(&t, format->name, job);
    telemetry_finish(&t);
    return job->problems->count > before ? ERROR_INPUT : 0;
}
