#include "list.h"
int list_size(node *n) { return n->next->value; }
//                                       ^ -> list.h#node.value
