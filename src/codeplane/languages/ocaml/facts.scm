; scopes
(structure) @scope.namespace
(signature) @scope.namespace
(let_binding) @scope.function
(type_binding) @scope.class
(class_binding) @scope.class
(method_definition) @scope.function
(fun_expression) @scope.lambda

; definitions
(value_definition (let_binding pattern: (value_name) @name . (parameter) @params) @def.function)
(value_definition (let_binding pattern: (value_name) @name !body) @def.variable)
((value_definition (let_binding pattern: (value_name) @name . "=" . body: (fun_expression))) @def.function)
((value_definition (let_binding pattern: (value_name) @name . "=" . body: (function_expression))) @def.function)
((value_definition (let_binding pattern: (value_name) @name . [":" "="]) @def.variable))
(value_specification (value_name) @name) @def.variable
(external (value_name) @name) @def.function
(type_definition (type_binding name: (type_constructor) @name) @def.type)
(constructor_declaration (constructor_name) @name) @def.enum_member
(field_declaration (field_name) @name) @def.field
(module_definition (module_binding (module_name) @name body: (_)? @body)) @def.module
(module_type_definition (module_type_name) @name) @def.interface
(class_definition (class_binding (class_name) @name)) @def.class
(method_definition (method_name) @name) @def.method
(exception_definition (constructor_declaration (constructor_name) @name)) @def.type

; imports
(open_module module: (module_path) @source) @import.ocaml_open @star
