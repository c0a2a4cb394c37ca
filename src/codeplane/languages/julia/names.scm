(identifier) @name
(call_expression . (identifier) @call)
(field_expression (identifier) @member .)
