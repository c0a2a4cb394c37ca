#pragma once
#include <memory>
#include <vector>
namespace app {
class Base {
 public:
  virtual void go();
 protected:
  int count_;
};
class Widget : public Base {
 public:
  static Widget* make();
  void draw(int x);
  std::unique_ptr<Base> child_;
  std::vector<Widget> parts;
};
namespace inner { int helper(); enum class Color { Red }; enum Old { kOne }; }
}
