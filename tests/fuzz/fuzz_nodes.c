/* The node list of alibaba-gpu-2023 on any bytes: what it accepts becomes YAML that easim reads. */
#include "fuzz/fuzz.h"
#include "ingest/logs/formats.h"
#include "io/yaml_doc.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    struct trace notes = {0};
    struct problems problems = {0};
    struct str cluster = {0};
    struct yaml_doc doc = {0};
    int r =
        alibaba_nodes_read(fuzz_file(FUZZ_FILE_INPUT, bytes, length), &cluster, &notes, &problems);
    fuzz_assert((r < 0) == (problems.count > 0));
    if (r == 0 && yaml_doc_parse(&doc, (struct slice){cluster.text, cluster.length}, "cluster",
                                 &problems) < 0)
        fuzz_fail(problems.texts[0]);
    yaml_doc_finish(&doc);
    str_finish(&cluster);
    trace_finish(&notes);
    problems_finish(&problems);
    return 0;
}
