package more
fun twice(i: Any) = i
