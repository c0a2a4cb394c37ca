; scopes
(module_definition) @scope.namespace
(struct_definition) @scope.class
(function_definition) @scope.function
(macro_definition) @scope.function

; definitions
(module_definition name: (identifier) @name) @def.module
(abstract_definition (type_head [(identifier) @name (binary_expression . (identifier) @name)])) @def.type
(struct_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)])])) @def.struct
(struct_definition (identifier) @name @def.field)
(struct_definition (typed_expression . (identifier) @name) @def.field)
(function_definition (signature [
  (call_expression . [(identifier) @name (field_expression (identifier) @name .)] (argument_list) @params)
  (typed_expression (call_expression . [(identifier) @name (field_expression (identifier) @name .)] (argument_list) @params))
  (where_expression (call_expression . [(identifier) @name (field_expression (identifier) @name .)] (argument_list) @params))
])) @def.function
(assignment . (call_expression . (identifier) @name (argument_list) @params)) @def.function
(macro_definition (signature (call_expression . (identifier) @name (argument_list) @params))) @def.macro
(const_statement (assignment . (identifier) @name)) @def.constant
(source_file (assignment . (identifier) @name) @def.variable)
(module_definition (assignment . (identifier) @name) @def.variable)

; imports
(using_statement (selected_import . (identifier) @source (identifier) @name)) @import.julia_using
(import_statement (selected_import . (identifier) @source (identifier) @name)) @import.julia_import
(using_statement (identifier) @source) @import.julia_using @star
(import_statement (identifier) @source) @import.julia_import @star
