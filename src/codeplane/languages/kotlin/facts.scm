; scopes: type parameters are seen in the header of a class. Its members, and the parameters of its primary
; constructor, are seen from there to its end.
(class_declaration (type_parameters)) @scope.generic
(class_declaration (primary_constructor) @scope.class) @rest
(class_declaration name: (_) . [(class_body) (enum_class_body)] @scope.class)
(class_declaration name: (_) . (type_parameters) . [(class_body) (enum_class_body)] @scope.class)
(class_declaration name: (_) . (delegation_specifiers) . [(class_body) (enum_class_body)] @scope.class)
(class_declaration
  name: (_) . (type_parameters) . (delegation_specifiers) . [(class_body) (enum_class_body)] @scope.class)
(class_declaration name: (_) . (type_parameters) . (type_constraints) . (class_body) @scope.class)
(class_declaration
  name: (_) . (type_parameters) . (delegation_specifiers) . (type_constraints) . (class_body) @scope.class)
(class_declaration (primary_constructor) (delegation_specifiers (delegation_specifier [
  (user_type) @outer
  (constructor_invocation (user_type) @outer)
  (explicit_delegation (user_type) @outer)])))
(object_declaration (class_body) @scope.class)
(companion_object (class_body) @scope.class)
(companion_object (class_body) @shared)
(object_literal (class_body) @scope.class)
(enum_entry (class_body) @scope.class)

(function_declaration) @scope.function
(function_declaration [(user_type) (nullable_type) (parenthesized_type)] . name: (_)) @receiver
(secondary_constructor) @scope.function
(anonymous_initializer) @scope.function
(getter) @scope.function
(setter) @scope.function
(getter) @implicit.field
(setter) @implicit.field
(property_declaration [(user_type) (nullable_type) (parenthesized_type)] . (variable_declaration)
  [(getter) (setter)] @receiver)
(property_declaration (type_parameters)) @scope.generic
(type_alias (type_parameters)) @scope.generic
(anonymous_function) @scope.lambda
(anonymous_function) @receiver
(lambda_literal) @scope.lambda
(lambda_literal) @receiver
(lambda_literal) @implicit.it

; the block of a function shares a scope with the parameters, so only the others are listed
(if_expression (block) @scope.block)
(while_statement (block) @scope.block)
(do_while_statement) @scope.block
(for_statement) @scope.block
(for_statement "in" . (_) @outer)
(try_expression (block) @scope.block)
(catch_block) @scope.block
(finally_block (block) @scope.block)
(when_expression (when_subject)) @scope.block
(when_entry (block) @scope.block)

; inherited members
(class_declaration (primary_constructor) @open (delegation_specifiers)) @rest
(class_declaration (primary_constructor) @open (enum_class_body)) @rest
(class_declaration (delegation_specifiers) (class_body) @open)
(class_declaration (enum_class_body) @open)
(class_declaration (type_parameters) (delegation_specifiers)) @open
(object_declaration (delegation_specifiers) (class_body) @open)
(companion_object (delegation_specifiers) (class_body) @open)
(class_declaration (class_body (companion_object (delegation_specifiers))) @open)
(class_declaration (primary_constructor) @open (class_body (companion_object (delegation_specifiers)))) @rest
(object_literal (delegation_specifiers) (class_body) @open)
(enum_entry (class_body) @open)

; definitions
(class_declaration . "class" name: (identifier) @name @until
  (primary_constructor (class_parameters) @params)? [(class_body) (enum_class_body)]? @body) @def.class
((class_declaration (modifiers) @_modifiers "class" name: (identifier) @name @until
  (primary_constructor (class_parameters) @params)? (class_body)? @body) @def.class
  (#not-match? @_modifiers "(^|[\\s)>])(enum|annotation|tailrec)$"))
((class_declaration (modifiers) @_modifiers "class" name: (identifier) @name @until
  (primary_constructor (class_parameters) @params)? [(class_body) (enum_class_body)]? @body) @def.enum
  (#match? @_modifiers "(^|[\\s)>])enum$"))
((class_declaration (modifiers) @_modifiers "class" name: (identifier) @name @until
  (primary_constructor (class_parameters) @params)? (class_body)? @body)
  @def.annotation
  ; what is read for `annotation`, which the grammar knows as a name too
  (#match? @_modifiers "(^|[\\s)>])(annotation|tailrec)$"))
(class_declaration "interface" name: (identifier) @name @until (class_body)? @body) @def.interface
(object_declaration name: (identifier) @name (class_body)? @body) @def.object
(companion_object name: (identifier) @name (class_body)? @body) @def.object
(companion_object !name "companion" @implied (class_body)? @body) @def.object
(type_alias type: (identifier) @name) @def.type
(class_body (function_declaration
  name: (identifier) @name @until (function_value_parameters) @params (function_body)? @body) @def.method)
(enum_class_body (function_declaration
  name: (identifier) @name @until (function_value_parameters) @params (function_body)? @body) @def.method)
(source_file (function_declaration
  name: (identifier) @name @until (function_value_parameters) @params (function_body)? @body) @def.function)
(block (function_declaration
  name: (identifier) @name @until (function_value_parameters) @params (function_body)? @body) @def.function)
(lambda_literal (function_declaration
  name: (identifier) @name @until (function_value_parameters) @params (function_body)? @body) @def.function)
(ERROR (function_declaration
  name: (identifier) @name @until (function_value_parameters) @params (function_body)? @body) @def.function)
(secondary_constructor "constructor" @implied (function_value_parameters) @params (block)? @body) @def.constructor
(enum_entry (identifier) @name (class_body)? @body) @def.enum_member
(class_parameter ["val" "var"] (identifier) @name . ":") @def.property
(source_file (property_declaration
  (variable_declaration (identifier) @name) [(getter) (setter)]? @body) @def.property)
(class_body (property_declaration
  (variable_declaration (identifier) @name) [(getter) (setter)]? @body) @def.property)
(enum_class_body (property_declaration
  (variable_declaration (identifier) @name) [(getter) (setter)]? @body) @def.property)
(source_file (property_declaration
  (multi_variable_declaration (variable_declaration (identifier) @name))) @def.property)

; overloads in other files of the package, and extensions, whose receiver may have a member of the name
(source_file (function_declaration . "fun") @conditional)
((source_file (function_declaration (modifiers) @_modifiers) @conditional)
  (#not-match? @_modifiers "(^|[\\s)>])private(\\s|$)"))
(function_declaration [(user_type) (nullable_type) (parenthesized_type)] . name: (_)) @conditional
(property_declaration [(user_type) (nullable_type) (parenthesized_type)] . (variable_declaration)) @conditional

; annotations are inside of the definition that they decorate
(class_declaration (modifiers (annotation) @decorator)) @wrapper @wrapped
(object_declaration (modifiers (annotation) @decorator)) @wrapper @wrapped
(companion_object (modifiers (annotation) @decorator)) @wrapper @wrapped
(function_declaration (modifiers (annotation) @decorator)) @wrapper @wrapped
(secondary_constructor (modifiers (annotation) @decorator)) @wrapper @wrapped
(source_file (property_declaration (modifiers (annotation) @decorator)) @wrapper @wrapped)
(class_body (property_declaration (modifiers (annotation) @decorator)) @wrapper @wrapped)
(enum_class_body (property_declaration (modifiers (annotation) @decorator)) @wrapper @wrapped)
(class_parameter (modifiers (annotation) @decorator)) @wrapper @wrapped
(enum_entry (modifiers (annotation) @decorator)) @wrapper @wrapped
(type_alias (modifiers (annotation) @decorator)) @wrapper @wrapped
; with arguments, before a top-level function, they are read as a statement of their own
(source_file (annotated_expression (annotation) (parenthesized_expression)) @wrapper @decorator
  . (function_declaration) @wrapped)

; bindings
(type_parameters "<" @until (type_parameter (identifier) @bind.type))
(function_value_parameters (parameter . (identifier) @bind.param))
(class_parameter (identifier) @bind.param . ":")
(setter (identifier) @bind.param)
(lambda_parameters (variable_declaration (identifier) @bind.param))
(lambda_parameters (multi_variable_declaration (variable_declaration (identifier) @bind.param)))
(for_statement (variable_declaration (identifier) @bind.local))
(for_statement (multi_variable_declaration (variable_declaration (identifier) @bind.local)))
(catch_block (identifier) @bind.local)
(when_subject (variable_declaration (identifier) @bind.local)) @until
(block (property_declaration (variable_declaration (identifier) @bind.let)) @until)
(block (property_declaration (multi_variable_declaration (variable_declaration (identifier) @bind.let))) @until)
(lambda_literal (property_declaration (variable_declaration (identifier) @bind.let)) @until)
(lambda_literal
  (property_declaration (multi_variable_declaration (variable_declaration (identifier) @bind.let))) @until)

(import) @import.kotlin_import
