package a;
public abstract class Store<K, B extends Store<K, B>> {
  abstract K read();
  abstract B self();
  static <T> T of(Class<T> type) { return null; }
  static <T> T same(T value) { return value; }
}
