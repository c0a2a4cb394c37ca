#define TRACE
#if NETFRAMEWORK && !TRACE
using System.Web;
#else
using System.Net;
#endif

namespace Example.Directives;

#region types
public sealed class Logger
#if ASYNC
    : IAsyncDisposable
#endif
{
#if ASYNC
    public void Only() => Write("only");
    //          ^ def method Example.Directives.Logger.Only
    //                    ^ -> 26
#elif TRACE
    public void Other() { }
#else
    public void Third() { }
    //          ^ def method Example.Directives.Logger.Third
#endif
    void Write(string text)
    {
#pragma warning disable CS0618
        switch (text)
        {
            case "a": break;
#if TRACE
            case "b": Flush(text); break;
            //        ^ -> 45
#endif
        }
        if (text == null) { }
#if TRACE
        else if (text.Length > 1) { Flush(text); }
        //                                ^ -> 26
#endif
        else { }
    }

    void Flush(string text) { }
}
#endregion
