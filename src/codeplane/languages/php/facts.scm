; scopes
(function_definition) @scope.function
(method_declaration) @scope.function
(anonymous_function) @scope.function
(property_hook) @scope.function
(arrow_function) @scope.lambda
(class_declaration body: (declaration_list) @scope.class)
(interface_declaration body: (declaration_list) @scope.class)
(trait_declaration body: (declaration_list) @scope.class)
(anonymous_class body: (declaration_list) @scope.class)
(enum_declaration_list) @scope.class
(namespace_definition body: (compound_statement) @scope.namespace)
; a second namespace ends the first
(program (namespace_definition !body) (namespace_definition !body) @scope.namespace) @rest

; a function has no variables but its own
(function_definition) @sealed.values
(method_declaration) @sealed.values
(anonymous_function) @sealed.values
(property_hook) @sealed.values
(namespace_definition body: (compound_statement) @sealed)
(program (namespace_definition !body) (namespace_definition !body) @sealed) @rest

; definitions
(namespace_definition name: (namespace_name) @implied body: (_)? @body) @def.module
(class_declaration name: (name) @name body: (_) @body) @def.class
(interface_declaration name: (name) @name body: (_) @body) @def.interface
(trait_declaration name: (name) @name body: (_) @body) @def.trait
(enum_declaration name: (name) @name body: (_) @body) @def.enum
(enum_case name: (name) @name) @def.enum_member
(function_definition name: (name) @name parameters: (_) @params return_type: (_)? @returns body: (_) @body) @def.function
((method_declaration name: (name) @name parameters: (_) @params return_type: (_)? @returns body: (_)? @body) @def.method
  (#not-eq? @name "__construct"))
((method_declaration name: (name) @name parameters: (_) @params body: (_)? @body) @def.constructor
  (#eq? @name "__construct"))
(property_declaration (property_element name: (variable_name (name) @name)) (property_hook_list)? @body) @def.property
(const_declaration (const_element . (name) @name)) @def.constant
((function_call_expression
    function: (name) @_define
    arguments: (arguments . (argument (string . (string_content) @name .)))) @def.constant
  (#eq? @_define "define"))
(program (expression_statement (assignment_expression left: (variable_name (name) @name)) @def.variable))
(program (expression_statement (reference_assignment_expression left: (variable_name (name) @name)) @def.variable))
; a parameter of the constructor that is a property too
(class_declaration
  name: (name) @owner
  body: (declaration_list (method_declaration parameters: (formal_parameters
    (property_promotion_parameter name: [(variable_name (name) @name) (by_ref (variable_name (name) @name))]) @def.property))))
(trait_declaration
  name: (name) @owner
  body: (declaration_list (method_declaration parameters: (formal_parameters
    (property_promotion_parameter name: [(variable_name (name) @name) (by_ref (variable_name (name) @name))]) @def.property))))
; a trait's method under another name
(use_as_clause (_) (name) @name .) @def.method

; `if (!function_exists('f')) { function f() {} }`
(if_statement body: (compound_statement [(function_definition) (class_declaration) (interface_declaration)] @conditional))
(if_statement body: (colon_block [(function_definition) (class_declaration) (interface_declaration)] @conditional))

; attributes are inside of the definition that they decorate
(class_declaration attributes: (attribute_list (attribute_group (attribute) @decorator))) @wrapper @wrapped
(interface_declaration attributes: (attribute_list (attribute_group (attribute) @decorator))) @wrapper @wrapped
(trait_declaration attributes: (attribute_list (attribute_group (attribute) @decorator))) @wrapper @wrapped
(enum_declaration attributes: (attribute_list (attribute_group (attribute) @decorator))) @wrapper @wrapped
(enum_case attributes: (attribute_list (attribute_group (attribute) @decorator))) @wrapper @wrapped
(function_definition attributes: (attribute_list (attribute_group (attribute) @decorator))) @wrapper @wrapped
(method_declaration attributes: (attribute_list (attribute_group (attribute) @decorator))) @wrapper @wrapped
(property_declaration attributes: (attribute_list (attribute_group (attribute) @decorator))) @wrapper @wrapped
(const_declaration attributes: (attribute_list (attribute_group (attribute) @decorator))) @wrapper @wrapped
(property_promotion_parameter attributes: (attribute_list (attribute_group (attribute) @decorator))) @wrapper @wrapped

; bindings
(simple_parameter name: (variable_name (name) @bind.param))
(variadic_parameter name: (variable_name (name) @bind.param))
(property_promotion_parameter name: (variable_name (name) @bind.param))
(property_promotion_parameter name: (by_ref (variable_name (name) @bind.param)))
(assignment_expression left: (variable_name (name) @bind.local))
(augmented_assignment_expression left: (variable_name (name) @bind.local))
(reference_assignment_expression left: (variable_name (name) @bind.local))
(list_literal (variable_name (name) @bind.local))
(list_literal (by_ref (variable_name (name) @bind.local)))
(foreach_statement . (_) . (variable_name (name) @bind.local))
(foreach_statement . (_) . (by_ref (variable_name (name) @bind.local)))
(foreach_statement (pair (variable_name (name) @bind.local)))
(foreach_statement (pair (by_ref (variable_name (name) @bind.local))))
(catch_clause name: (variable_name (name) @bind.local))
(static_variable_declaration name: (variable_name (name) @bind.local))
(global_declaration (variable_name (name) @bind.global))
; a closure's list names variables of the function around it
(anonymous_function_use_clause (variable_name (name) @bind.nonlocal))
(anonymous_function_use_clause (by_ref (variable_name (name) @bind.nonlocal)))
; targets of assignments
((function_call_expression
    function: (name) @_match
    arguments: (arguments . (argument) . (argument) . (argument . (variable_name (name) @bind.local) .)))
  (#any-of? @_match "preg_match" "preg_match_all"))
((function_call_expression
    function: (name) @_exec
    arguments: (arguments . (argument) . (argument . (variable_name (name) @bind.local) .)))
  (#any-of? @_exec "exec" "parse_str" "openssl_pkey_export"))

; imports
(namespace_use_declaration) @import.php_use
(include_expression [(string) (encapsed_string . (string_content) .)
    (parenthesized_expression [(string) (encapsed_string . (string_content) .)])]) @import.php_include
(include_once_expression [(string) (encapsed_string . (string_content) .)
    (parenthesized_expression [(string) (encapsed_string . (string_content) .)])]) @import.php_include
(require_expression [(string) (encapsed_string . (string_content) .)
    (parenthesized_expression [(string) (encapsed_string . (string_content) .)])]) @import.php_require
(require_once_expression [(string) (encapsed_string . (string_content) .)
    (parenthesized_expression [(string) (encapsed_string . (string_content) .)])]) @import.php_require
((include_expression (binary_expression left: (_) @_here right: [(string) (encapsed_string . (string_content) .)])) @import.php_include (#match? @_here "^(__DIR__|dirname *\\( *__FILE__ *\\))$"))
((include_once_expression (binary_expression left: (_) @_here right: [(string) (encapsed_string . (string_content) .)])) @import.php_include (#match? @_here "^(__DIR__|dirname *\\( *__FILE__ *\\))$"))
((require_expression (binary_expression left: (_) @_here right: [(string) (encapsed_string . (string_content) .)])) @import.php_require (#match? @_here "^(__DIR__|dirname *\\( *__FILE__ *\\))$"))
((require_once_expression (binary_expression left: (_) @_here right: [(string) (encapsed_string . (string_content) .)])) @import.php_require (#match? @_here "^(__DIR__|dirname *\\( *__FILE__ *\\))$"))
