namespace P;
public partial class Policy {
  int _held;
}
