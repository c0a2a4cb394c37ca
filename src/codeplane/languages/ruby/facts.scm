; scopes: the name and the superclass of a class are looked up outside of it
(class) @scope.namespace
(module) @scope.namespace
(singleton_class) @scope.namespace
(class name: (scope_resolution) @outer)
(class superclass: (_) @outer)
(module name: (scope_resolution) @outer)
(singleton_class value: (_) @outer)
(method) @scope.function
(singleton_method) @scope.function
(singleton_method object: (_) @outer)
(block) @scope.closure
(do_block) @scope.closure
(lambda) @scope.closure

; locals end where a class or a method begins, and so do the methods of the class around; constants do not
(class) @sealed.calls
(module) @sealed.calls
(singleton_class) @sealed.calls
(method) @sealed.values
(singleton_method) @sealed.values

; any class or module may be opened again elsewhere, inherit, or include
(class) @open
(module) @open
(singleton_class) @open

; definitions. Constants of a block belong to the class or file around it
(class name: (constant) @name @hoisted body: (_)? @body) @def.class
(class name: (scope_resolution scope: (_)? @owner name: (constant) @name) body: (_)? @body) @def.class
(module name: (constant) @name @hoisted body: (_)? @body) @def.module
(module name: (scope_resolution scope: (_)? @owner name: (constant) @name) body: (_)? @body) @def.module
((method name: (_) @name parameters: (_)? @params body: (_)? @body) @def.function
  (#not-eq? @name "initialize"))
((method name: (_) @name parameters: (_)? @params body: (_)? @body) @def.constructor
  (#eq? @name "initialize"))
(singleton_method name: (_) @name parameters: (_)? @params body: (_)? @body) @def.method.static

(assignment left: (constant) @name @hoisted) @def.constant
(assignment left: (left_assignment_list (constant) @name @hoisted)) @def.constant
(assignment left: (scope_resolution scope: (_) @owner name: (constant) @name)) @def.constant
(operator_assignment left: (constant) @name @hoisted operator: "||=") @def.constant
((assignment left: (constant) @name @hoisted
    right: (call receiver: (constant) @_class method: (identifier) @_new block: (_)? @body)) @def.class
  (#any-of? @_class "Struct" "Class" "Data") (#any-of? @_new "new" "define"))
((assignment left: (constant) @name @hoisted
    right: (call receiver: (constant) @_class method: (identifier) @_new block: (_)? @body)) @def.module
  (#eq? @_class "Module") (#eq? @_new "new"))
((assignment left: (constant)
    right: (call receiver: (constant) @_class method: (identifier) @_new
      arguments: (argument_list (simple_symbol) @implied @def.property.member)))
  (#any-of? @_class "Struct" "Data") (#any-of? @_new "new" "define"))
((superclass (call receiver: (constant) @_class method: (identifier) @_new
    arguments: (argument_list (simple_symbol) @implied @def.property.member)))
  (#any-of? @_class "Struct" "Data") (#any-of? @_new "new" "define"))

(body_statement (assignment left: (class_variable) @name) @def.field)
(class body: (body_statement (assignment left: (instance_variable) @name) @def.field))
(module body: (body_statement (assignment left: (instance_variable) @name) @def.field))
(program (assignment left: (global_variable) @name) @def.variable)

((call !receiver method: (identifier) @_attr arguments: (argument_list [(simple_symbol) (string)] @implied)) @def.property
  (#any-of? @_attr "attr_reader" "attr_writer" "attr_accessor" "attr" "cattr_accessor" "mattr_accessor"
    "cattr_reader" "mattr_reader" "cattr_writer" "mattr_writer" "class_attribute" "thread_mattr_accessor"))
((call !receiver method: (identifier) @_define
    arguments: (argument_list . [(simple_symbol) (string . (string_content) .)] @implied) block: (_)? @body) @def.function
  (#any-of? @_define "define_method" "alias_method"))
((call !receiver method: (identifier) @_define
    arguments: (argument_list . [(simple_symbol) (string . (string_content) .)] @implied) block: (_)? @body) @def.method.static
  (#eq? @_define "define_singleton_method"))
(alias name: [(identifier) (constant) (setter) (operator)] @name) @def.function
(alias name: (simple_symbol) @implied) @def.function

; `private def x`, and any other word that is said of a method where it is defined
((call !receiver method: (identifier) @_word arguments: (argument_list . [(method) (singleton_method)] @wrapped .)) @wrapper
  (#any-of? @_word "private" "protected" "public" "private_class_method" "public_class_method" "module_function"))
((call !receiver method: (identifier) @decorator arguments: (argument_list . [(method) (singleton_method)] @wrapped .)) @wrapper
  (#not-match? @decorator "^(private|protected|public|private_class_method|public_class_method|module_function)$"))
((call !receiver method: (identifier) @_word arguments: (argument_list . (call !receiver method: (identifier)) @wrapped .)) @wrapper
  (#any-of? @_word "private" "protected" "public"))

((body_statement (identifier) @section) (#any-of? @section "private" "protected" "public" "module_function"))
((call !receiver method: (identifier) @marked arguments: (argument_list [(simple_symbol) (string)] @name))
  (#any-of? @marked "private" "protected" "public" "private_class_method" "private_constant"))

; parameters
(method_parameters (identifier) @bind.param)
(block_parameters (identifier) @bind.param)
(lambda_parameters (identifier) @bind.param)
(optional_parameter name: (identifier) @bind.param)
(keyword_parameter name: (identifier) @bind.param)
(block_parameter name: (identifier) @bind.param)
(destructured_parameter (identifier) @bind.param)
(method_parameters (splat_parameter name: (identifier) @bind.param))
(method_parameters (hash_splat_parameter name: (identifier) @bind.param))
(block_parameters (splat_parameter name: (identifier) @bind.param))
(block_parameters (hash_splat_parameter name: (identifier) @bind.param))
(lambda_parameters (splat_parameter name: (identifier) @bind.param))
(lambda_parameters (hash_splat_parameter name: (identifier) @bind.param))
(destructured_parameter (splat_parameter name: (identifier) @bind.param))

; a block that assigns a local of the method around it writes that one
(assignment left: (identifier) @bind.assign)
(operator_assignment left: (identifier) @bind.assign)
(left_assignment_list (identifier) @bind.assign)
(destructured_left_assignment (identifier) @bind.assign)
(rest_assignment (identifier) @bind.assign)
(for pattern: (identifier) @bind.assign)
(exception_variable (identifier) @bind.assign)

; patterns
(in_clause pattern: (identifier) @bind.assign)
(match_pattern pattern: (identifier) @bind.assign)
(test_pattern pattern: (identifier) @bind.assign)
(array_pattern (identifier) @bind.assign)
(array_pattern (splat_parameter name: (identifier) @bind.assign))
(find_pattern (identifier) @bind.assign)
(find_pattern (splat_parameter name: (identifier) @bind.assign))
(hash_pattern (hash_splat_parameter name: (identifier) @bind.assign))
(keyword_pattern key: (hash_key_symbol) @bind.assign !value)
(keyword_pattern value: (identifier) @bind.assign)
(as_pattern name: (identifier) @bind.assign)
(parenthesized_pattern (identifier) @bind.assign)

; imports
((call !receiver method: (identifier) @_require arguments: (argument_list . (string . (string_content) .) .)) @import.ruby_require
  (#eq? @_require "require"))
((call !receiver method: (identifier) @_require arguments: (argument_list . (string . (string_content) .) .)) @import.ruby_require_relative
  (#eq? @_require "require_relative"))
((call !receiver method: (identifier) @_load arguments: (argument_list . (string . (string_content) .))) @import.ruby_load
  (#eq? @_load "load"))
((call !receiver method: (identifier) @_autoload arguments: (argument_list . (simple_symbol) . (string . (string_content) .) .)) @import.ruby_autoload
  (#eq? @_autoload "autoload"))
