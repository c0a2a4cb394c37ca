// imports -> Parts/Item.cs, Parts/Money.cs, Parts/Unused.cs
// Nothing of the namespace is used: all of its files are meant.
using Shop.Parts;
namespace Shop.Shared;
public class All { }
