#include "app/widget.h"
namespace app {
int a() { return inner::helper(); }
//                      ^ -> include/app/widget.h#app.inner.helper
auto b() { return inner::Color::Red; }
//                              ^ -> include/app/widget.h#app.inner.Color.Red
int c = inner::kOne;
//             ^ -> include/app/widget.h#app.inner.Old.kOne
}
