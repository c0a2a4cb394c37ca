(identifier) @name
(package_identifier) @name
(type_identifier) @type
(field_identifier) @member
(label_name) @label

(qualified_type name: (type_identifier) @member)
(package_clause (package_identifier) @label)

; A key is a field where the literal's type may be a struct; where it may be a map as well, it stays unresolved.
(composite_literal
  type: [(type_identifier) (qualified_type) (generic_type) (struct_type)]
  body: (literal_value (keyed_element key: (literal_element (identifier) @label))))
(literal_element (literal_value (keyed_element key: (literal_element (identifier) @label))))

(call_expression function: (identifier) @call)
(call_expression function: (selector_expression field: (field_identifier) @call))
(call_expression function: (index_expression operand: (identifier) @call))
(call_expression function: (index_expression operand: (selector_expression field: (field_identifier) @call)))
(type_conversion_expression type: (generic_type type: (qualified_type name: (type_identifier) @call)))
