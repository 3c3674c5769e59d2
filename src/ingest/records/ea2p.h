/* Energy reports of EA2P. */
#ifndef EASIM_INGEST_RECORDS_EA2P_H
#define EASIM_INGEST_RECORDS_EA2P_H

#include "ingest/profile.h"

/* "ea2p": one row a measurement; the unit comes from --energy-unit or the config_energy.json beside
 * the file. */
extern const struct profile_reader ea2p_reader;

#endif
