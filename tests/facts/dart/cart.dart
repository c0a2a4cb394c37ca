/// Carts of a small shop.
import 'item.dart';

const limit = 3;
//    ^ def constant limit
int total = 0;
//  ^ def variable total

/// What can be priced.
abstract class Base {
//             ^ def class Base
  void run();
}

class Cart extends Base {
//    ^ def class Cart
  final int size;
//          ^ def field Cart.size
  static const int step = 1;
//                 ^ def constant Cart.step

  Cart(this.size);
  Cart.empty() : size = 0;
//     ^ def constructor Cart.empty
  factory Cart.of(int n) => Cart(n);
//             ^ def constructor Cart.of

  int get twice => size * 2;
//        ^ def property Cart.twice

  /// Adds some items.
  Future<int> add(int n) async {
//            ^ def method Cart.add
    return n + size;
  }

  void _hidden() {}
//     ^ def method Cart._hidden
}

mixin Priced on Base {
//    ^ def trait Priced
  void price() {}
//     ^ def method Priced.price
}

enum Color { red, green }
//   ^ def enum Color
//           ^ def enum_member Color.red

typedef Count = int Function(int);
//      ^ def type Count

int make(int n) => n;
//  ^ def function make

void main() {
//   ^ def function main
  make(total);
}
