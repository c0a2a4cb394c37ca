#include "a.hpp"
#include <far.h>
struct Far : Elsewhere { void f() { helper(); } };
//                                  ^ -> nothing
struct Near : Known { void f() { own(); } };
//                               ^ -> a.hpp#Known.own
