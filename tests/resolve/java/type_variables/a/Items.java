package a;
public class Items extends Store<Item, Items> {
  Item read() { return null; }
  Items self() { return this; }
  void more() {}
  <T extends Item> void all(T item) { item.use(); }
  //                                       ^ -> a/Item.java#Item.use
}
