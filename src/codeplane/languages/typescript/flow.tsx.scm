(jsx_self_closing_element name: (_) @callee type_arguments: (_)? @arg attribute: (_)* @arg) @call
(jsx_opening_element name: (_) @callee type_arguments: (_)? @arg attribute: (_)* @arg) @call
(jsx_attribute . (property_identifier) @label (_)? @of) @labelled
(jsx_expression (_) @of) @same
