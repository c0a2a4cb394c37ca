(identifier) @name
(constant) @name @as_type

; the file does not say what `self` is, nor where these are
(instance_variable) @member
(class_variable) @member
(global_variable) @member

(method name: (setter) @member)
(singleton_method name: (setter) @member)
(method name: (operator) @name)
(singleton_method name: (operator) @name)
(alias name: (setter) @member)
(alias name: (operator) @name)
(alias alias: (identifier) @member)
(undef (identifier) @member)

; matched by the preceding token, not by the call: calls of a chain nest as deep as the chain is long
("." . [(identifier) (constant)] @member)
("&." . [(identifier) (constant)] @member)
("::" . [(identifier) (constant)] @member)
; a class body runs as the class: its messages go to no method that it defines for its instances
(class body: (body_statement (call !receiver method: (identifier) @member)))
(module body: (body_statement (call !receiver method: (identifier) @member)))
(singleton_class body: (body_statement (call !receiver method: (identifier) @member)))

; `f(x:)` is `f(x: x)`
(pair key: (hash_key_symbol) @name !value)
(pair key: (hash_key_symbol) @label value: (_))
(keyword_pattern key: (hash_key_symbol) @name !value)
(keyword_pattern key: (hash_key_symbol) @label value: (_))

(call method: (identifier) @call)
(call !receiver method: (constant) @macro)
