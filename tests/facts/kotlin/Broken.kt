class Broken {
    val kept = 1

    fun first( {
        kept
    }

    fun third() = kept
    //  ^ def function third
