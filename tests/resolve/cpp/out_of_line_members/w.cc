#include "w.h"
namespace app {
void Widget::draw() { n_ = 1; }
//                    ^ -> w.h#app.Widget.n_
}
