namespace app { class Other; void draw(); }
void g(app::Other& o) { o.draw(); }
//                        ^ -> nothing
