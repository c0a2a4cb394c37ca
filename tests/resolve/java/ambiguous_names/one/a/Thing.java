package a;
public class Thing {}
