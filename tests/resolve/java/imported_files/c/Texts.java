package c;
public class Texts extends b.Other { public static String title() { return ""; } }
