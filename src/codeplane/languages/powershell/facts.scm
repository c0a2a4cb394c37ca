; scopes
(class_statement) @scope.class
(enum_statement) @scope.class
(function_statement) @scope.function
(class_method_definition) @scope.function

; definitions
(class_statement . (simple_name) @name "{" @body) @def.class
(class_property_definition (variable) @implied) @def.field
(class_method_definition (simple_name) @name (class_method_parameter_list)? @params (script_block)? @body) @def.method
(enum_statement (simple_name) @name) @def.enum
(enum_member . (simple_name) @name) @def.enum_member
(function_statement (function_name) @name (function_parameter_declaration)? @params "{" @body) @def.function
