(identifier) @name
(implicit_parameter) @name

(type/identifier) @type
(type/generic_name . (identifier) @type)
(nullable_type type: [(identifier) @type (generic_name . (identifier) @type)])
(array_type type: [(identifier) @type (generic_name . (identifier) @type)])
(pointer_type type: [(identifier) @type (generic_name . (identifier) @type)])
(scoped_type type: [(identifier) @type (generic_name . (identifier) @type)])
(recursive_pattern type: [(identifier) @type (generic_name . (identifier) @type)])
(primary_constructor_base_type type: [(identifier) @type (generic_name . (identifier) @type)])
(base_list [(identifier) @type (generic_name . (identifier) @type)])
(attribute name: [(identifier) @type (generic_name . (identifier) @type)])
(explicit_interface_specifier [(identifier) @type (generic_name . (identifier) @type)])
(qualified_name qualifier: [(identifier) @type (generic_name . (identifier) @type)])
(member_access_expression expression: (generic_name . (identifier) @type))
(type_parameter name: (identifier) @type)
(type_parameter_constraints_clause (identifier) @type)

(member_access_expression name: [(identifier) @member (generic_name . (identifier) @member)])
(member_binding_expression name: [(identifier) @member (generic_name . (identifier) @member)])
(qualified_name name: [(identifier) @member (generic_name . (identifier) @member)])
(alias_qualified_name name: [(identifier) @member (generic_name . (identifier) @member)])
(namespace_declaration name: (identifier) @member)
(namespace_declaration name: (qualified_name qualifier: (identifier) @member))
(file_scoped_namespace_declaration name: (identifier) @member)
(file_scoped_namespace_declaration name: (qualified_name qualifier: (identifier) @member))
(property_pattern_clause (subpattern (identifier) @member . ":"))
(property_pattern_clause (subpattern (member_access_expression expression: (identifier) @member) . ":"))
; every class has these without saying so: the innermost one answers, not the one that declares them
((invocation_expression function: (identifier) @member)
  (#any-of? @member
    "Equals" "GetHashCode" "GetType" "MemberwiseClone" "ReferenceEquals" "ToString" "Finalize"))

(argument name: (identifier) @label)
(attribute_argument name: (identifier) @label)
(tuple_element name: (identifier) @label)
(with_initializer . (identifier) @label)
(initializer_expression (assignment_expression left: (identifier) @label))
(anonymous_object_creation_expression (identifier) @label . "=")
(positional_pattern_clause (subpattern (identifier) @label . ":"))
(labeled_statement . (identifier) @label)
(goto_statement "goto" . (identifier) @label)

(invocation_expression function: [(identifier) @call (generic_name . (identifier) @call)])
(invocation_expression function: (member_access_expression
  name: [(identifier) @call (generic_name . (identifier) @call)]))
(invocation_expression function: (conditional_access_expression (member_binding_expression
  name: [(identifier) @call (generic_name . (identifier) @call)])))

; symbols of the preprocessor
(preproc_if condition: (identifier) @none)
(preproc_if condition: (_ (identifier) @none))
(preproc_if condition: (_ (_ (identifier) @none)))
(preproc_if condition: (_ (_ (_ (identifier) @none))))
(preproc_elif condition: (identifier) @none)
(preproc_elif condition: (_ (identifier) @none))
(preproc_elif condition: (_ (_ (identifier) @none)))
(preproc_elif condition: (_ (_ (_ (identifier) @none))))
