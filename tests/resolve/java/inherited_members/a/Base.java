package a;
public class Base {
  int held;
  void act() {}
  static class Kept {}
}
