// Names: shadowing, order of declaration, tags beside variables.
#include <stdlib.h>
struct list {
  struct list *next;
//       ^ -> 3
  int size;
};
enum mode { ON, OFF };
static int count = 0;
int total(void), limit = 3;
//  ^ def function total

static int walk(struct list *list, int size) {
//                     ^ -> 3
  struct list *last = list;
//       ^ -> 3
//                    ^ -> 13
  int count = count + 1;
//            ^ -> 18
  int a = size, b = a;
//        ^ -> 13
//                  ^ -> 20
  for (int i = 0; i < b; i++) {
//                ^ -> 23
    int size = i;
    last->size = size;
//        ^ member
//               ^ -> 25
  }
  if (last) {
    int before = limit;
//               ^ -> 10
    {
      int limit = before;
      before = limit;
//             ^ -> 34
    }
    before = limit;
//           ^ -> 10
  }
  struct list copy = {.next = last, .size = size};
//                     ^ label
//                                   ^ label
//                                          ^ -> 13
  switch (size) {
    case ON: {
//       ^ -> 8
      goto done;
//         ^ label
    }
  }
  total();
//^ call
  copy.next->size = sizeof(struct list) + missing(copy.size);
//     ^ member
//                                        ^ unknown
done:
  return walk(list, count);
//       ^ -> 13
//                  ^ -> 18
}

static void later(void) {
  count = first_used_then_defined();
//^ -> 9
//        ^ -> 79
  enum mode mode = OFF;
//     ^ -> 8
//                 ^ -> 8
  mode = ON;
//^ -> 67
  void *handle = dlopen("libshop.so", 0);
  dlsym(handle, "shop_open");
#define STEP 2
  count += STEP;
//         ^ -> 74
}

int first_used_then_defined(void) { return STEP; }
//                                         ^ -> 74

#ifdef SMALL
#define WIDTH 1
#else
#define WIDTH 2
#endif
static int width = WIDTH;
//                 ^ -> 83 ?
