package a;
class Use { void run(Items items, Mine mine) {
  Store.of(Item.class).use();
  //                   ^ -> a/Item.java#Item.use
  Store.same(new Item()).use();
  //                     ^ -> a/Item.java#Item.use
  mine.read().use();
  //          ^ -> a/Item.java#Item.use
} }
abstract class Mine extends Store<Item, Mine> {}
