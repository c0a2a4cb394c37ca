package org.example

private val item = 1
private val text = ""

// Locals, and how far each of them is seen.
private fun shadowing(first: Int, items: List<Int>) {
    val before = item
    //           ^ -> 3
    val item = item + first
    //         ^ -> 3
    //                ^ -> 7
    val first = first + item
    //          ^ -> 7
    //                  ^ -> 10
    log(first)
    //  ^ -> 13
    for (text in text.split(",")) {
        //       ^ -> 4
        log(text, first)
        //  ^ -> 18
        //        ^ -> 13
    }
    for ((index, value) in items.withIndex()) log(index, value)
    //                                            ^ -> 24
    //                                                   ^ -> 24
    val (left, _, right) = triple()
    log(left, right, index)
    //  ^ -> 27
    //        ^ -> 27
    //               ^ unknown
    if (left > 1) {
        val inner = left
        log(inner)
        //  ^ -> 33
    } else log(inner)
    //         ^ unknown
    do {
        val turn = 1
    } while (turn < 2)
    //       ^ -> 39
    try {
        val tried = 1
    } catch (error: Exception) {
        log(error, tried)
        //  ^ -> 44
        //         ^ unknown
    } finally {
        log(error)
        //  ^ unknown
    }
    when (val item = items.first()) {
        //           ^ -> 7
        is Int -> log(item)
        //            ^ -> 52
        in items -> {
            val more = item
            log("$more and ${item + 1}", more)
            //    ^ -> 57
            //               ^ -> 52
            //                           ^ -> 57
        }
        else -> return
    }
    log(item)
    //  ^ -> 10
}

private fun lambdas(items: List<Int>, block: (Int) -> Unit) {
    val limit = 3
    items.filter { it > limit }.map { one -> one + limit + item }
    //             ^ name
    //                  ^ -> 70
    //                                       ^ -> 71
    //                                             ^ -> 70
    //                                                     ^ -> 3 ?
    items.fold(0) { sum, (key, value) -> sum + key + value }
    //                                   ^ -> 77
    //                                         ^ -> 77
    block(1)
    // ^ -> 69 ?
    helper()
    // ^ -> 119
    with(items) { helper() }
    //            ^ -> 119 ?
    exposed()
    // ^ -> 121 ?
    val named = fun(number: Int): Int { return number + limit }
    //                                         ^ -> 88
    //                                                  ^ -> 70
    fun local(count: Int = limit): Int = if (count > 0) local(count - 1) else named(0)
    //  ^ def function lambdas.local
    //                     ^ -> 70
    //                                       ^ -> 91
    //                                                  ^ -> 91
    listOf(::local, ::helper, ::item, String::length)
    //       ^ -> 91
    //                ^ -> 119
    //                          ^ -> 3 ?
    //                                        ^ member
    outer@ for (i in items) {
        items.forEach label@{
            if (it == i) return@label
            //        ^ -> 101
            //                  ^ label
        }
        if (i > limit) break@outer
        //                   ^ label
        if (i < limit) continue
    }
    call(limit = limit, *array)
    //   ^ label
    //           ^ -> 70
    items shl limit
    //    ^ member_call
    //        ^ -> 70
}

private fun helper() = Unit

fun exposed() = Unit

private fun anonymous(seed: Int) = object : Runnable {
    val start = seed
    //          ^ -> 123 ?
    override fun run() = log(start, toString())
    //           ^ def method anonymous.run
    //                       ^ -> 124
    //                              ^ member_call
}

private fun reflect(name: String) {
    Class.forName("org.example.Flow")
    String::class.java.getMethod(name)
    String::class.memberProperties
}
