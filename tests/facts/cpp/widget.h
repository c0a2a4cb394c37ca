// A header of C++, told by what it holds.
#ifndef WIDGET_H
#define WIDGET_H
class Widget;
class Panel {
//    ^ def class Panel
 public:
  void show(const Widget& widget);
//     ^ def method Panel.show
  enum { Shown, Gone };
//              ^ def enum_member Panel.Gone
  int state = Gone;
//            ^ -> 10
};
#endif
