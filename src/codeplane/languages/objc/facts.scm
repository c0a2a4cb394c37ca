; scopes
(protocol_declaration) @scope.class
(class_interface) @scope.class
(class_implementation) @scope.class
(method_definition) @scope.function
(function_definition) @scope.function
(block_literal) @scope.lambda

; definitions
(protocol_declaration . "@protocol" . (identifier) @name) @def.interface
(class_interface . "@interface" . (identifier) @name) @def.class
(class_implementation . "@implementation" . (identifier) @name) @def.class
(method_declaration (method_type) . (identifier) @name) @def.method
(method_definition (method_type) . (identifier) @name (compound_statement) @body) @def.method
(property_declaration (struct_declaration (struct_declarator [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)]))) @def.property
(instance_variable (struct_declaration (struct_declarator [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)]))) @def.field
(function_definition
  declarator: [
    (function_declarator declarator: (identifier) @name parameters: (_) @params)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @params))]
  body: (_) @body) @def.function
(translation_unit (declaration declarator: (init_declarator declarator: [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)])) @def.variable)
(enum_specifier name: (type_identifier) @name body: (_) @body) @def.enum
(enumerator name: (identifier) @name) @def.enum_member
(struct_specifier name: (type_identifier) @name body: (_) @body) @def.struct
(type_definition declarator: (type_identifier) @name) @def.type
(preproc_def name: (identifier) @name) @def.macro
(preproc_function_def name: (identifier) @name parameters: (_) @params) @def.macro

; imports
(preproc_include path: (_) @source) @import.objc_include @star
