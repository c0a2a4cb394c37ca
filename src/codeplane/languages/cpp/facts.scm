; scopes: of a namespace that is inline or has no name, all is seen around it
(namespace_definition . "namespace" name: (_) body: (declaration_list) @scope.namespace)
(template_declaration) @scope.generic
(lambda_expression) @scope.lambda
(requires_expression) @scope.function
(catch_clause) @scope.block
(for_range_loop) @scope.block
(for_range_loop right: (_) @outer)
(if_statement condition: (condition_clause (init_statement))) @scope.block
(if_statement condition: (condition_clause value: (declaration))) @scope.block
(while_statement condition: (condition_clause value: (declaration))) @scope.block
(switch_statement condition: (condition_clause (init_statement))) @scope.block
(switch_statement condition: (condition_clause value: (declaration))) @scope.block
(enum_specifier ["class" "struct"] body: (enumerator_list) @scope.class)
(declaration declarator: (reference_declarator (function_declarator parameters: (_) @scope.function)))
(field_declaration declarator: (reference_declarator (function_declarator parameters: (_) @scope.function)))
(function_declarator
  declarator: (parenthesized_declarator [(reference_declarator) (qualified_identifier)]) parameters: (_) @scope.function)

; members of a base, of a class that is defined elsewhere, of a macro expansion, and the other parts
; of a namespace
(class_specifier (base_class_clause) body: (_) @open)
(struct_specifier (base_class_clause) body: (_) @open)
(namespace_definition . "namespace" name: (_) body: (declaration_list) @open)
(function_definition declarator: [
  (qualified_identifier)
  (function_declarator declarator: (qualified_identifier))
  (reference_declarator (function_declarator declarator: (qualified_identifier)))
  (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier)))
  (pointer_declarator declarator: (pointer_declarator declarator:
    (function_declarator declarator: (qualified_identifier))))]) @open
; the type of such a member and the path to it are looked up outside of its class
(function_definition
  type: (_) @outer
  declarator: [
    (function_declarator declarator: (qualified_identifier scope: (_) @outer))
    (reference_declarator (function_declarator declarator: (qualified_identifier scope: (_) @outer)))
    (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier scope: (_) @outer)))])
(function_definition !type declarator: (function_declarator declarator: (qualified_identifier scope: (_) @outer)))
(translation_unit (function_definition !type) @open)
(declaration_list (function_definition !type) @open)

; namespaces
(namespace_definition name: (namespace_identifier) @name body: (_) @body) @def.module
(namespace_definition name: (nested_namespace_specifier) @implied body: (_) @body) @def.module

; types; declarations of a template are visible around the template
(class_specifier name: [(type_identifier) (template_type)] @name body: (_) @body) @def.class
(class_specifier name: (qualified_identifier) @owner @name body: (_) @body) @def.class
(struct_specifier name: [(type_identifier) (template_type)] @name body: (_) @body) @def.struct
(struct_specifier name: (qualified_identifier) @owner @name body: (_) @body) @def.struct
(union_specifier name: [(type_identifier) (template_type)] @name body: (_) @body) @def.struct
(enum_specifier name: (type_identifier) @name body: (_) @body) @def.enum
(enum_specifier name: (qualified_identifier) @owner @name body: (_) @body) @def.enum
(alias_declaration name: (type_identifier) @name) @def.type
(template_declaration
  (class_specifier name: [(type_identifier) (template_type)] @name body: (_) @body)) @def.class
(template_declaration (class_specifier name: (qualified_identifier) @owner @name body: (_) @body)) @def.class
(template_declaration
  (struct_specifier name: [(type_identifier) (template_type)] @name body: (_) @body)) @def.struct
(template_declaration (struct_specifier name: (qualified_identifier) @owner @name body: (_) @body)) @def.struct
(template_declaration
  (union_specifier name: [(type_identifier) (template_type)] @name body: (_) @body)) @def.struct
(template_declaration (alias_declaration name: (type_identifier) @name)) @def.type
(template_declaration (concept_definition name: (identifier) @name)) @def.type

; operators with blanks in their names go by the names without: `operator ==` is `operator==`
((function_definition
  type: (_) @returns
  declarator: [
    (function_declarator declarator: (operator_name) @implied parameters: (_) @params)
    (_ (function_declarator declarator: (operator_name) @implied parameters: (_) @params))
    (_ (_ (function_declarator declarator: (operator_name) @implied parameters: (_) @params)))]
  body: (_)? @body) @def.function.spelled
  (#match? @implied "(\\s\\W|\\W\\s|\\s\\s)"))
((template_declaration (function_definition
  type: (_) @returns
  declarator: [
    (function_declarator declarator: (operator_name) @implied parameters: (_) @params)
    (_ (function_declarator declarator: (operator_name) @implied parameters: (_) @params))
    (_ (_ (function_declarator declarator: (operator_name) @implied parameters: (_) @params)))]
  body: (_)? @body)) @def.function.spelled
  (#match? @implied "(\\s\\W|\\W\\s|\\s\\s)"))
((declaration
  type: (_) @returns
  declarator: [
    (function_declarator declarator: (operator_name) @implied parameters: (_) @params)
    (_ (function_declarator declarator: (operator_name) @implied parameters: (_) @params))
    (_ (_ (function_declarator declarator: (operator_name) @implied parameters: (_) @params)))]) @def.function.forward
  (#match? @implied "(\\s\\W|\\W\\s|\\s\\s)"))
((template_declaration (declaration
  type: (_) @returns
  declarator: [
    (function_declarator declarator: (operator_name) @implied parameters: (_) @params)
    (_ (function_declarator declarator: (operator_name) @implied parameters: (_) @params))
    (_ (_ (function_declarator declarator: (operator_name) @implied parameters: (_) @params)))])) @def.function.forward
  (#match? @implied "(\\s\\W|\\W\\s|\\s\\s)"))
((field_declaration
  type: (_) @returns
  declarator: [
    (function_declarator declarator: (operator_name) @implied parameters: (_) @params)
    (_ (function_declarator declarator: (operator_name) @implied parameters: (_) @params))
    (_ (_ (function_declarator declarator: (operator_name) @implied parameters: (_) @params)))]) @def.method.spelled
  (#match? @implied "(\\s\\W|\\W\\s|\\s\\s)"))
((function_definition
  type: (_) @returns
  declarator: [
    (function_declarator declarator: [
      (qualified_identifier name: (operator_name) @implied)
      (qualified_identifier name: (qualified_identifier name: (operator_name) @implied))] @owner
      parameters: (_) @params)
    (_ (function_declarator declarator: [
      (qualified_identifier name: (operator_name) @implied)
      (qualified_identifier name: (qualified_identifier name: (operator_name) @implied))] @owner
      parameters: (_) @params))
    (_ (_ (function_declarator declarator: [
      (qualified_identifier name: (operator_name) @implied)
      (qualified_identifier name: (qualified_identifier name: (operator_name) @implied))] @owner
      parameters: (_) @params)))]
  body: (_)? @body) @def.method.spelled
  (#match? @implied "(\\s\\W|\\W\\s|\\s\\s)"))
((template_declaration (function_definition
  type: (_) @returns
  declarator: [
    (function_declarator declarator: [
      (qualified_identifier name: (operator_name) @implied)
      (qualified_identifier name: (qualified_identifier name: (operator_name) @implied))] @owner
      parameters: (_) @params)
    (_ (function_declarator declarator: [
      (qualified_identifier name: (operator_name) @implied)
      (qualified_identifier name: (qualified_identifier name: (operator_name) @implied))] @owner
      parameters: (_) @params))
    (_ (_ (function_declarator declarator: [
      (qualified_identifier name: (operator_name) @implied)
      (qualified_identifier name: (qualified_identifier name: (operator_name) @implied))] @owner
      parameters: (_) @params)))]
  body: (_)? @body)) @def.method.spelled
  (#match? @implied "(\\s\\W|\\W\\s|\\s\\s)"))
; functions; in a class they become methods. `else if (...) {` after a syntax error is not one
((function_definition
  type: (_) @returns
  declarator: [
    (function_declarator declarator: [
      (identifier) (field_identifier) (operator_name) (template_function) (parenthesized_declarator)] @name
      parameters: (_) @params)
    (_ (function_declarator
      declarator: [(identifier) (field_identifier) (operator_name) (template_function)] @name parameters: (_) @params))
    (_ (_ (function_declarator
      declarator: [(identifier) (field_identifier) (operator_name) (template_function)] @name parameters: (_) @params)))]
  body: (_)? @body) @def.function
  (#not-match? @name "^(if|while|for|switch)$"))
(template_declaration (function_definition
  type: (_) @returns
  declarator: [
    (function_declarator
      declarator: [(identifier) (field_identifier) (operator_name) (template_function)] @name parameters: (_) @params)
    (_ (function_declarator
      declarator: [(identifier) (field_identifier) (operator_name) (template_function)] @name parameters: (_) @params))
    (_ (_ (function_declarator
      declarator: [(identifier) (field_identifier) (operator_name) (template_function)] @name parameters: (_) @params)))]
  body: (_)? @body)) @def.function
(declaration
  type: (_) @returns
  declarator: [
    (function_declarator declarator: [(identifier) (operator_name) (template_function)] @name parameters: (_) @params)
    (_ (function_declarator declarator: [(identifier) (operator_name) (template_function)] @name parameters: (_) @params))
    (_ (_ (function_declarator
      declarator: [(identifier) (operator_name) (template_function)] @name parameters: (_) @params)))])
  @def.function.forward
(template_declaration (declaration
  type: (_) @returns
  declarator: [
    (function_declarator declarator: [(identifier) (operator_name) (template_function)] @name parameters: (_) @params)
    (_ (function_declarator declarator: [(identifier) (operator_name) (template_function)] @name parameters: (_) @params))
    (_ (_ (function_declarator
      declarator: [(identifier) (operator_name) (template_function)] @name parameters: (_) @params)))]))
  @def.function.forward
(field_declaration
  type: (_) @returns
  declarator: [
    (function_declarator declarator: [(field_identifier) (operator_name)] @name parameters: (_) @params)
    (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name parameters: (_) @params))
    (_ (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name parameters: (_) @params)))])
  @def.method
; conversions
(function_definition declarator: (operator_cast) @implied body: (_)? @body) @def.method
(declaration declarator: (operator_cast) @implied) @def.method
(function_definition declarator: (qualified_identifier name: (operator_cast) @implied) @owner body: (_)? @body) @def.method
; a macro that makes a function of its arguments: `TEST(Suite, name) {`, `BENCHMARK(name) {`
((function_definition
  !type declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list
      . (parameter_declaration type: [(type_identifier) (primitive_type)] @owner !declarator)
      . (parameter_declaration type: [(type_identifier) (primitive_type)] @implied !declarator) .) @params)
  body: (_) @body) @def.function.made
  (#match? @_macro "^[A-Z][A-Z0-9_]+$") (#match? @params "^\\(\\s*[A-Za-z_]\\w*\\s*(,\\s*[A-Za-z_]\\w*\\s*)?\\)$"))
((function_definition
  !type declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list
      . (parameter_declaration type: [(type_identifier) (primitive_type)] @implied !declarator) .) @params)
  body: (_) @body) @def.function.made
  (#match? @_macro "^[A-Z][A-Z0-9_]+$") (#match? @params "^\\(\\s*[A-Za-z_]\\w*\\s*(,\\s*[A-Za-z_]\\w*\\s*)?\\)$"))
((translation_unit
  (expression_statement (call_expression
    function: (identifier) @_macro arguments: (argument_list . (identifier) @implied) @params)) @def.function.made
  . (compound_statement) @body)
  (#match? @_macro "^[A-Z][A-Z0-9_]+$")
  (#match? @params "^\\(\\s*[A-Za-z_]\\w*\\s*(\\)|,\\s*[\"A-Za-z_])"))
((declaration_list
  (expression_statement (call_expression
    function: (identifier) @_macro arguments: (argument_list . (identifier) @implied) @params)) @def.function.made
  . (compound_statement) @body)
  (#match? @_macro "^[A-Z][A-Z0-9_]+$")
  (#match? @params "^\\(\\s*[A-Za-z_]\\w*\\s*(\\)|,\\s*[\"A-Za-z_])"))
; without a type: destructors, macros with other arguments, and constructors
((function_definition
  !type declarator: (function_declarator declarator: [(identifier) (destructor_name)] @name parameters: (_) @params)
  body: (_)? @body) @def.function
  (#not-match? @name "^([A-Z][A-Z0-9_]+|if|else|while|for|switch|return|catch)$"))
((function_definition
  !type declarator: (function_declarator declarator: (identifier) @name parameters: (_) @params)
  body: (_)? @body) @def.function
  (#match? @name "^[A-Z][A-Z0-9_]+$") (#not-match? @params "^\\(\\s*[A-Za-z_]\\w*\\s*(,\\s*[A-Za-z_]\\w*\\s*)?\\)$"))
((translation_unit
  (expression_statement (call_expression function: (identifier) @name arguments: (_) @params)) @def.function
  . (compound_statement) @body)
  (#match? @name "^[A-Z][A-Z0-9_]+$") (#not-match? @params "^\\(\\s*[A-Za-z_]\\w*\\s*(\\)|,\\s*[\"A-Za-z_])"))
((declaration_list
  (expression_statement (call_expression function: (identifier) @name arguments: (_) @params)) @def.function
  . (compound_statement) @body)
  (#match? @name "^[A-Z][A-Z0-9_]+$") (#not-match? @params "^\\(\\s*[A-Za-z_]\\w*\\s*(\\)|,\\s*[\"A-Za-z_])"))
(declaration
  !type declarator: (function_declarator declarator: (destructor_name) @name parameters: (_) @params)) @def.function
((class_specifier
  name: [
    (type_identifier) @_class
    (template_type name: (type_identifier) @_class)
    (qualified_identifier name: (type_identifier) @_class)
    (qualified_identifier name: (qualified_identifier name: (type_identifier) @_class))]
  body: (field_declaration_list [
    (declaration
      !type declarator: (function_declarator declarator: (identifier) @name parameters: (_) @params))
      @def.constructor.own
    (function_definition
      !type declarator: (function_declarator declarator: (identifier) @name parameters: (_) @params) body: (_)? @body)
      @def.constructor.own
    (template_declaration (declaration
      !type declarator: (function_declarator declarator: (identifier) @name parameters: (_) @params)))
      @def.constructor.own
    (template_declaration (function_definition
      !type declarator: (function_declarator declarator: (identifier) @name parameters: (_) @params) body: (_)? @body))
      @def.constructor.own]))
  (#eq? @_class @name))
((struct_specifier
  name: [
    (type_identifier) @_class
    (template_type name: (type_identifier) @_class)
    (qualified_identifier name: (type_identifier) @_class)
    (qualified_identifier name: (qualified_identifier name: (type_identifier) @_class))]
  body: (field_declaration_list [
    (declaration
      !type declarator: (function_declarator declarator: (identifier) @name parameters: (_) @params))
      @def.constructor.own
    (function_definition
      !type declarator: (function_declarator declarator: (identifier) @name parameters: (_) @params) body: (_)? @body)
      @def.constructor.own
    (template_declaration (declaration
      !type declarator: (function_declarator declarator: (identifier) @name parameters: (_) @params)))
      @def.constructor.own
    (template_declaration (function_definition
      !type declarator: (function_declarator declarator: (identifier) @name parameters: (_) @params) body: (_)? @body))
      @def.constructor.own]))
  (#eq? @_class @name))
; members defined outside of their class; a name qualified by a namespace looks the same
(function_definition
  type: (_) @returns
  declarator: [
    (function_declarator declarator: (qualified_identifier) @owner @name parameters: (_) @params)
    (_ (function_declarator declarator: (qualified_identifier) @owner @name parameters: (_) @params))
    (_ (_ (function_declarator declarator: (qualified_identifier) @owner @name parameters: (_) @params)))]
  body: (_)? @body) @def.method
(template_declaration (function_definition
  type: (_) @returns
  declarator: [
    (function_declarator declarator: (qualified_identifier) @owner @name parameters: (_) @params)
    (_ (function_declarator declarator: (qualified_identifier) @owner @name parameters: (_) @params))
    (_ (_ (function_declarator declarator: (qualified_identifier) @owner @name parameters: (_) @params)))]
  body: (_)? @body)) @def.method
(function_definition
  !type declarator: (function_declarator
    declarator: [
      (qualified_identifier name: (identifier) @name)
      (qualified_identifier name: (qualified_identifier name: (identifier) @name))
      (qualified_identifier name: (qualified_identifier name: (qualified_identifier name: (identifier) @name)))] @owner
    parameters: (_) @params)
  body: (_)? @body) @def.constructor
(function_definition
  !type declarator: (function_declarator
    declarator: [
      (qualified_identifier name: (destructor_name) @name)
      (qualified_identifier name: (qualified_identifier name: (destructor_name) @name))
      (qualified_identifier name: (qualified_identifier name: (qualified_identifier name: (destructor_name) @name)))]
      @owner
    parameters: (_) @params)
  body: (_)? @body) @def.method
(template_declaration (function_definition
  !type declarator: (function_declarator
    declarator: [
      (qualified_identifier name: (identifier) @name)
      (qualified_identifier name: (qualified_identifier name: (identifier) @name))
      (qualified_identifier name: (qualified_identifier name: (qualified_identifier name: (identifier) @name)))] @owner
    parameters: (_) @params)
  body: (_)? @body)) @def.constructor
(template_declaration (function_definition
  !type declarator: (function_declarator
    declarator: [
      (qualified_identifier name: (destructor_name) @name)
      (qualified_identifier name: (qualified_identifier name: (destructor_name) @name))
      (qualified_identifier name: (qualified_identifier name: (qualified_identifier name: (destructor_name) @name)))]
      @owner
    parameters: (_) @params)
  body: (_)? @body)) @def.method
(declaration declarator: [
  (qualified_identifier) @owner @name (init_declarator declarator: (qualified_identifier) @owner @name)]) @def.field

; variables and fields
(declaration declarator: [(reference_declarator) (structured_binding_declarator)] @name @until) @def.variable
(declaration declarator: (init_declarator
  declarator: [(reference_declarator) (structured_binding_declarator)] @name @until)) @def.variable
(template_declaration (declaration declarator: [
  (identifier) @name (init_declarator declarator: [(identifier) (pointer_declarator) (array_declarator)] @name)]))
  @def.variable
(field_declaration declarator: (_) @name) @def.field
(field_declaration_list (access_specifier) @section)
(preproc_ifdef (access_specifier) @section)
(preproc_if (access_specifier) @section)

; bindings
(type_parameter_declaration (type_identifier) @bind.param)
(optional_type_parameter_declaration name: (type_identifier) @bind.param)
(variadic_type_parameter_declaration (type_identifier) @bind.param)
(optional_parameter_declaration declarator: (_) @bind.param)
(variadic_parameter_declaration declarator: (_) @bind.param)
(for_range_loop declarator: (_) @bind.local)
(lambda_capture_initializer left: (identifier) @bind.local) @until

; imports
(using_declaration) @import.cpp_using
(translation_unit (class_specifier name: (type_identifier) !body) @import.cpp_forward)
(declaration_list (class_specifier name: (type_identifier) !body) @import.cpp_forward)
(preproc_ifdef (class_specifier name: (type_identifier) !body) @import.cpp_forward)
(preproc_if (class_specifier name: (type_identifier) !body) @import.cpp_forward)
(template_declaration
  [(class_specifier name: (type_identifier) !body) (struct_specifier name: (type_identifier) !body)] @import.cpp_forward)
(namespace_alias_definition) @import.cpp_namespace_alias
