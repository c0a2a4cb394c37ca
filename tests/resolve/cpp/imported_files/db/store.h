// imports -> include/kv/api.h
#include <kv/api.h>
int store();
