/* A number where the host looks for a struct. */
extern __attribute__((visibility("default"))) const int easim_policy;

const int easim_policy = 1;
