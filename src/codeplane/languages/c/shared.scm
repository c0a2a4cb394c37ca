; Patterns shared by C and C++. Declarators nest without limit; function declarators are followed three levels deep,
; `expand_pattern` reads the others.

; scopes
(function_definition) @scope.function
(compound_statement) @scope.block
(for_statement) @scope.block
(field_declaration_list) @scope.class
(preproc_function_def) @scope.macro

; the parameters of a declaration without a body are its own
(declaration declarator: [
  (function_declarator parameters: (_) @scope.function)
  (pointer_declarator declarator: (function_declarator parameters: (_) @scope.function))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator parameters: (_) @scope.function)))])
(field_declaration declarator: [
  (function_declarator parameters: (_) @scope.function)
  (pointer_declarator declarator: (function_declarator parameters: (_) @scope.function))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator parameters: (_) @scope.function)))])
(parameter_declaration declarator: (function_declarator parameters: (_) @scope.function))
(type_definition declarator: [
  (function_declarator parameters: (_) @scope.function)
  (pointer_declarator declarator: (function_declarator parameters: (_) @scope.function))])
(function_declarator
  declarator: (parenthesized_declarator (pointer_declarator)) parameters: (_) @scope.function)
(parameter_declaration declarator: (abstract_function_declarator parameters: (_) @scope.function))
(type_descriptor declarator: (abstract_function_declarator parameters: (_) @scope.function))

; macros are known in all of the file, wherever they are defined
(preproc_def name: (identifier) @name @filewide) @def.macro
(preproc_function_def
  name: (identifier) @name @filewide parameters: (_) @params value: (preproc_arg)? @body) @def.macro

; types
(enumerator name: (identifier) @name) @def.enum_member
; where its body is known, that goes first
(type_definition
  type: [(struct_specifier body: (_) @body) (union_specifier body: (_) @body) (enum_specifier body: (_) @body)]
  declarator: (_) @name) @def.type
(type_definition declarator: (function_declarator parameters: (_) @params) @name) @def.type.function
(type_definition declarator: (pointer_declarator declarator: (function_declarator parameters: (_) @params)) @name)
  @def.type.function
(type_definition declarator: (_) @name) @def.type
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.struct.typedef
(type_definition type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.struct.typedef
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.enum.typedef

; variables: seen after their declarator, in their own value already
(declaration declarator: (identifier) @name @until) @def.variable
(declaration declarator: [
  (pointer_declarator) (array_declarator) (function_declarator) (parenthesized_declarator) (attributed_declarator)]
  @name @until) @def.variable
(declaration declarator: (init_declarator declarator: (identifier) @name @until)) @def.variable
(declaration declarator: (init_declarator declarator: [
  (pointer_declarator) (array_declarator) (function_declarator) (parenthesized_declarator) (attributed_declarator)]
  @name @until)) @def.variable

; bindings
(preproc_params (identifier) @bind.param)
(parameter_declaration declarator: (_) @bind.param)

; includes
(preproc_include) @import.c_include

; declarations without a body, `struct cache;`: the definition is in another file
(translation_unit (struct_specifier name: (type_identifier) !body) @import.cpp_forward)
(declaration_list (struct_specifier name: (type_identifier) !body) @import.cpp_forward)
(preproc_ifdef (struct_specifier name: (type_identifier) !body) @import.cpp_forward)
(preproc_if (struct_specifier name: (type_identifier) !body) @import.cpp_forward)
