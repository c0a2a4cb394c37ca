namespace app {
class Widget {
  void draw();
  int n_;
};
}
