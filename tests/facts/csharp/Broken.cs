class Broken
{
    int kept;

    void First(
    {
        kept = 1;
    //  ^ -> 3
    }

    void Second( { return kept +; }

    int Third() => kept;
    //             ^ -> 3
