/* A summary that makes a terminal red. */
#define SUMMARY "for \033[31mtests"
#include "template.h"
