(identifier) @name

(dot_index_expression field: (identifier) @member)
(method_index_expression method: (identifier) @member)
(field name: (identifier) @label)
(goto_statement (identifier) @label)
(label_statement (identifier) @label)
(attribute (identifier) @none)

(function_call name: (identifier) @call)
(function_call name: (dot_index_expression field: (identifier) @call))
(function_call name: (method_index_expression method: (identifier) @call))
