(call_expression function: (_) @callee arguments: (arguments ((_) @arg ","?)*)) @call
(call_expression function: (_) @callee arguments: (template_string) @arg) @call
(new_expression constructor: (_) @callee arguments: (arguments ((_) @arg ","?)*)) @new
(new_expression constructor: (_) @callee !arguments) @new
(formal_parameters (identifier) @name) @param
(formal_parameters (object_pattern) @name) @param
(formal_parameters (array_pattern) @name) @param
(formal_parameters (assignment_pattern left: (_) @name right: (_) @from)) @param
(formal_parameters (rest_pattern (_) @name)) @param.rest
(arrow_function parameter: (identifier) @name) @param
(variable_declarator name: (_) @to value: (_) @from) @assign
(variable_declarator name: (identifier) value: (_) @from) @defines
(field_definition value: (_) @from) @defines
(field_definition "static") @static
(class_declaration (class_heritage (_) @base)) @class
(variable_declarator value: (class (class_heritage (_) @base))) @class
(export_statement value: (class (class_heritage (_) @base))) @class
(class (class_heritage (_) @base)) @class
(jsx_self_closing_element name: (_) @callee attribute: (_)* @arg) @call
(jsx_opening_element name: (_) @callee attribute: (_)* @arg) @call
(jsx_attribute . (property_identifier) @label (_)? @of) @labelled
(jsx_expression (_) @of) @same
