#include "app/widget.h"
int main() {
  app::Widget w; w.draw(1);
  //               ^ -> include/app/widget.h#app.Widget.draw
  auto p = new app::Widget(); p->draw(1);
  //                             ^ -> include/app/widget.h#app.Widget.draw
  auto q = app::Widget::make(); q->draw(1);
  //                    ^ -> include/app/widget.h#app.Widget.make
  //                               ^ -> include/app/widget.h#app.Widget.draw
  for (auto& part : w.parts) part.draw(1);
  //                              ^ -> include/app/widget.h#app.Widget.draw
  auto u = std::make_unique<app::Widget>(); u->draw(1); u.get()->draw(1);
  //                                           ^ -> include/app/widget.h#app.Widget.draw
  //                                                             ^ -> include/app/widget.h#app.Widget.draw
  w.child_->go(); static_cast<app::Base*>(p)->go();
  //        ^ -> include/app/widget.h#app.Base.go
  //                                          ^ -> include/app/widget.h#app.Base.go
}
