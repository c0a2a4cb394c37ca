struct Out {
  void put(int n);
  void put(char c);
  //   ^ -> nothing
};
