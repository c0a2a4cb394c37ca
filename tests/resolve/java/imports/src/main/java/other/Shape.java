package other;
public class Shape {}
