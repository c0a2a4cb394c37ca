"""Java beyond the file."""

from __future__ import annotations

from codeplane.facts.model import Tier
from support.claims import check_claims

_SHAPES = {
    "src/main/java/geo/Shape.java": """package geo;
public abstract class Shape { //= Shape
  protected int sides; //= sides
  public static final Shape UNIT = new Square(1); //= UNIT
  public abstract double area(); //= area
  public Shape scaled(double by) { return this; } //= scaled
  public static class Visitor { //= Visitor
    public void visit(Shape shape) {} //= visit
  }
}
""",
    "src/main/java/geo/Square.java": """package geo;
public class Square extends Shape { //> Shape Shape
  public Square(int side) { sides = 4; } //> sides sides
  public Square(int a, int b) {} //= pair
  public double area() { return sides; } //= squarearea
}
""",
}


def test_imports_and_packages() -> None:
    check_claims(
        {
            **_SHAPES,
            "src/test/java/app/Main.java": """package app;
import geo.Shape; //> Shape Shape
import geo.Shape.Visitor; //> Shape Shape; Visitor Visitor
import static geo.Shape.UNIT; //> UNIT UNIT
import java.util.List;
class Main {
  Shape shape; //> Shape Shape
  void run(List<Shape> shapes) {
    shape.area(); //> area area
    UNIT.scaled(2).area(); //> UNIT UNIT; scaled scaled; area area
    for (var each : shapes) each.area(); //> area area
    shapes.get(0).area(); //> area area
    new Visitor().visit(shape); //> visit visit
    geo.Square square = null;
    square.area(); //> area squarearea
    String text = "";
    text.length(); //> length -
  }
}
""",
            "src/main/java/other/Shape.java": """package other;
public class Shape {}
""",
        }
    )


def test_all_of_a_package_and_the_same_package() -> None:
    check_claims(
        {
            **_SHAPES,
            "src/main/java/app/Star.java": """package app;
import geo.*;
import static geo.Shape.*;
class Star { Shape shape = UNIT; } //> Shape Shape; UNIT UNIT
""",
            "lib/geo/Near.java": """package geo;
class Near { Square of() { return null; } //> Square square
  void run() { of().scaled(1); } //> scaled scaled
}
""",
        }
        | {
            "src/main/java/geo/Square.java": _SHAPES["src/main/java/geo/Square.java"].replace(
                "> Shape Shape", "= square"
            )
        }
    )


def test_constructors_are_chosen_by_their_arguments() -> None:
    check_claims(
        {
            **_SHAPES,
            "src/main/java/geo/Made.java": """package geo;
class Made { //= Made
  Object a = new Square(1, 2); //> Square whole pair
  Object b = new Made(); //> Made -
}
""",
            "src/main/java/geo/Square.java": _SHAPES["src/main/java/geo/Square.java"].replace(
                "> Shape Shape", "= whole"
            ),
        }
    )


def test_inherited_members_are_named_without_an_object() -> None:
    check_claims(
        {
            "a/Base.java": """package a;
public class Base {
  int held; //= held
  void act() {} //= act
  static class Kept {} //= Kept
}
""",
            "a/Derived.java": """package a;
class Derived extends Base {
  void run() {
    act(); //> act act
    held = 1; //> held held
    Kept kept; //> Kept Kept
    Runnable later = new Runnable() {
      public void run() { act(); } //> act act
    };
    Base other = new Base() {
      void act() { super.act(); }
      void more() { act(); }
    };
    this.act(); //> act act
    toString(); //> toString -
  }
}
""",
        }
    )


def test_overloads() -> None:
    check_claims(
        {
            "a/Writer.java": """package a;
public class Writer {
  Writer put(int value) { return this; } //= int
  Writer put(long value) { return this; } //= long
  Writer put(String value) { return this; } //= text
  Writer put(Object value) { return this; } //= object
  Writer put(int[] values) { return this; } //= ints
  Writer put(String format, Object... rest) { return this; } //= rest
  private Writer put(char value) { return this; }
}
""",
            "a/Use.java": """package a;
class Use {
  void run(Writer writer, long wide, int[] many, Use use) {
    writer.put(1); //> put int
    writer.put(wide); //> put long
    writer.put("x"); //> put text
    writer.put("x" + wide); //> put text
    writer.put(use); //> put object
    writer.put(many); //> put ints
    writer.put("x", 1, 2); //> put rest
    writer.put(1).put(wide); //> put int
    writer.put(Integer.valueOf(1)); //> put object
  }
}
""",
        }
    )


def test_a_call_that_several_fit_is_anchored() -> None:
    files = {
        "a/Sink.java": """package a;
public class Sink {
  void put(String value) {} //= text
  void put(Number value) {} //= number
}
""",
        "a/Use.java": """package a;
import lib.Unknown;
class Use { void run(Sink sink, Unknown other) { sink.put(other.value()); } } //> put text number
""",
    }
    check_claims(files, Tier.ANCHORED)
    check_claims(files | {"a/Use.java": files["a/Use.java"].replace("text number", "-")})


def test_enums_records_and_annotations() -> None:
    check_claims(
        {
            "a/Kinds.java": """package a;
public class Kinds {
  public enum Color { RED, GREEN; boolean warm() { return this == RED; } } //= Color
  public record Point(int x, Color color) {} //= Point
  public @interface Marked { String value(); int level(); } //= Marked
}
""",
            "a/Use.java": """package a;
import a.Kinds.*;
class Use {
  static final int LIMIT = 1; //= LIMIT
  @Marked(value = "", level = 1) //> Marked Marked; level Marked
  int run(Point point, Color color, int count) {
    switch (color) { case RED: return 1; } //> RED Color
    switch (count) { case LIMIT: return 1; } //> LIMIT LIMIT
    return point.color().warm() ? 1 : 0; //> color Point; warm Color
  }
}
""",
        }
    )


def test_type_variables() -> None:
    check_claims(
        {
            "a/Item.java": """package a;
public class Item { void use() {} } //= use
""",
            "a/Store.java": """package a;
public abstract class Store<K, B extends Store<K, B>> {
  abstract K read();
  abstract B self();
  static <T> T of(Class<T> type) { return null; }
  static <T> T same(T value) { return value; }
}
""",
            "a/Items.java": """package a;
public class Items extends Store<Item, Items> {
  Item read() { return null; }
  Items self() { return this; }
  void more() {} //= more
  <T extends Item> void all(T item) { item.use(); } //> use use
}
""",
            "a/Use.java": """package a;
class Use { void run(Items items, Mine mine) {
  Store.of(Item.class).use(); //> use use
  Store.same(new Item()).use(); //> use use
  mine.read().use(); //> use use
} }
abstract class Mine extends Store<Item, Mine> {}
""",
        }
    )


def test_what_is_ambiguous_has_no_link() -> None:
    check_claims(
        {
            "one/a/Thing.java": "package a;\npublic class Thing {}\n",
            "two/a/Thing.java": "package a;\npublic class Thing {} //= near\n",
            "three/b/Use.java": "package b;\nimport a.Thing; //> Thing -\nclass Use {}\n",
            "two/b/Near.java": "package b;\nimport a.Thing;\nclass Near { Thing thing; } //> Thing near\n",
        }
    )
