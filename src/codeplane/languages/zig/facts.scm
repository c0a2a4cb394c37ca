; scopes
(function_declaration) @scope.function
(test_declaration) @scope.function
(comptime_declaration) @scope.function
(struct_declaration) @scope.class
(enum_declaration) @scope.class
(union_declaration) @scope.class
(opaque_declaration) @scope.class
(error_set_declaration) @scope.class

; functions; those of an anonymous type that a function returns are methods too
(source_file (function_declaration
  name: (identifier) @name (parameters) @params type: (_)? @returns body: (_)? @body) @def.function)
(struct_declaration (function_declaration
  name: (identifier) @name (parameters) @params type: (_)? @returns body: (_)? @body) @def.method)
(enum_declaration (function_declaration
  name: (identifier) @name (parameters) @params type: (_)? @returns body: (_)? @body) @def.method)
(union_declaration (function_declaration
  name: (identifier) @name (parameters) @params type: (_)? @returns body: (_)? @body) @def.method)
(opaque_declaration (function_declaration
  name: (identifier) @name (parameters) @params type: (_)? @returns body: (_)? @body) @def.method)

; types
(variable_declaration "const" . (identifier) @name (struct_declaration "{" @body)) @def.struct
(variable_declaration "const" . (identifier) @name (opaque_declaration "{" @body)) @def.struct
(variable_declaration "const" . (identifier) @name (union_declaration "{" @body)) @def.struct
(variable_declaration "const" . (identifier) @name (enum_declaration "{" @body)) @def.enum
(variable_declaration "const" . (identifier) @name (error_set_declaration "{" @body)) @def.enum
(variable_declaration "const" (error_set_declaration (identifier) @name @def.enum_member))

; values
(variable_declaration "const" . (identifier) @name) @def.constant
(variable_declaration "var" . (identifier) @name) @def.variable
(source_file (container_field name: (identifier) @name) @def.field)
(struct_declaration (container_field name: (identifier) @name) @def.field)
(union_declaration (container_field name: (identifier) @name) @def.field)
((enum_declaration (container_field name: (identifier) @name) @def.enum_member)
  (#not-eq? @name "_"))

; imports
((variable_declaration "const" . (identifier) @alias
  (builtin_function (builtin_identifier) @_import (arguments . (string (string_content) @source) .)))
  @import.zig_import (#eq? @_import "@import"))
((variable_declaration "const" . (identifier) @alias
  (field_expression
    object: (builtin_function (builtin_identifier) @_import (arguments . (string (string_content) @source) .))
    member: (identifier) @name)) @import.zig_import (#eq? @_import "@import"))
((using_namespace_declaration
  (builtin_function (builtin_identifier) @_import (arguments . (string (string_content) @source @star) .)))
  @import.zig_usingnamespace (#eq? @_import "@import"))
