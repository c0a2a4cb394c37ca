package a;
public class Writer {
  Writer put(int value) { return this; }
  Writer put(long value) { return this; }
  Writer put(String value) { return this; }
  Writer put(Object value) { return this; }
  Writer put(int[] values) { return this; }
  Writer put(String format, Object... rest) { return this; }
  private Writer put(char value) { return this; }
}
