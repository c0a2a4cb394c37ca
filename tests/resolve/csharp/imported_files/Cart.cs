// imports -> Parts/Item.cs, Parts/Money.cs, Shared/All.cs, Shared/Texts.cs
using System;
using Shop.Parts;
using static Shop.Shared.Texts;
using Everything = Shop.Shared.All;
namespace Shop;
class Cart { Item item; string Name() => Title() + item.Cost; Money money; }
