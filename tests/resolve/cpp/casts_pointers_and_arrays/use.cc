struct Shard {
  int insert(int n);
  Shard* next;
};
struct Cache {
  Shard shards[4];
  Shard* more[2];
  Shard** all;
  int insert(int n) {
    shards[0].insert(n);
//            ^ -> #Shard.insert
    more[n & 1]->insert(n);
//               ^ -> #Shard.insert
    return all[0]->insert(n);
//                 ^ -> #Shard.insert
  }
};
struct Indexed {
  Cache operator[](int n);
};
void work(void* data, Shard** out, Indexed by, Shard&& moved) {
  reinterpret_cast<Cache*>(data)->insert(1);
//                                ^ -> #Cache.insert
  static_cast<const Cache*>(data)->insert(1);
//                                 ^ -> #Cache.insert
  auto cache = static_cast<Cache*>(data);
  cache->insert(2);
//       ^ -> #Cache.insert
  ((Cache*)data)->insert(3);
//                ^ -> #Cache.insert
  (*out)->insert(4);
//        ^ -> #Shard.insert
  by[0].insert(5);
//      ^ -> #Cache.insert
  moved.insert(6);
//      ^ -> #Shard.insert
  Shard local[3], *first = &local[0], **second;
  local[1].insert(7);
//         ^ -> #Shard.insert
  first[1].insert(8);
//         ^ -> #Shard.insert
  (*second)->insert(9);
//           ^ -> #Shard.insert
  first->next[0].next->insert(10);
//                     ^ -> #Shard.insert
  Cache& same = *new Cache();
  same.insert(11);
//     ^ -> #Cache.insert
  if (Cache* held = static_cast<Cache*>(data)) held->insert(12);
//                                                   ^ -> #Cache.insert
  for (Shard* at = first; at != nullptr; at = at->next) at->insert(13);
//                                                          ^ -> #Shard.insert
  Shard* const fixed = first;
  fixed->insert(14);
//       ^ -> #Shard.insert
}
