package b;
public class One { public static class Inner {} }
