/* A header of C: prototypes are its definitions. */
#ifndef SHOP_API_H
#define SHOP_API_H
#ifdef __cplusplus
extern "C" {
class Wrapper;
#endif

#define SHOP_API __attribute__((visibility("default")))

/* Opens a shop. */
SHOP_API int shop_open(const char *name);
//           ^ def function shop_open
SHOP_API struct shop *shop_find(int key) SHOP_NONNULL(1);
//                    ^ def function shop_find
void SHOPCALL shop_close(struct shop *shop);
//            ^ def function shop_close

struct SHOP_PACKED shop {
//                 ^ def struct shop
  SHOP_HEADER_FIELDS
  LIST_ENTRY(shop, list) link;
  int key;
//    ^ def field shop.key
};

enum shop_state {
#define STATE(name) SHOP_##name,
  SHOP_STATES(STATE)
#undef STATE
  SHOP_LAST
//^ def enum_member shop_state.SHOP_LAST
};

SHOP_DECLARE(counter)

typedef void (SHOPCALL *shop_hook)(int event);
//                      ^ def type shop_hook

#if SHOP_WIDE
static inline int shop_width(long wide) {
#else
static inline int shop_width(int narrow) {
#endif
  return SHOP_MAX(int, va_arg(0, char *));
}

extern int shop_count;
//         ^ def variable shop_count

#ifdef __cplusplus
}
#endif
#endif
