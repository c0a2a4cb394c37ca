// Locals: order, lambdas, bindings, conditions.
struct node { int x; node* next; };
int g(int value) { return value; }

int order(int a, node* list) {
  int b = a, c = b;
//               ^ -> 6
  int a2 = a2;
//         ^ -> 8
  auto [first, second] = pair(a);
//                       ^ unknown
  g(first + second);
//  ^ -> 10
//          ^ -> 10
  for (auto& item : list->next->items(a)) {
//                        ^ member
    g(item.x);
//    ^ -> 15
  }
  for (int list : g(list)) g(list);
//                  ^ -> 5
//                           ^ -> 20
  if (auto found = g(b); found > c) {
//                       ^ -> 23
    g(found);
//    ^ -> 23
  } else {
    g(found + a);
//    ^ -> 23
  }
  g(found);
//  ^ unknown
  while (node* step = next(list)) { g(step->x); }
//                                    ^ -> 33
  try { throw 1; } catch (const failure& error) { g(error.code); }
//                              ^ unknown
//                                                  ^ -> 35
  struct node* node = list;
//       ^ -> 2
  struct node* again = node;
//       ^ -> 2
//                     ^ -> 38
  return c;
}

int closures(int outer) {
  auto plain = [](int x) { return x; };
//                                ^ -> 47
  auto renamed = [outer = outer + 1, &plain](auto y) mutable { return outer + y + plain(y); };
//                        ^ -> 46
//                                                                    ^ -> 49
//                                                                                ^ -> 47
  auto generic = []<typename T>(T value) -> T { return T(value); };
//                              ^ -> 53
//                                                     ^ -> 53
  node made(outer);
//^ -> 2
//          ^ -> 46
  node braced{outer, nullptr};
//            ^ -> 46
  g(made.x + braced.x);
//  ^ -> 56
  return renamed(static_cast<int>(outer)) + sizeof(node) + a::b::c(outer) + ::g(outer);
//                                                         ^ unknown
//                                                            ^ member
//                                                               ^ member_call
  // the global one is named by its path
}

int defaults(int p, int q = g(3), int (*fn)(int p) = g);
int initializers() {
  node n = {.x = 1, .next = 0};
//                   ^ label
  goto end;
end:
  return n.x;
}
