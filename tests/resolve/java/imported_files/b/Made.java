package b;
public class Made {}
