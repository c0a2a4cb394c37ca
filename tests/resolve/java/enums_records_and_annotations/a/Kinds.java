package a;
public class Kinds {
  public enum Color { RED, GREEN; boolean warm() { return this == RED; } }
  public record Point(int x, Color color) {}
  public @interface Marked { String value(); int level(); }
}
