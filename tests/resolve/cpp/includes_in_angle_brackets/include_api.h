int api_open(int fd);
