#import "Cart.h"
#import <Foundation/Foundation.h>

/** What can be priced. */
@protocol Priced <NSObject>
//        ^ def interface Priced
- (int)price;
//     ^ def method Priced.price
@end

@interface Cart : NSObject <Priced> {
  int _count;
//    ^ def field Cart._count
}
@property (nonatomic, strong) NSString *name;
//                                      ^ def property Cart.name
@end

@interface Store : NSObject
//         ^ def class Store
+ (Store *)make;
//         ^ def method Store.make
@end

@implementation Basket
//              ^ def class Basket
- (instancetype)initWithName:(NSString *)name size:(int)size {
//              ^ def method Basket.initWithName
  [self price];
//      ^ call
  return self;
}
- (int)price {
//     ^ def method Basket.price
  return 1;
}
@end

static int helper(int n) { return n; }
//         ^ def function helper
typedef enum { Red, Green } Kind;
//             ^ def enum_member Kind.Red
//                          ^ def type Kind
#define LIMIT 3
