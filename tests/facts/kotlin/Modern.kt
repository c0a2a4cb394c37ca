package shop

@Serializable
data class Order(
 //        ^ def class Order
    val kind: @Serializable(Kinds::class) Kind? = null,
 //     ^ def property Order.kind
    val title: String = "",
) : Entity(1)

class Adapter
  @RequiresApi(37)
  internal constructor() : Base {
    var request: Request.() -> Unit = {}
//      ^ def property Adapter.request
        @Deprecated(
            "old (very)",
            ReplaceWith("other")
        ) // stays for a while
        private set

    private val verifier: suspend ((Header) -> Verifier?) = config.verifier
//              ^ def property Adapter.verifier

    context(project: Project, log: Log<String>)
    override fun check(call: Call) {
//               ^ def method Adapter.check
        val later = suspend { 42 }
        val in1 = open()
        in1.close()
//      ^ -> 29
        val raw = $$"a ${ $x"
        val said = """say "it""""
        val bit = 1 shl 2
        set = set or bit
        val count = 3
        get {
            foo(count)
        }
        when (call) {
            is Get if call.ok() -> 1
            else if call.no() -> 3
            else -> 2
        }
        names.zip(String?::plus)
        flag.compareAndSet(expect = false, update = true)
    }

    fun last() = 1
//      ^ def method Adapter.last
}

enum class Word { enum, id }
//                ^ def enum_member Word.enum
