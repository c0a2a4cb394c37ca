package b;
public class Other {}
