; types; a nested one is visible in the scope around as well
(struct_specifier name: (type_identifier) @name @until body: (_) @body) @def.struct
(union_specifier name: (type_identifier) @name @until body: (_) @body) @def.struct
(enum_specifier name: (type_identifier) @name @until body: (_) @body) @def.enum
(field_declaration type: (struct_specifier name: (type_identifier) @name @until body: (_) @body) @def.struct) @hoisted
(field_declaration type: (union_specifier name: (type_identifier) @name @until body: (_) @body) @def.struct) @hoisted
(field_declaration type: (enum_specifier name: (type_identifier) @name @until body: (_) @body) @def.enum) @hoisted
(field_declaration type: (enum_specifier body: (enumerator_list
  (enumerator name: (identifier) @name) @def.enum_member))) @hoisted
(field_declaration declarator: (_) @name) @def.field

; the parameters of old: named in the list, declared below it
(function_declarator parameters: (parameter_list (identifier) @bind.param))

; functions; `else if (...) {` after a syntax error is not one
((function_definition
  type: (_)? @returns
  declarator: [
    (function_declarator declarator: (identifier) @name parameters: (_) @params)
    (function_declarator declarator: (parenthesized_declarator . (identifier) @name) parameters: (_) @params)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @params))
    (pointer_declarator declarator: (pointer_declarator declarator:
      (function_declarator declarator: (identifier) @name parameters: (_) @params)))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator:
      (function_declarator declarator: (identifier) @name parameters: (_) @params))))]
  body: (_) @body) @def.function
  (#not-match? @name "^(if|while|for|switch)$"))
(declaration
  type: (_) @returns
  declarator: [
    (function_declarator declarator: (identifier) @name parameters: (_) @params)
    (function_declarator declarator: (parenthesized_declarator . (identifier) @name) parameters: (_) @params)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @params))
    (pointer_declarator declarator: (pointer_declarator declarator:
      (function_declarator declarator: (identifier) @name parameters: (_) @params)))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator:
      (function_declarator declarator: (identifier) @name parameters: (_) @params))))]) @def.function.forward
; a macro that makes a function of its arguments: `TEST(name) {`
((function_definition
  type: (type_identifier) @_macro
  declarator: (parenthesized_declarator (identifier) @implied) @params
  body: (_) @body) @def.function.made
  (#match? @_macro "^[A-Z][A-Z0-9_]+$"))
((translation_unit
  (expression_statement (call_expression
    function: (identifier) @_macro
    arguments: (argument_list . (identifier) @owner . (identifier) @implied .) @params)) @def.function.made
  . (compound_statement) @body)
  (#match? @_macro "^[A-Z][A-Z0-9_]+$"))
((translation_unit
  (expression_statement (call_expression
    function: (identifier) @_macro arguments: (argument_list . (identifier) @implied) @params)) @def.function.made
  . (compound_statement) @body)
  (#match? @_macro "^[A-Z][A-Z0-9_]+$")
  (#match? @params "^\\(\\s*[A-Za-z_]\\w*\\s*(\\)|,\\s*[\"A-Za-z_])") (#not-match? @params "^\\(\\s*[A-Za-z_]\\w*\\s*,\\s*[A-Za-z_]\\w*\\s*\\)$"))
; one whose name is the macro's
((function_definition
  type: (type_identifier) @name declarator: (parenthesized_declarator (identifier)) @params body: (_) @body) @def.function
  (#not-match? @name "^([A-Z][A-Z0-9_]+|if|else|while|for|switch|return)$"))
((translation_unit
  (expression_statement (call_expression function: (identifier) @name arguments: (_) @params)) @def.function
  . (compound_statement) @body)
  (#not-match? @name "^[A-Z][A-Z0-9_]+$"))
((translation_unit
  (expression_statement (call_expression function: (identifier) @name arguments: (_) @params)) @def.function
  . (compound_statement) @body)
  (#match? @name "^[A-Z][A-Z0-9_]+$") (#not-match? @params "^\\(\\s*[A-Za-z_]\\w*\\s*(\\)|,\\s*[\"A-Za-z_])"))
