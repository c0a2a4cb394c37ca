typedef struct node {
  struct node *next;
  int value;
} node;
node *list_head(void);
int list_size(node *n);
