int util_common;
