// imports -> nothing
int size();
