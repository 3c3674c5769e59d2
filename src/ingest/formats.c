/* The tables of foreign formats. */
#include "ingest/formats.h"

#include "ingest/logs/formats.h"
#include "ingest/profile_formats.h"
#include "ingest/records/records.h"

const struct trace_reader *const ingest_readers[] = {&swf_reader,
                                                     &itp_reader,
                                                     &philly_reader,
                                                     &philly_json_reader,
                                                     &alibaba_gpu_2023_reader,
                                                     &alibaba_pai_2020_reader,
                                                     &helios_reader,
                                                     &acme_reader,
                                                     &gavel_reader,
                                                     &pollux_reader,
                                                     &sia_reader,
                                                     &slurm_reader,
                                                     NULL};

const struct profile_reader *const profile_readers[] = {
    &kineto_reader,     &nvidia_smi_reader,  &dcgm_reader,   &dcgm_exporter_reader,
    &prometheus_reader, &dynolog_reader,     &ea2p_reader,   &zeus_reader,
    &codecarbon_reader, &mlenergy_reader,    &mlperf_reader, &sia_steps_reader,
    &lambda_reader,     &elasticflow_reader, &points_reader, NULL};

int profile_read(const struct profile_reader *reader, char *const *paths, size_t count,
                 const struct profile_options *options, struct profile *profile,
                 struct problems *problems) {
    return reader->read ? reader->read(paths, count, options, profile, problems)
                        : records_read(reader, paths, count, options, profile, problems);
}
