namespace P;
class Use {
  Policy plain;
//^ -> a/Policy.One.cs#P.Policy, a/Policy.Two.cs#P.Policy
  Policy<int> some;
//^ -> a/Policy.Of.cs#P.Policy
  object made = new Policy<int>();
  //                ^ -> a/Policy.Of.cs#P.Policy
}
