#!/usr/bin/env dotnet-script
#r "nuget: Example, 1.0"
using System;

var total = 0;
foreach (var word in args)
{
    total += Measure(word);
    // ^ -> 5
    //       ^ -> 16
    //               ^ -> 6
}
Console.WriteLine(total);
//                ^ -> 5

int Measure(string text)
//  ^ def function Measure
{
    return text.Length + total;
    //                   ^ -> 5
}

record Word(string Text);
