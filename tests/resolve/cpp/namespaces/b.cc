#include "app/widget.h"
using namespace app::inner;
int b() { return helper(); }
//               ^ -> include/app/widget.h#app.inner.helper
