namespace P;
public class Policy<T> { public T Value { get; } }
