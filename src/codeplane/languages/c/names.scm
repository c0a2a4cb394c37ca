(identifier) @name
(type_identifier) @type
(type_definition declarator: (primitive_type) @type)
(field_identifier) @name
(field_expression field: (field_identifier) @member)
(field_designator (field_identifier) @label)
(offsetof_expression member: (field_identifier) @label)
(statement_identifier) @label
(attribute_specifier (argument_list (identifier) @label))

(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))

; tags have names of their own
(struct_specifier name: (type_identifier) @macro)
(union_specifier name: (type_identifier) @macro)
(enum_specifier name: (type_identifier) @macro)

; the body of a macro
(preproc_def value: (preproc_arg) @words)
(preproc_function_def value: (preproc_arg) @words)
((preproc_call directive: (preproc_directive) @_directive argument: (preproc_arg) @words)
  (#match? @_directive "^#[ \t]*undef$"))
