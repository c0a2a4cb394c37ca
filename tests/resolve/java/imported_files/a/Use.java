// imports -> b/Made.java, c/Texts.java, b/One.java
package a;
import b.*;
import b.One.Inner;
import static c.Texts.*;
import java.util.List;
class Use { Made made; Inner inner; String s = title(); }
