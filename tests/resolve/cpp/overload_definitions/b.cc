#include "a.hpp"
void f(Out& out) { out.put(1); }
//                     ^ -> a.hpp#Out.put@2, a.hpp#Out.put@3
