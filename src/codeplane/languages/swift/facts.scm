; scopes
(class_declaration) @scope.class
(protocol_declaration) @scope.class
(function_declaration) @scope.function
(init_declaration) @scope.function
(deinit_declaration) @scope.function
(computed_property) @scope.function
(willset_didset_block) @scope.function
(lambda_literal) @scope.lambda

; definitions
(class_declaration "class" name: (type_identifier) @name body: (_) @body) @def.class
(class_declaration "actor" name: (type_identifier) @name body: (_) @body) @def.class
(class_declaration "struct" name: (type_identifier) @name body: (_) @body) @def.struct
(class_declaration "enum" name: (type_identifier) @name body: (_) @body) @def.enum
(class_declaration "extension" name: (_) @name) @container
; the access modifier of an extension applies to its members
(class_declaration (modifiers (visibility_modifier) @section) "extension")
(protocol_declaration name: (type_identifier) @name body: (_) @body) @def.interface
(typealias_declaration name: (type_identifier) @name) @def.type
(associatedtype_declaration name: (type_identifier) @name) @def.type
(function_declaration
  "func" . name: _ @name
  "(" @params
  ")" @params
  ("->" . (_) @returns)?
  body: (_)? @body) @def.function
(protocol_function_declaration
  "func" . name: _ @name
  "(" @params
  ")" @params
  ("->" . (_) @returns)?) @def.function
(init_declaration "init" @name "(" @params ")" @params body: (_)? @body) @def.constructor
(deinit_declaration "deinit" @name body: (_)? @body) @def.method
(subscript_declaration
  "subscript" @name
  "(" @params
  ")" @params
  ("->" . (_) @returns)?
  (computed_property) @body) @def.method
(macro_declaration (simple_identifier) @name "(" @params ")" @params definition: (_)? @body) @def.macro
(operator_declaration (custom_operator) @name) @def.function

(enum_entry name: (simple_identifier) @name @params . data_contents: (_)? @params) @def.enum_member

; up to the pattern at least, because attributes may stand on lines of their own
(property_declaration
  (value_binding_pattern "let")
  name: (pattern bound_identifier: (simple_identifier) @name) @params) @def.constant
(property_declaration
  (value_binding_pattern "var")
  name: (pattern bound_identifier: (simple_identifier) @name) @params
  computed_value: (_)? @body) @def.variable
(property_declaration name: (pattern (pattern (simple_identifier) @name))) @def.variable
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name) @params) @def.variable

; attributes are inside of the definition that they decorate
(class_declaration (modifiers (attribute) @decorator)) @wrapper @wrapped
(protocol_declaration (modifiers (attribute) @decorator)) @wrapper @wrapped
(function_declaration (modifiers (attribute) @decorator)) @wrapper @wrapped
(protocol_function_declaration (modifiers (attribute) @decorator)) @wrapper @wrapped
(init_declaration (modifiers (attribute) @decorator)) @wrapper @wrapped
(subscript_declaration (modifiers (attribute) @decorator)) @wrapper @wrapped
(property_declaration (modifiers (attribute) @decorator)) @wrapper @wrapped
(protocol_property_declaration (modifiers (attribute) @decorator)) @wrapper @wrapped
(typealias_declaration (modifiers (attribute) @decorator)) @wrapper @wrapped

; imports; the hook tells one name of a module from all of it
(import_declaration) @import.swift_import
