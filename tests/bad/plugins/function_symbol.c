/* A function where the host looks for a constant. */
extern __attribute__((visibility("default"))) int easim_policy(void);

int easim_policy(void) {
    return 1;
}
