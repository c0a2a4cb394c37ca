#include "list.h"
int main(void) { return list_head()->value + list_size(0); }
//                                   ^ -> list.h#node.value
//                                           ^ -> list.c#list_size, list.h#list_size
