int test_common;
