; the grammar has no words of their own for these
(identifier) @name
((identifier) @none (#any-of? @none "null" "true" "false" "break" "continue"))
((string_content) @_dollar . (string_content) @words (#eq? @_dollar "$"))

(user_type (identifier) @type)
(type_parameter (identifier) @type)
(type_constraint (identifier) @type)

(user_type "." . (identifier) @member)
(navigation_expression (_) . (identifier) @member .)
(infix_expression . (_) . (identifier) @member . (_) .)
(callable_reference (user_type) "::" . (identifier) @member)
(callable_reference . "::" . (identifier) @as_callable)
(package_header (qualified_identifier (identifier) @member))
; implicit members of every class, and functions of every file: the arguments decide which one is meant
((call_expression . (identifier) @member)
  (#any-of? @member
    "toString" "hashCode" "equals" "copy" "values" "valueOf" "enumValueOf" "compareTo"
    "also" "apply" "let" "run" "with" "use" "takeIf" "takeUnless" "repeat" "lazy" "to" "invoke" "synchronized"
    "check" "checkNotNull" "error" "require" "requireNotNull" "assert" "TODO" "print" "println" "readLine" "readln"
    "arrayOf" "emptyList" "emptyMap" "emptySet" "listOf" "listOfNotNull" "mapOf" "mutableListOf" "mutableMapOf"
    "mutableSetOf" "setOf" "sequence" "sequenceOf" "buildList" "buildMap" "buildSet" "buildString" "maxOf" "minOf" "min"
    "max" "abs" "runCatching" "launch" "async" "withContext" "runBlocking" "delay"
    "assertEquals" "assertNotEquals" "assertTrue" "assertFalse" "assertNull" "assertNotNull" "assertSame" "assertIs"
    "assertContentEquals" "assertContains" "assertFails" "assertFailsWith" "assertThrows" "assertThat" "fail" "expect"))

; an annotation that is read as an argument of the one before it
(annotation (constructor_invocation (value_arguments (value_argument (unary_expression "!" . (identifier) @type)))))
(annotation (constructor_invocation (value_arguments (value_argument
  (unary_expression "!" . (navigation_expression . (identifier) @type))))))

(value_argument (identifier) @label . "=")
(return_expression label: (identifier) @label)
(this_expression (identifier) @label)
(super_expression (identifier) @label)
((labeled_expression (label) @_jump . (identifier) @label) (#any-of? @_jump "break@" "continue@"))

(call_expression . (identifier) @call)
(call_expression . (navigation_expression (_) . (identifier) @call .))
(infix_expression . (_) . (identifier) @call . (_) .)
