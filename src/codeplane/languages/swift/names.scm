(simple_identifier) @name
(type_identifier) @type

(navigation_suffix suffix: (simple_identifier) @member)
(prefix_expression operation: "." target: (simple_identifier) @member)
(pattern "." (simple_identifier) @member)
(guard_statement "." . (simple_identifier) @member)
(if_statement "." . (simple_identifier) @member)
(user_type "." (type_identifier) @member)

(parameter external_name: (simple_identifier) @label)
(value_argument_label (simple_identifier) @label)
(enum_type_parameters (simple_identifier) @label)
(tuple_type_item name: (simple_identifier) @label)
(attribute (simple_identifier) @label)
((parameter external_name: (simple_identifier) @none) (#eq? @none "_"))

; a subscript looks like a call except for its brackets
(call_expression . (simple_identifier) @call (call_suffix [(value_arguments "(") (lambda_literal)]))
(call_expression
  . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @call))
  (call_suffix [(value_arguments "(") (lambda_literal)]))
(call_expression
  . (prefix_expression target: (simple_identifier) @call)
  (call_suffix [(value_arguments "(") (lambda_literal)]))
