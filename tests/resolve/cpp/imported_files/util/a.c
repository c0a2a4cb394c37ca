/* beside the file */
// imports -> util/common.h
#include "common.h"
