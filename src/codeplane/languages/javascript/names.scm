(identifier) @name
(shorthand_property_identifier) @name
(shorthand_property_identifier_pattern) @name

(property_identifier) @member
((subscript_expression index: (string (string_fragment) @member)) (#match? @member "^[A-Za-z_$][A-Za-z0-9_$]*$"))
(private_property_identifier) @member
; names of another module
(export_statement (export_clause (export_specifier name: (identifier) @member)) source: (string))

(statement_identifier) @label
(pair key: (property_identifier) @label)
(pair_pattern key: (property_identifier) @label)
(export_specifier alias: (identifier) @label)
(namespace_export (identifier) @label)

(call_expression function: (identifier) @call)
(call_expression function: (member_expression property: (_) @call))
(new_expression constructor: (identifier) @call)
(new_expression constructor: (member_expression property: (_) @call))
(decorator (identifier) @call)
(decorator (member_expression property: (_) @call))

; an element whose name starts with a small letter is the platform's own
(jsx_attribute (property_identifier) @label)
(jsx_namespace_name (identifier) @label)
((jsx_opening_element name: (identifier) @label) (#match? @label "^[a-z]"))
((jsx_self_closing_element name: (identifier) @label) (#match? @label "^[a-z]"))
((jsx_closing_element name: (identifier) @label) (#match? @label "^[a-z]"))
(jsx_opening_element name: (identifier) @call)
(jsx_opening_element name: (member_expression property: (_) @call))
(jsx_self_closing_element name: (identifier) @call)
(jsx_self_closing_element name: (member_expression property: (_) @call))
