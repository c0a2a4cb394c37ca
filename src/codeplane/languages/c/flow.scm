; values
(field_expression argument: (_) @of field: (field_identifier) @name) @member
(call_expression function: (_) @callee arguments: (argument_list ((_) @arg ","?)*)) @call
(cast_expression type: (_) @type value: (_) @of) @cast
(subscript_expression argument: (_) @of) @same
(type_descriptor type: (_) @of) @same
(struct_specifier name: (_) @of !body) @same
(union_specifier name: (_) @of !body) @same
(pointer_expression argument: (_) @of) @same
(parenthesized_expression (_) @of) @same
(conditional_expression consequence: (_) @of alternative: (_) @of) @either

; where they go
(declaration type: (_) @type declarator: [
  (identifier) @to
  (array_declarator declarator: (identifier) @to)
  (pointer_declarator declarator: (identifier) @to)
  (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @to))
]) @assign
(declaration type: (_) @type declarator: (init_declarator declarator: [
  (identifier) @to
  (array_declarator declarator: (identifier) @to)
  (pointer_declarator declarator: (identifier) @to)
  (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @to))
])) @assign
(field_declaration type: (_) @type declarator: [
  (field_identifier) @to
  (array_declarator declarator: (field_identifier) @to)
  (pointer_declarator declarator: (field_identifier) @to)
  (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @to))
]) @assign
(type_definition type: (_) @from declarator: (type_identifier) @to) @assign
(type_definition type: (_) @from declarator: (pointer_declarator declarator: (type_identifier) @to)) @assign
(parameter_declaration type: (_) @type declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name))
]) @param

(function_definition type: (_) @type) @returns
(declaration type: (_) @type declarator: [
  (function_declarator parameters: (_) @returns)
  (pointer_declarator declarator: (function_declarator parameters: (_) @returns))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator parameters: (_) @returns)))
])
(declaration declarator: [
  (function_declarator parameters: (_) @opens)
  (pointer_declarator declarator: (function_declarator parameters: (_) @opens))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator parameters: (_) @opens)))
]) @definition
