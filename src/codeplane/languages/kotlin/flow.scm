; values
(navigation_expression . (_) @of (identifier) @name .) @member
(call_expression . (_) @callee (value_arguments ((value_argument) @arg ","?)*) . (annotated_lambda)? @arg .) @call
(call_expression . (_) @callee (type_arguments)? . (annotated_lambda) @arg .) @call
(infix_expression . (_) @of . (identifier) @name @member . (_) .)
(infix_expression . (_) . (identifier) @callee . (_) @arg .) @call
(constructor_invocation (user_type) @callee (value_arguments ((value_argument) @arg ","?)*)) @new
(value_argument . (_) @of .) @same
(value_argument . (identifier) @label . "=" . (_) @of .) @labelled
(annotated_lambda (_) @of .) @same
(index_expression . (_) @of . "[" . (_) @key) @item
(parenthesized_expression (_) @of) @same
(unary_expression argument: (_) @of "!!") @same
(binary_expression left: (_) @of operator: "?:" right: (_) @of) @either
(if_expression condition: (_) . ")" . (_) @of . "else" . (_) @of .) @either
(as_expression left: (_) @of right: (_) @type) @cast
(this_expression (identifier) @type) @cast
(this_expression) @this
(super_expression) @super
(lambda_literal) @function
(anonymous_function) @function
(object_literal (class_body) @of) @same
(object_literal (class_body) @this)
(callable_reference . (_) @of "::" . (identifier) @name) @member

; operators and literals, for the sake of overloads
(binary_expression operator: ["==" "!=" "===" "!==" "<" ">" "<=" ">=" "&&" "||"]) @literal.boolean
(binary_expression left: (string_literal) operator: "+") @literal.String
(multiline_string_literal) @literal.String
(character_literal) @literal.char

; types
(user_type . (identifier) @of .) @same
(user_type . (identifier) @of . (type_arguments ((type_projection (_) @key .) ","?)*) .) @item
(user_type . (identifier) @of . "." . (identifier) @name .) @member
(nullable_type (_) @of) @same
(non_nullable_type (_) @of) @same

; where they go
(package_header (_) @of) @within
(property_declaration (variable_declaration . (identifier) @to ":" . (_) @type)) @assign
(property_declaration (variable_declaration . (identifier) @to) "=" . (_) @from) @assign
(class_parameter (identifier) @to . ":" . (_) @type) @assign
(assignment left: (_) @to right: (_) @from) @assign
(for_statement (variable_declaration . (identifier) @to ":" . (_) @type)) @assign
(for_statement (variable_declaration . (identifier) @to) "in" . (_) @from) @for
(catch_block (identifier) @to . ":" . (_) @type) @catch
(lambda_parameters (variable_declaration . (identifier) @to ":" . (_) @type)) @assign
(return_expression (_) @from) @return
(function_body "=" . (_) @from) @return

(function_value_parameters (parameter . (identifier) @name ":" . (_) @type)) @param
(function_value_parameters (parameter . (identifier) @name ":" . (_) @type) . "=" . (_) @from) @param
((function_value_parameters (parameter_modifiers) @_how . (parameter . (identifier) @name ":" . (_) @type)) @param.rest
  (#match? @_how "vararg"))
(lambda_parameters (variable_declaration . (identifier) @name .)) @param
; a local variable, not a property
(class_parameter . (identifier) @name . ":" . (_) @type) @param

(function_declaration [(user_type) (nullable_type)] @type . "." . name: (_)) @receiver
(property_declaration [(user_type) (nullable_type)] @type . "." . (variable_declaration)) @receiver
(function_declaration (function_value_parameters) . ":" . (_) @type) @returns
(class_declaration
  (delegation_specifiers ((delegation_specifier [
    (user_type) @base
    (constructor_invocation (user_type) @base)
    (explicit_delegation (user_type) @base)]) ","?)*)?) @class
(object_declaration
  (delegation_specifiers ((delegation_specifier [
    (user_type) @base
    (constructor_invocation (user_type) @base)
    (explicit_delegation (user_type) @base)]) ","?)*)?) @class
(companion_object
  (delegation_specifiers ((delegation_specifier [
    (user_type) @base
    (constructor_invocation (user_type) @base)
    (explicit_delegation (user_type) @base)]) ","?)*)?) @class
(object_literal
  (delegation_specifiers ((delegation_specifier [
    (user_type) @base
    (constructor_invocation (user_type) @base)
    (explicit_delegation (user_type) @base)]) ","?)*)?
  (class_body) @class)
(class_declaration name: (identifier) @base (enum_class_body (enum_entry (class_body) @class)))
(type_parameter (identifier) @to ":" . (_) @type) @bound
