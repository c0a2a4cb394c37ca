namespace app {
void f(Cache* cache) { cache->find(1); }
//     ^ -> nothing
//                            ^ -> nothing
}
