#include "w.h"
void f(app::Widget& w, app::Widget* p) { w.draw(); p->draw(); }
//                                         ^ -> w.cc#app.Widget.draw, w.h#app.Widget.draw
//                                                    ^ -> w.cc#app.Widget.draw, w.h#app.Widget.draw
