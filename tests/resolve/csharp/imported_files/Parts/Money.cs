namespace Shop.Parts { public class Money { } }
