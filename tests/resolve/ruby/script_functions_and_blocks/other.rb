help
# <- nothing
