(identifier) @name
(type_identifier) @type
(namespace_identifier) @type
(type_definition declarator: (primitive_type) @type)
(field_identifier) @name
(destructor_name) @name
(destructor_name (identifier) @none)
(operator_name) @name
(operator_name (identifier) @none)
; a name on two lines is not a reference
((operator_name) @none (#match? @none "\\n"))
; defined by another name than it is written with
((function_declarator declarator: (operator_name) @none) (#match? @none "(\\s\\W|\\W\\s|\\s\\s)"))
((function_declarator declarator: (qualified_identifier name: (operator_name) @none)) (#match? @none "(\\s\\W|\\W\\s|\\s\\s)"))

; of a path, only the first part is looked up
(qualified_identifier name: [(identifier) (type_identifier) (field_identifier) (destructor_name) (operator_name)] @member)
(qualified_identifier name: (template_function name: (identifier) @member))
(qualified_identifier name: (template_type name: (type_identifier) @member))
(qualified_identifier name: (dependent_name (template_type name: (type_identifier) @member)))
(qualified_identifier name: (dependent_name (template_function name: (identifier) @member)))
(qualified_identifier name: (qualified_identifier scope: (namespace_identifier) @member))
(qualified_identifier name: (qualified_identifier scope: (template_type name: (type_identifier) @member)))
(nested_namespace_specifier (namespace_identifier) . (_ (namespace_identifier) @member))
(field_expression field: [(field_identifier) (destructor_name) (operator_name)] @member)
(field_expression field: (qualified_identifier scope: (namespace_identifier) @member))
(template_method name: (field_identifier) @member)
(field_initializer . (field_identifier) @member)
(field_designator (field_identifier) @label)
(initializer_pair designator: (field_identifier) @label)
(offsetof_expression member: (field_identifier) @label)
(statement_identifier) @label
(attribute name: (identifier) @label)
(attribute prefix: (identifier) @label)
(attribute_specifier (argument_list (identifier) @label))
((template_function name: (identifier) @none)
  (#any-of? @none "static_cast" "dynamic_cast" "const_cast" "reinterpret_cast"))

(call_expression function: (identifier) @call)
(call_expression function: (template_function name: (identifier) @call))
(call_expression function: (qualified_identifier name: (identifier) @call))
(call_expression function: (qualified_identifier name: (template_function name: (identifier) @call)))
(call_expression function: (qualified_identifier name: (qualified_identifier name: (identifier) @call)))
(call_expression function: (qualified_identifier name: (qualified_identifier name:
  (template_function name: (identifier) @call))))
(call_expression function: (field_expression field: (field_identifier) @call))
(call_expression function: (field_expression field: (template_method name: (field_identifier) @call)))

; `struct x` means a type even where a variable hides it
(struct_specifier name: (type_identifier) @macro)
(class_specifier name: (type_identifier) @macro)
(union_specifier name: (type_identifier) @macro)
(enum_specifier name: (type_identifier) @macro)

; the body of a macro
(preproc_def value: (preproc_arg) @words)
(preproc_function_def value: (preproc_arg) @words)
((preproc_call directive: (preproc_directive) @_directive argument: (preproc_arg) @words)
  (#match? @_directive "^#[ \t]*undef$"))
