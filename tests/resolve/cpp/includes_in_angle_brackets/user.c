#include <include_api.h>
#include <string.h>
int run(void) { return api_open(1) + strdup2(2); }
//                     ^ -> include_api.h#api_open
//                                   ^ -> nothing
