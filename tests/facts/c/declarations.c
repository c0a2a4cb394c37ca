// Declarations: kinds, nesting, linkage.
#include <stdio.h>
#include "shop/item.h"
#define MAX_ITEMS 16
#define SQUARE(x) ((x) * (x) + MAX_ITEMS + helper(x))
//                  ^ -> 5
//                             ^ -> 4
//                                         ^ call

/**
 * @brief A point in the plane.
 *
 * @param none at all
 */
struct point {
  int x, *next;
//    ^ def field point.x
//        ^ def field point.next
  unsigned flags : 3;
  void (*moved)(struct point *self, int by);
//       ^ def field point.moved
//                     ^ type
  struct inner {
//       ^ def struct point.inner
    int depth;
  } nested;
//  ^ def field point.nested
  struct {
    int hidden;
//      ^ def field point.where.hidden
  } where;
  enum { NEAR, FAR } range;
//             ^ def enum_member point.range.FAR
};

typedef struct {
  int sum;
//    ^ def field total_t.sum
} total_t, *total_p;
//^ def struct total_t
//          ^ def type total_p
typedef struct node node_t;
//             ^ unknown
typedef int (*compare_fn)(const void *left, const void *right);
//            ^ def type compare_fn
typedef int plain_fn(int);
//          ^ def type plain_fn
typedef enum color { RED, GREEN = MAX_ITEMS } color_t;
//           ^ def enum color
//                        ^ def enum_member color.GREEN
union value {
  int number;
  float real;
};

extern int shared_count;
static int table[MAX_ITEMS] = {RED, FAR}, *cursor;
//                                  ^ -> 32
//                             ^ -> 48
//                                         ^ def variable cursor
int (*handler)(void) = 0;
//    ^ def variable handler
static int helper(int amount);
//         ^ -> 71
const char *describe(color_t color, total_t total);
//          ^ def function describe
//                   ^ -> 48
//                                  ^ type

// Doubles what it is given.
static int helper(int amount) {
//         ^ def function helper
  return amount * 2;
//       ^ -> 71
}

int legacy(count, name)
int count;
char *name;
{
  return count + (name != 0);
//       ^ -> 77
//                ^ -> 77
}

int (*choose(int which))(void) {
//    ^ def function choose
  return which ? handler : 0;
//       ^ -> 86
//               ^ -> 61
}

char **split(struct inner *part) {
//     ^ def function split
//                  ^ -> 23
  return 0;
}
