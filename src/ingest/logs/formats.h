/* The reader of each foreign job log. Rows are ordered by submit, the first of which becomes 0. */
#ifndef EASIM_INGEST_LOGS_FORMATS_H
#define EASIM_INGEST_LOGS_FORMATS_H

#include "workload/trace.h"

/* "swf": processors as GPUs; labels status, group, queue, partition (-1 = absent). Equal submits
   are in the order of job numbers. Jobs that cannot be replayed are left out and counted. */
extern const struct trace_reader swf_reader;
/* "itp": Microsoft's ITP clusters as published with ElasticFlow, raw or annotated. With
   options->models, model_name, batch_size (of the whole job) and deadline become model, batch per
   GPU and deadline_s; all other columns become labels. */
extern const struct trace_reader itp_reader;
/* Microsoft's Philly, August to December 2017. "philly": rows are numbered from 1; the virtual
   cluster is the user. "philly-json": the published cluster_job_log; labels vc, status, attempts.
 */
extern const struct trace_reader philly_reader, philly_json_reader;
/* "alibaba-gpu-2023": pods of openb; gpu_spec becomes gpu_type (alternatives A|B), gpu_milli below
   1000 gpu_share. "alibaba-pai-2020": in the form of its simulator. */
extern const struct trace_reader alibaba_gpu_2023_reader, alibaba_pai_2020_reader;
/* "helios" and "acme": one reader; state, queue, nodes, virtual cluster, others: labels. */
extern const struct trace_reader helios_reader, acme_reader;
/* "gavel": rows are numbered from 1; the model is always taken: work is in its steps. */
extern const struct trace_reader gavel_reader;
/* "pollux" and "sia": one reader. They name an application, no duration: options give its work. */
extern const struct trace_reader pollux_reader, sia_reader;
/* "slurm": what `sacct --parsable2` prints. */
extern const struct trace_reader slurm_reader;

/* --- alibaba: openb of 2023 (pods and nodes), and PAI of 2020 in the form of its simulator --- */

/* The node list of openb as the cluster section of a scenario. Power is not in the list: the keys
   are left out, with a comment. Adds notes and rows_read to *notes. Negative after adding problems.
 */
int alibaba_nodes_read(const char *path, struct str *out, struct trace *notes,
                       struct problems *problems) MUST_CHECK;

#endif
