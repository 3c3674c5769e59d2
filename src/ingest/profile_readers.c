/* The table of profile readers. */
#include "ingest/profile_readers.h"

#include "ingest/kineto/kineto.h"
#include "ingest/mlperf/mlperf.h"
#include "ingest/records/codecarbon.h"
#include "ingest/records/ea2p.h"
#include "ingest/records/elasticflow.h"
#include "ingest/records/lambda.h"
#include "ingest/records/mlenergy.h"
#include "ingest/records/points.h"
#include "ingest/records/sia_steps.h"
#include "ingest/records/zeus.h"
#include "ingest/telemetry/dcgm.h"
#include "ingest/telemetry/dynolog.h"
#include "ingest/telemetry/nvidia_smi.h"

#include <string.h>

const struct profile_reader *const profile_readers[] = {
    &kineto_reader,     &nvidia_smi_reader,  &dcgm_reader,   &dcgm_exporter_reader,
    &prometheus_reader, &dynolog_reader,     &ea2p_reader,   &zeus_reader,
    &codecarbon_reader, &mlenergy_reader,    &mlperf_reader, &sia_steps_reader,
    &lambda_reader,     &elasticflow_reader, &points_reader, NULL};

const struct profile_reader *profile_find_reader(const char *name) {
    for (size_t i = 0; profile_readers[i]; i++)
        if (strcmp(profile_readers[i]->name, name) == 0)
            return profile_readers[i];
    return NULL;
}
