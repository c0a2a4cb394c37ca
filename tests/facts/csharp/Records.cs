namespace Shop;

[Table("orders")]
public record Order(
    //        ^ def record Shop.Order
    int Number, // of the year
    /* who pays */
    string Customer) : Entity(Number);

public class Desk(ILog log,
    IStore store) : Base
{
    public void Open() => log.Write(store);
    //                    ^ -> 10 ?
}
