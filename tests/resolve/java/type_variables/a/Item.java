package a;
public class Item { void use() {} }
