namespace Shop.Parts;
public class Item { public int Cost; }
