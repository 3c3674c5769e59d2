/* The table of profile readers. */
#include "ingest/profile_readers.h"

#include "ingest/codecarbon.h"
#include "ingest/dcgm.h"
#include "ingest/dynolog.h"
#include "ingest/ea2p.h"
#include "ingest/kineto.h"
#include "ingest/nvidia_smi.h"
#include "ingest/zeus.h"

#include <string.h>

const struct profile_reader *const profile_readers[] = {
    &kineto_reader,  &nvidia_smi_reader, &dcgm_reader, &dcgm_exporter_reader, &prometheus_reader,
    &dynolog_reader, &ea2p_reader,       &zeus_reader, &codecarbon_reader,    NULL};

const struct profile_reader *profile_find_reader(const char *name) {
    for (size_t i = 0; profile_readers[i]; i++)
        if (strcmp(profile_readers[i]->name, name) == 0)
            return profile_readers[i];
    return NULL;
}
