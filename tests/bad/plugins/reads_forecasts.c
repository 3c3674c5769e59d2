/* Reads forecasts, which it is not shown. */
#define READS EASIM_READS_FORECASTS
#include "template.h"
