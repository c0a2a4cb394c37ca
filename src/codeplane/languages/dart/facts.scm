; scopes
(class_definition) @scope.class
(mixin_declaration) @scope.class
(enum_declaration) @scope.class
(extension_declaration) @scope.class
(function_body) @scope.function

; definitions
(class_definition name: (identifier) @name body: (_) @body) @def.class
(mixin_declaration (identifier) @name (class_body) @body) @def.trait
(enum_declaration name: (identifier) @name body: (_) @body) @def.enum
(enum_constant name: (identifier) @name) @def.enum_member
(extension_declaration name: (identifier) @name body: (_) @body) @def.class
(type_alias (type_identifier) @name) @def.type

((function_signature name: (identifier) @name (formal_parameter_list) @params) @def.function . (function_body)? @body)
((method_signature (function_signature name: (identifier) @name (formal_parameter_list) @params)) @def.method
  . (function_body)? @body)
((method_signature (getter_signature name: (identifier) @name)) @def.property . (function_body)? @body)
((method_signature (setter_signature name: (identifier) @name (formal_parameter_list) @params)) @def.method
  . (function_body)? @body)
((method_signature (operator_signature (binary_operator) @name (formal_parameter_list) @params)) @def.method
  . (function_body)? @body)
(declaration (constructor_signature . name: (identifier) @name . parameters: (_) @params)) @def.constructor
(declaration
  (constructor_signature . name: (identifier) . name: (identifier) @name . parameters: (_) @params)) @def.constructor
(declaration (constant_constructor_signature (identifier) @name . (formal_parameter_list) @params)) @def.constructor
((method_signature (factory_constructor_signature (identifier) @name . (formal_parameter_list) @params)) @def.constructor
  . (function_body)? @body)
((method_signature (constructor_signature name: (identifier) @name . parameters: (_) @params)) @def.constructor
  . (function_body)? @body)

(declaration (initialized_identifier_list (initialized_identifier . (identifier) @name))) @def.field
(declaration (static_final_declaration_list (static_final_declaration . (identifier) @name))) @def.constant
(program (initialized_identifier_list (initialized_identifier . (identifier) @name) @def.variable))
(program (static_final_declaration_list (static_final_declaration . (identifier) @name) @def.constant))

; imports
(library_import (import_specification (configurable_uri (uri (string_literal) @source)))) @import.dart_import @star
