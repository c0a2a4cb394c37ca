package a;
import a.Kinds.*;
class Use {
  static final int LIMIT = 1;
  @Marked(value = "", level = 1)
// ^ -> a/Kinds.java#Kinds.Marked
  //                  ^ -> a/Kinds.java#Kinds.Marked.level
  int run(Point point, Color color, int count) {
    switch (color) { case RED: return 1; }
    //                    ^ -> a/Kinds.java#Kinds.Color.RED
    switch (count) { case LIMIT: return 1; }
    //                    ^ -> #Use.LIMIT
    return point.color().warm() ? 1 : 0;
    //           ^ -> a/Kinds.java#Kinds.Point.color
    //                   ^ -> a/Kinds.java#Kinds.Color.warm
  }
}
