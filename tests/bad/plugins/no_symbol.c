/* A shared object, but not a policy. */
extern __attribute__((visibility("default"))) const int something_else;

const int something_else = 1;
