/* Latencies of LLM serving without power. */
#ifndef EASIM_INGEST_RECORDS_POINTS_H
#define EASIM_INGEST_RECORDS_POINTS_H

#include "ingest/profile.h"

/* "points": runs at a number of requests at once, with the time to the first token and that of each
   further one; a table of model_id, gpu, prompt_tokens, output_tokens, concurrency, ttft_ms,
   tpot_ms and how it was served. GPU types in small letters. */
extern const struct profile_reader points_reader;

#endif
