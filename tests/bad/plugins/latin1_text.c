/* A help of two lines, in which ISO 8859-1 has an e with an accent. */
#define HELP "Does nothing.\nD\351j\340 vu."
#include "template.h"
