namespace P;
public partial class Policy {
  int Get() => _held;
  //           ^ -> a/Policy.One.cs#P.Policy._held
}
