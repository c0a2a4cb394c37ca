package a;
public class Sink {
  void put(String value) {}
  void put(Number value) {}
}
