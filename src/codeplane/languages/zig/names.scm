(identifier) @name

(parameter type: (identifier) @type)
(function_declaration type: (identifier) @type)
(container_field type: (identifier) @type)
(variable_declaration type: (identifier) @type)
(pointer_type (identifier) @type)
(slice_type (identifier) @type)
(array_type (identifier) @type)
(nullable_type (identifier) @type)
(error_union_type (identifier) @type)
(struct_initializer . (identifier) @type)

(field_expression member: (identifier) @member)
(error_type (identifier) @member)
(initializer_list (assignment_expression left: (field_expression !object member: (identifier) @label)))
(block_label (identifier) @label)
(break_label (identifier) @label)
((variable_declaration . (identifier) @none) (#eq? @none "_"))
((payload (identifier) @none) (#eq? @none "_"))
((container_field name: (identifier) @none) (#eq? @none "_"))

(call_expression function: (identifier) @call)
(call_expression function: (field_expression member: (identifier) @call))
