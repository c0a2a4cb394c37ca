/* Macros that the grammar cannot read, each with what it must not hide. */
typedef int APP_CALLBACK(progress_cb)(int done, void *payload);
/*                       ^ def type progress_cb */
typedef long (APICALL FARCALL * opener_t)(int flags);
/*                              ^ def type opener_t */
typedef void (*visitor_t)(const char *name,
                          void *payload);
#define EACH(list, item) \
    for (item = (list)->first; item; item = item->next)
unsigned char * app_cdecl
print_to(unsigned char *buffer, const char *format, ...)
{
    return buffer;
/*         ^ -> 11 */
}
APP_EXTERN(int) store_dump(store_t *from, buffer_t *to, options_t *with);
/*              ^ def function store_dump */
APP_EXTERN(const char *) store_name(
    const store_t *store);

int choose(int kind) {
/*  ^ def function choose */
#if WIDE
    if (kind == 1) {
        return 1;
    }
#endif
#if NARROW
    else if (kind == 2) {
        return kind;
/*             ^ -> 21 */
    }
#endif
    return 0;
}

#define ALL_TAGS "refs/tags/*:refs/tags/*"
int after_globs(void);
/*  ^ def function after_globs */
