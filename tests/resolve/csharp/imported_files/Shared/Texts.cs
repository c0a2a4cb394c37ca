namespace Shop.Shared;
public static class Texts { public static string Title() => ""; }
