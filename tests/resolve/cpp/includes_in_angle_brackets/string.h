int strdup2(int n);
