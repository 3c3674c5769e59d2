/* Measurements of the ML.ENERGY Benchmark. */
#ifndef EASIM_INGEST_RECORDS_MLENERGY_H
#define EASIM_INGEST_RECORDS_MLENERGY_H

#include "ingest/profile.h"

/* "mlenergy": image and video generation (batch_size) as rows of batch jobs, b = batch_size / GPUs,
   of several layouts the fastest; LLM serving (max_num_seqs) as points of serving tables. Which of
   them, the header shows. GPU types in small letters. */
extern const struct profile_reader mlenergy_reader;

#endif
