; unless there are default values, which do not see the body's own names
(function_declaration
  parameters: (formal_parameters [
    (assignment_pattern)
    (object_pattern [(object_assignment_pattern) (pair_pattern value: (assignment_pattern))])
  ])
  body: (statement_block) @scope.block)
(generator_function_declaration
  parameters: (formal_parameters [
    (assignment_pattern)
    (object_pattern [(object_assignment_pattern) (pair_pattern value: (assignment_pattern))])
  ])
  body: (statement_block) @scope.block)
(function_expression
  parameters: (formal_parameters [
    (assignment_pattern)
    (object_pattern [(object_assignment_pattern) (pair_pattern value: (assignment_pattern))])
  ])
  body: (statement_block) @scope.block)
(generator_function
  parameters: (formal_parameters [
    (assignment_pattern)
    (object_pattern [(object_assignment_pattern) (pair_pattern value: (assignment_pattern))])
  ])
  body: (statement_block) @scope.block)
(arrow_function
  parameters: (formal_parameters [
    (assignment_pattern)
    (object_pattern [(object_assignment_pattern) (pair_pattern value: (assignment_pattern))])
  ])
  body: (statement_block) @scope.block)
(method_definition
  parameters: (formal_parameters [
    (assignment_pattern)
    (object_pattern [(object_assignment_pattern) (pair_pattern value: (assignment_pattern))])
  ])
  body: (statement_block) @scope.block)

; definitions
(function_declaration
  name: (identifier) @name
  parameters: (formal_parameters) @params
  body: (statement_block) @body) @def.function
(generator_function_declaration
  name: (identifier) @name
  parameters: (formal_parameters) @params
  body: (statement_block) @body) @def.function
(lexical_declaration (variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function [parameters: (_) parameter: (_)] @params body: (_) @body)
    (function_expression parameters: (_) @params body: (_) @body)
    (generator_function parameters: (_) @params body: (_) @body)
  ]) @def.function)
(variable_declaration (variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function [parameters: (_) parameter: (_)] @params body: (_) @body)
    (function_expression parameters: (_) @params body: (_) @body)
    (generator_function parameters: (_) @params body: (_) @body)
  ]) @def.function) @hoisted

; a function expression that nothing else gives a name; the one it has is seen in itself only
(arguments (function_expression
  name: (identifier) @name parameters: (_) @params body: (_) @body) @def.function @inner)
(return_statement (function_expression
  name: (identifier) @name parameters: (_) @params body: (_) @body) @def.function @inner)
(parenthesized_expression (function_expression
  name: (identifier) @name parameters: (_) @params body: (_) @body) @def.function @inner)
(array (function_expression
  name: (identifier) @name parameters: (_) @params body: (_) @body) @def.function @inner)
(binary_expression (function_expression
  name: (identifier) @name parameters: (_) @params body: (_) @body) @def.function @inner)
(ternary_expression (function_expression
  name: (identifier) @name parameters: (_) @params body: (_) @body) @def.function @inner)
(arrow_function body: (function_expression
  name: (identifier) @name parameters: (_) @params body: (_) @body) @def.function @inner)
(assignment_expression left: [(identifier) (subscript_expression)] right: (function_expression
  name: (identifier) @name parameters: (_) @params body: (_) @body) @def.function @inner)
((assignment_expression
  left: (member_expression property: (_) @_outer)
  right: (function_expression
    name: (identifier) @name parameters: (_) @params body: (_) @body) @def.function @inner)
  (#not-eq? @name @_outer))
((pair
  key: (_) @_outer
  value: (function_expression
    name: (identifier) @name parameters: (_) @params body: (_) @body) @def.function @inner)
  (#not-eq? @name @_outer))
((variable_declarator
  name: (_) @_outer
  value: (function_expression
    name: (identifier) @name parameters: (_) @params body: (_) @body) @def.function @inner)
  (#not-eq? @name @_outer))
(export_statement "default" @name value: [
    (arrow_function [parameters: (_) parameter: (_)] @params body: (_) @body)
    (function_expression parameters: (_) @params body: (_) @body)
    (generator_function parameters: (_) @params body: (_) @body)
  ]) @def.function
(class_declaration name: (identifier) @name body: (class_body) @body) @def.class
(arguments (class name: (identifier) @name body: (class_body) @body) @def.class @inner)
(return_statement (class name: (identifier) @name body: (class_body) @body) @def.class @inner)
(parenthesized_expression (class name: (identifier) @name body: (class_body) @body) @def.class @inner)
(arrow_function body: (class name: (identifier) @name body: (class_body) @body) @def.class @inner)
(assignment_expression right: (class name: (identifier) @name body: (class_body) @body) @def.class @inner)
(pair value: (class name: (identifier) @name body: (class_body) @body) @def.class @inner)
(class_heritage (class name: (identifier) @name body: (class_body) @body) @def.class @inner)

; members
((method_definition
  name: [(property_identifier) (private_property_identifier)] @name
  parameters: (formal_parameters) @params
  body: (statement_block) @body) @def.method
  (#not-eq? @name "constructor"))
(method_definition
  name: (string (string_fragment) @name)
  parameters: (formal_parameters) @params
  body: (statement_block) @body) @def.method
(method_definition
  name: (computed_property_name [(identifier) (member_expression)]) @name
  parameters: (formal_parameters) @params
  body: (statement_block) @body) @def.method
(field_definition property: [(property_identifier) (private_property_identifier)] @name) @def.field
(field_definition
  property: [(property_identifier) (private_property_identifier)] @name
  value: [
    (arrow_function [parameters: (_) parameter: (_)] @params body: (_) @body)
    (function_expression parameters: (_) @params body: (_) @body)
    (generator_function parameters: (_) @params body: (_) @body)
  ]) @def.method
(pair
  key: [(property_identifier) @name (string (string_fragment) @name)]
  value: [
    (arrow_function [parameters: (_) parameter: (_)] @params body: (_) @body)
    (function_expression parameters: (_) @params body: (_) @body)
    (generator_function parameters: (_) @params body: (_) @body)
  ]) @def.method

; members of something declared elsewhere
((assignment_expression
  left: (member_expression
    object: (identifier) @owner
    property: [(property_identifier) (private_property_identifier)] @name)
  right: [
    (arrow_function [parameters: (_) parameter: (_)] @params body: (_) @body)
    (function_expression parameters: (_) @params body: (_) @body)
    (generator_function parameters: (_) @params body: (_) @body)
  ]) @def.method
  (#not-eq? @owner "exports") (#not-eq? @owner "module"))
((assignment_expression
  left: (member_expression
    object: (member_expression object: (_) @owner property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [
    (arrow_function [parameters: (_) parameter: (_)] @params body: (_) @body)
    (function_expression parameters: (_) @params body: (_) @body)
    (generator_function parameters: (_) @params body: (_) @body)
  ]) @def.method
  (#eq? @_prototype "prototype"))
((assignment_expression
  left: (member_expression
    object: (member_expression property: (property_identifier) @_last) @owner
    property: (property_identifier) @name)
  right: [
    (arrow_function [parameters: (_) parameter: (_)] @params body: (_) @body)
    (function_expression parameters: (_) @params body: (_) @body)
    (generator_function parameters: (_) @params body: (_) @body)
  ]) @def.method
  (#not-eq? @_last "prototype") (#not-eq? @_last "exports"))
((assignment_expression
  left: (member_expression
    object: [(identifier) @_exports (member_expression property: (property_identifier) @_exports)]
    property: (property_identifier) @name)
  right: [
    (arrow_function [parameters: (_) parameter: (_)] @params body: (_) @body)
    (function_expression parameters: (_) @params body: (_) @body)
    (generator_function parameters: (_) @params body: (_) @body)
  ]) @def.method
  (#eq? @_exports "exports"))
(assignment_expression
  left: (member_expression
    object: (this)
    property: [(property_identifier) (private_property_identifier)] @name)
  right: [
    (arrow_function [parameters: (_) parameter: (_)] @params body: (_) @body)
    (function_expression parameters: (_) @params body: (_) @body)
    (generator_function parameters: (_) @params body: (_) @body)
  ]) @def.method

; nodes that belong to the span of a definition
(field_definition decorator: (decorator)+ @decorator) @wrapper @wrapped
(method_definition decorator: (decorator)+ @decorator) @wrapper @wrapped

; bindings
(formal_parameters [
  (identifier)
  (object_pattern)
  (array_pattern)
  (assignment_pattern)
  (rest_pattern)
] @bind.param)
(class name: (identifier) @bind.local)
(using_declaration (variable_declarator name: (_) @bind.local))

; exports, of the file itself: those of a namespace are its members
(program (export_statement "default"? @alias declaration: [
  (function_declaration name: (identifier) @name)
  (generator_function_declaration name: (identifier) @name)
  (class_declaration name: (identifier) @name)
  (lexical_declaration (variable_declarator name: (_) @name))
  (variable_declaration (variable_declarator name: (_) @name))
]) @export.explicit_export)
(program (export_statement "default" @name value: [
  (arrow_function)
  (function_expression)
  (generator_function)
  (class)
  (object)
  (array)
  (call_expression)
  (new_expression)
  (member_expression)
  (await_expression)
  (binary_expression)
  (ternary_expression)
  (parenthesized_expression)
  (string)
  (template_string)
  (number)
]) @export.explicit_export)
