struct State {
  State(int flags, int size);
  int push();
};
int parse(int flags, int size) {
  State state(flags, size);
//            ^ -> nothing
  return state.push();
//             ^ -> #State.push
}
