(identifier) @name
(shorthand_property_identifier) @name
(shorthand_property_identifier_pattern) @name

(type_identifier) @type
; the first part of a qualified type is a namespace, never a variable
(nested_type_identifier module: (identifier) @type)
(nested_type_identifier module: (nested_identifier object: (identifier) @type))
(export_specifier "type" name: (identifier) @type)
(export_statement "type" (export_clause (export_specifier name: (identifier) @type)))

(property_identifier) @member
((subscript_expression index: (string (string_fragment) @member)) (#match? @member "^[A-Za-z_$][A-Za-z0-9_$]*$"))
(private_property_identifier) @member
((lookup_type (literal_type (string (string_fragment) @member))) (#match? @member "^[A-Za-z_$][A-Za-z0-9_$]*$"))
(nested_type_identifier name: (type_identifier) @member)
; names of another module
(export_statement (export_clause (export_specifier name: (identifier) @member)) source: (string))

(statement_identifier) @label
(pair key: (property_identifier) @label)
(pair_pattern key: (property_identifier) @label)
(export_specifier alias: (identifier) @label)
(namespace_export (identifier) @label)
(index_signature name: (identifier) @label)
(tuple_type (required_parameter name: [(identifier) @label (rest_pattern (identifier) @label)]))
(tuple_type (optional_parameter name: (identifier) @label))

(call_expression function: (identifier) @call)
(call_expression function: (member_expression property: (_) @call))
; `await f<T>()` reads as a call of `await f`
(call_expression function: [
  (await_expression [(identifier) @call (member_expression property: (_) @call)])
  (non_null_expression [(identifier) @call (member_expression property: (_) @call)])
])
(new_expression constructor: (identifier) @call)
(new_expression constructor: (member_expression property: (_) @call))
(decorator (identifier) @call)
(decorator (member_expression property: (_) @call))
