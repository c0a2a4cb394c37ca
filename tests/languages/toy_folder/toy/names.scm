(identifier) @name
(dot_index_expression field: (identifier) @member)
(function_call name: (identifier) @call)
