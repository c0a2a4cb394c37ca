namespace Example;

/// Locals, and how far each of them is seen.
class Flow
{
    private string text = "";
    private int item;
    private Flow next;

    int Shadowing(int first, string key = nameof(item))
    {
        item = first;
    //  ^ -> 7
        for (int i = 0, n = item; i < n; i++)
        //                        ^ -> 14
        {
            first += i;
        //  ^ -> 10
        }
        foreach (var text in text.Split(','))
        //                   ^ -> 6
        {
            text.Trim();
            // ^ -> 20
        }
        foreach (var (name, (one, two)) in Pairs())
            Log(name, one, two);
            //  ^ -> 26
            //        ^ -> 26
        using (var text = Open()) { Log(text); }
        //                              ^ -> 30
        using var stream = Open();
        {
            string text = "";
            Log(text);
            //  ^ -> 34
        }
        var (left, right) = (1, 2);
        (int up, var down) = (left, right);
        //                    ^ -> 38
        Log(up, down, stream, i, text);
        //  ^ -> 39
        //      ^ -> 39
        //            ^ -> 32
        //                    ^ unknown
        //                       ^ -> 6
        return text.Length;
        //     ^ -> 6
        //          ^ member
    }

    int Patterns(object value, Flow other)
    {
        if (value is string { Length: > 1 } text && text.Length > item)
            //                ^ member
            //                                      ^ -> 54
            return text.Length;
            //     ^ -> 54
        else if (value is Flow { item: var inner, next.item: 2 } found)
            //            ^ type
            //                                    ^ member
            return inner + found.item;
            //     ^ -> 59
            //             ^ -> 59
        if (value is not int number) throw new System.Exception();
        if (!int.TryParse(key, out var parsed)) return parsed + number;
        //                                             ^ -> 66
        //                                                      ^ -> 65
        while (Next(out var turn)) Log(turn);
        //                             ^ -> 69
        Log(turn);
        //  ^ unknown
        if (item > 1) Take(out var once);
        if (item > 2) Take(out var once);
        Log(once, parsed);
        //  ^ unknown
        //        ^ -> 66
        switch (value)
        {
            case Flow item when item.next != null:
                //              ^ -> 80
                return item.item;
                //     ^ -> 80
                //          ^ member
            case 1:
                int shared = item;
                //           ^ -> 7
                goto case 2;
            case 2:
                shared = 2;
                // ^ -> 86
                goto done;
                //   ^ label
        }
        done: return value switch
        //^ label
        {
            (int x, var y) when x > y => x,
            //                      ^ -> 98
            //                           ^ -> 98
            Flow { next: var tail } => tail.item,
            //                         ^ -> 101
            var rest => rest.GetHashCode() + item,
            //          ^ -> 103
            //                               ^ -> 7
        };
    }

    void Lambdas(System.Action<int> action)
    {
        System.Func<int, int> one = item => item + 1;
        //                                  ^ -> 111
        System.Func<int, int, int> two = (int a, b) => { var sum = a + b; return sum + item; };
        //                                                         ^ -> 113
        //                                                                       ^ -> 113
        //                                                                             ^ -> 7
        var three = delegate (int a) { return a; };
        //                                    ^ -> 117
        action(1);
        // ^ -> 109
        this.one(a: 2);
        //   ^ member_call
        //       ^ label
        Later();
        // ^ -> 126
        void Later() { action(item); }
        //             ^ -> 109
        Lambdas(Lambdas2);
        // ^ -> 109
        //      ^ -> 136
        next?.Lambdas(null);
        // ^ -> 8
        //    ^ member_call
    }

    void Lambdas2(int ignored) { }

    object Query(int[] numbers, int[] others) =>
        from n in numbers
        join o in others on n equals o into matched
        //                  ^ -> 139
        //                           ^ -> 140
        let twice = n * 2
        where twice > item && numbers.Length > 0
        //    ^ -> 143
        //            ^ -> 7
        //                    ^ -> 138
        group matched by twice into grouped
        select new { grouped.Key, Count = grouped, item };
        //           ^ -> 148
        //                        ^ label
        //                                         ^ -> 7

    int Half => Make() is { item: var half } ? half / 2 : 0;
    //                                         ^ -> 154
    int Other => Make() is { item: var half } ? half : 0;
    //                                          ^ -> 156

    int Guarded
    {
        get
        {
            try { return item; }
            catch (System.IO.IOException error) when (error.Data is var data) { Log(error, data); }
            //                                                                      ^ -> 164
            //                                                                             ^ -> 164
            catch (System.Exception) { }
            finally { int last = 1; Log(last); }
            //                          ^ -> 168
            return error;
            //     ^ unknown
        }
        set { int value2 = value; item = value2; }
        //                 ^ name
        //                               ^ -> 173
    }

    Flow Make() => new Flow { item = 1, next = new() { item = item } } with { text = text };
    //                 ^ -> 4
    //                        ^ label
    //                                                        ^ -> 7
    //                                                                        ^ label
    //                                                                               ^ -> 6

    dynamic Reflect(string name)
    {
        typeof(Flow).GetMethod("Make");
        typeof(Flow).GetProperty(name);
        System.Activator.CreateInstance(typeof(Flow));
        Activator.CreateInstance(typeof(Flow));
        return Type.GetType("Example.Flow");
    }
}
