namespace Shop.Parts;
public class Unused { }
