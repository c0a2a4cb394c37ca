; scopes; a function and its body are one, so that a `var` meets the parameter of its name
(abstract_class_declaration) @scope.class
(interface_declaration) @scope.class
(enum_declaration) @scope.class
(internal_module) @scope.namespace
(module) @scope.namespace

; other declarations of the namespace add names to it
(internal_module) @open
(module) @open

; signatures and types have parameters, too
(function_signature) @scope.function
(method_signature) @scope.function
(abstract_method_signature) @scope.function
(call_signature) @scope.function
(construct_signature) @scope.function
(function_type) @scope.function
(constructor_type) @scope.function
(type_alias_declaration type_parameters: (_)) @scope.type
(index_signature (mapped_type_clause)) @scope.type
(conditional_type) @scope.conditional
(conditional_type left: (_) @outer)
(conditional_type alternative: (_) @outer)

; unless there are default values, which do not see the body's own names
(function_declaration
  parameters: (formal_parameters [
    (required_parameter value: (_))
    (required_parameter
      pattern: (object_pattern [(object_assignment_pattern) (pair_pattern value: (assignment_pattern))]))
  ])
  body: (statement_block) @scope.block)
(generator_function_declaration
  parameters: (formal_parameters [
    (required_parameter value: (_))
    (required_parameter
      pattern: (object_pattern [(object_assignment_pattern) (pair_pattern value: (assignment_pattern))]))
  ])
  body: (statement_block) @scope.block)
(function_expression
  parameters: (formal_parameters [
    (required_parameter value: (_))
    (required_parameter
      pattern: (object_pattern [(object_assignment_pattern) (pair_pattern value: (assignment_pattern))]))
  ])
  body: (statement_block) @scope.block)
(generator_function
  parameters: (formal_parameters [
    (required_parameter value: (_))
    (required_parameter
      pattern: (object_pattern [(object_assignment_pattern) (pair_pattern value: (assignment_pattern))]))
  ])
  body: (statement_block) @scope.block)
(arrow_function
  parameters: (formal_parameters [
    (required_parameter value: (_))
    (required_parameter
      pattern: (object_pattern [(object_assignment_pattern) (pair_pattern value: (assignment_pattern))]))
  ])
  body: (statement_block) @scope.block)
(method_definition
  parameters: (formal_parameters [
    (required_parameter value: (_))
    (required_parameter
      pattern: (object_pattern [(object_assignment_pattern) (pair_pattern value: (assignment_pattern))]))
  ])
  body: (statement_block) @scope.block)

; definitions
(function_declaration
  name: (identifier) @name
  parameters: (formal_parameters) @params
  return_type: (_)? @returns
  body: (statement_block) @body) @def.function
(generator_function_declaration
  name: (identifier) @name
  parameters: (formal_parameters) @params
  return_type: (_)? @returns
  body: (statement_block) @body) @def.function
(function_signature
  name: (identifier) @name
  parameters: (formal_parameters) @params
  return_type: (_)? @returns) @def.function
(lexical_declaration (variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function [parameters: (_) parameter: (_)] @params return_type: (_)? @returns body: (_) @body)
    (function_expression parameters: (_) @params return_type: (_)? @returns body: (_) @body)
    (generator_function parameters: (_) @params return_type: (_)? @returns body: (_) @body)
  ]) @def.function)
(variable_declaration (variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function [parameters: (_) parameter: (_)] @params return_type: (_)? @returns body: (_) @body)
    (function_expression parameters: (_) @params return_type: (_)? @returns body: (_) @body)
    (generator_function parameters: (_) @params return_type: (_)? @returns body: (_) @body)
  ]) @def.function) @hoisted

; a function expression that nothing else gives a name; the one it has is seen in itself only
(arguments (function_expression
  name: (identifier) @name parameters: (_) @params return_type: (_)? @returns body: (_) @body) @def.function @inner)
(return_statement (function_expression
  name: (identifier) @name parameters: (_) @params return_type: (_)? @returns body: (_) @body) @def.function @inner)
(parenthesized_expression (function_expression
  name: (identifier) @name parameters: (_) @params return_type: (_)? @returns body: (_) @body) @def.function @inner)
(array (function_expression
  name: (identifier) @name parameters: (_) @params return_type: (_)? @returns body: (_) @body) @def.function @inner)
(binary_expression (function_expression
  name: (identifier) @name parameters: (_) @params return_type: (_)? @returns body: (_) @body) @def.function @inner)
(ternary_expression (function_expression
  name: (identifier) @name parameters: (_) @params return_type: (_)? @returns body: (_) @body) @def.function @inner)
(arrow_function body: (function_expression
  name: (identifier) @name parameters: (_) @params return_type: (_)? @returns body: (_) @body) @def.function @inner)
(assignment_expression left: [(identifier) (subscript_expression)] right: (function_expression
  name: (identifier) @name parameters: (_) @params return_type: (_)? @returns body: (_) @body) @def.function @inner)
((assignment_expression
  left: (member_expression property: (_) @_outer)
  right: (function_expression
    name: (identifier) @name parameters: (_) @params return_type: (_)? @returns body: (_) @body) @def.function @inner)
  (#not-eq? @name @_outer))
((pair
  key: (_) @_outer
  value: (function_expression
    name: (identifier) @name parameters: (_) @params return_type: (_)? @returns body: (_) @body) @def.function @inner)
  (#not-eq? @name @_outer))
((variable_declarator
  name: (_) @_outer
  value: (function_expression
    name: (identifier) @name parameters: (_) @params return_type: (_)? @returns body: (_) @body) @def.function @inner)
  (#not-eq? @name @_outer))
(export_statement "default" @name value: [
    (arrow_function [parameters: (_) parameter: (_)] @params return_type: (_)? @returns body: (_) @body)
    (function_expression parameters: (_) @params return_type: (_)? @returns body: (_) @body)
    (generator_function parameters: (_) @params return_type: (_)? @returns body: (_) @body)
  ]) @def.function
(class_declaration name: (type_identifier) @name body: (class_body) @body) @def.class
(abstract_class_declaration name: (type_identifier) @name body: (class_body) @body) @def.class
(arguments (class name: (type_identifier) @name body: (class_body) @body) @def.class @inner)
(return_statement (class name: (type_identifier) @name body: (class_body) @body) @def.class @inner)
(parenthesized_expression (class name: (type_identifier) @name body: (class_body) @body) @def.class @inner)
(arrow_function body: (class name: (type_identifier) @name body: (class_body) @body) @def.class @inner)
(assignment_expression right: (class name: (type_identifier) @name body: (class_body) @body) @def.class @inner)
(pair value: (class name: (type_identifier) @name body: (class_body) @body) @def.class @inner)
(class_heritage (extends_clause value:
  (class name: (type_identifier) @name body: (class_body) @body) @def.class @inner))

; members
((method_definition
  name: [(property_identifier) (private_property_identifier)] @name
  parameters: (formal_parameters) @params
  return_type: (_)? @returns
  body: (statement_block) @body) @def.method
  (#not-eq? @name "constructor"))
(method_definition
  name: (string (string_fragment) @name)
  parameters: (formal_parameters) @params
  return_type: (_)? @returns
  body: (statement_block) @body) @def.method
(method_definition
  name: (computed_property_name [(identifier) (member_expression)]) @name
  parameters: (formal_parameters) @params
  return_type: (_)? @returns
  body: (statement_block) @body) @def.method
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name) @def.field
(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @name
  value: [
    (arrow_function [parameters: (_) parameter: (_)] @params return_type: (_)? @returns body: (_) @body)
    (function_expression parameters: (_) @params return_type: (_)? @returns body: (_) @body)
    (generator_function parameters: (_) @params return_type: (_)? @returns body: (_) @body)
  ]) @def.method
(pair
  key: [(property_identifier) @name (string (string_fragment) @name)]
  value: [
    (arrow_function [parameters: (_) parameter: (_)] @params return_type: (_)? @returns body: (_) @body)
    (function_expression parameters: (_) @params return_type: (_)? @returns body: (_) @body)
    (generator_function parameters: (_) @params return_type: (_)? @returns body: (_) @body)
  ]) @def.method

; members of something declared elsewhere
((assignment_expression
  left: (member_expression
    object: (identifier) @owner
    property: [(property_identifier) (private_property_identifier)] @name)
  right: [
    (arrow_function [parameters: (_) parameter: (_)] @params return_type: (_)? @returns body: (_) @body)
    (function_expression parameters: (_) @params return_type: (_)? @returns body: (_) @body)
    (generator_function parameters: (_) @params return_type: (_)? @returns body: (_) @body)
  ]) @def.method
  (#not-eq? @owner "exports") (#not-eq? @owner "module"))
((assignment_expression
  left: (member_expression
    object: (member_expression object: (_) @owner property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [
    (arrow_function [parameters: (_) parameter: (_)] @params return_type: (_)? @returns body: (_) @body)
    (function_expression parameters: (_) @params return_type: (_)? @returns body: (_) @body)
    (generator_function parameters: (_) @params return_type: (_)? @returns body: (_) @body)
  ]) @def.method
  (#eq? @_prototype "prototype"))
((assignment_expression
  left: (member_expression
    object: (member_expression property: (property_identifier) @_last) @owner
    property: (property_identifier) @name)
  right: [
    (arrow_function [parameters: (_) parameter: (_)] @params return_type: (_)? @returns body: (_) @body)
    (function_expression parameters: (_) @params return_type: (_)? @returns body: (_) @body)
    (generator_function parameters: (_) @params return_type: (_)? @returns body: (_) @body)
  ]) @def.method
  (#not-eq? @_last "prototype") (#not-eq? @_last "exports"))
((assignment_expression
  left: (member_expression
    object: [(identifier) @_exports (member_expression property: (property_identifier) @_exports)]
    property: (property_identifier) @name)
  right: [
    (arrow_function [parameters: (_) parameter: (_)] @params return_type: (_)? @returns body: (_) @body)
    (function_expression parameters: (_) @params return_type: (_)? @returns body: (_) @body)
    (generator_function parameters: (_) @params return_type: (_)? @returns body: (_) @body)
  ]) @def.method
  (#eq? @_exports "exports"))
(assignment_expression
  left: (member_expression
    object: (this)
    property: [(property_identifier) (private_property_identifier)] @name)
  right: [
    (arrow_function [parameters: (_) parameter: (_)] @params return_type: (_)? @returns body: (_) @body)
    (function_expression parameters: (_) @params return_type: (_)? @returns body: (_) @body)
    (generator_function parameters: (_) @params return_type: (_)? @returns body: (_) @body)
  ]) @def.method

; variables; those of a function are bindings only
(ambient_declaration (lexical_declaration kind: "const" (variable_declarator name: (_) @name) @def.constant))
(ambient_declaration (lexical_declaration kind: "let" (variable_declarator name: (_) @name) @def.variable))
(ambient_declaration (variable_declaration (variable_declarator name: (_) @name) @def.variable))
(ambient_declaration (statement_block
  (lexical_declaration kind: "const" (variable_declarator name: (_) @name) @def.constant)))
(ambient_declaration (statement_block
  (lexical_declaration kind: "let" (variable_declarator name: (_) @name) @def.variable)))
(ambient_declaration (statement_block
  (variable_declaration (variable_declarator name: (_) @name) @def.variable)))
(internal_module body: (statement_block
  (lexical_declaration kind: "const" (variable_declarator name: (_) @name) @def.constant)))
(internal_module body: (statement_block
  (lexical_declaration kind: "let" (variable_declarator name: (_) @name) @def.variable)))
(internal_module body: (statement_block
  (variable_declaration (variable_declarator name: (_) @name) @def.variable)))
(module body: (statement_block
  (lexical_declaration kind: "const" (variable_declarator name: (_) @name) @def.constant)))
(module body: (statement_block
  (lexical_declaration kind: "let" (variable_declarator name: (_) @name) @def.variable)))
(module body: (statement_block
  (variable_declaration (variable_declarator name: (_) @name) @def.variable)))

; types
(interface_declaration name: (type_identifier) @name body: (_) @body) @def.interface
(type_alias_declaration name: (type_identifier) @name type_parameters: (_)? @params) @def.type
(enum_declaration name: (identifier) @name body: (_) @body) @def.enum
(enum_body [
  name: (property_identifier) @name @def.enum_member
  name: (string (string_fragment) @name) @def.enum_member
  (enum_assignment name: (property_identifier) @name) @def.enum_member
  (enum_assignment name: (string (string_fragment) @name)) @def.enum_member
])
(internal_module name: (identifier) @name body: (_) @body) @def.module
(internal_module name: (nested_identifier object: (identifier) @name) body: (_) @body) @def.module

; under its quotes, since no plain name means it
(module name: (string) @name body: (_)? @body) @def.module
(module name: (identifier) @name body: (_)? @body) @def.module
(ambient_declaration "global" @name (statement_block) @body) @def.module.global
(import_alias . (identifier) @name) @def.module
(interface_body (method_signature
  name: [(property_identifier) (computed_property_name [(identifier) (member_expression)])] @name
  parameters: (_) @params
  return_type: (_)? @returns) @def.method)
(interface_body (property_signature name: (property_identifier) @name) @def.property)
(interface_body (property_signature name: (string (string_fragment) @name)) @def.property)
(type_alias_declaration value: (object_type (method_signature
  name: (property_identifier) @name
  parameters: (_) @params
  return_type: (_)? @returns) @def.method))
(type_alias_declaration value: (object_type (property_signature name: (property_identifier) @name) @def.property))
(type_alias_declaration value: (object_type
  (property_signature name: (string (string_fragment) @name)) @def.property))
(class_body ((method_signature
  name: [
    (property_identifier)
    (private_property_identifier)
    (computed_property_name [(identifier) (member_expression)])
  ] @name
  parameters: (_) @params
  return_type: (_)? @returns) @def.method
  (#not-eq? @name "constructor")))
(class_body ((method_signature
  name: (property_identifier) @name
  parameters: (_) @params) @def.constructor
  (#eq? @name "constructor")))
(abstract_method_signature
  name: [(property_identifier) (private_property_identifier)] @name
  parameters: (_) @params
  return_type: (_)? @returns) @def.method
(class_declaration
  name: (_) @owner
  body: (class_body (method_definition parameters: (formal_parameters
    (required_parameter [(accessibility_modifier) "readonly"] pattern: (identifier) @name) @def.property))))
(abstract_class_declaration
  name: (_) @owner
  body: (class_body (method_definition parameters: (formal_parameters
    (required_parameter [(accessibility_modifier) "readonly"] pattern: (identifier) @name) @def.property))))

; nodes that belong to the span of a definition
(abstract_class_declaration decorator: (decorator)+ @decorator) @wrapper @wrapped
(public_field_definition decorator: (decorator)+ @decorator) @wrapper @wrapped
(ambient_declaration (_) @wrapped) @wrapper
(ambient_declaration (lexical_declaration . (variable_declarator) @wrapped .) @wrapper)
(ambient_declaration (variable_declaration . (variable_declarator) @wrapped .) @wrapper)

; the decorators of a method stand before it
(class_body (decorator) @decorator @wrapper . (decorator) @wrapped)
(class_body (decorator) @decorator @wrapper . [
  (method_definition)
  (method_signature)
  (abstract_method_signature)
] @wrapped)

; bindings
(formal_parameters (required_parameter pattern: (_) @bind.param))
(formal_parameters (optional_parameter pattern: (_) @bind.param))
(type_parameter name: (type_identifier) @bind.type)
(mapped_type_clause name: (type_identifier) @bind.type)
(infer_type . (type_identifier) @bind.inferred)
(class name: (type_identifier) @bind.local)
(class name: (type_identifier) @bind.type)

; exports, of the file itself: those of a namespace are its members
(program (export_statement "default"? @alias declaration: [
  (function_declaration name: (identifier) @name)
  (generator_function_declaration name: (identifier) @name)
  (class_declaration name: (type_identifier) @name)
  (lexical_declaration (variable_declarator name: (_) @name))
  (variable_declaration (variable_declarator name: (_) @name))
  (function_signature name: (identifier) @name)
  (abstract_class_declaration name: (type_identifier) @name)
  (interface_declaration name: (type_identifier) @name)
  (type_alias_declaration name: (type_identifier) @name)
  (enum_declaration name: (identifier) @name)
  (internal_module name: (identifier) @name)
]) @export.explicit_export)
(program (export_statement declaration: (ambient_declaration [
  (function_declaration name: (identifier) @name)
  (generator_function_declaration name: (identifier) @name)
  (class_declaration name: (type_identifier) @name)
  (lexical_declaration (variable_declarator name: (_) @name))
  (variable_declaration (variable_declarator name: (_) @name))
  (function_signature name: (identifier) @name)
  (abstract_class_declaration name: (type_identifier) @name)
  (interface_declaration name: (type_identifier) @name)
  (type_alias_declaration name: (type_identifier) @name)
  (enum_declaration name: (identifier) @name)
  (internal_module name: (identifier) @name)
])) @export.explicit_export)
(program (export_statement declaration: (import_alias . (identifier) @name)) @export.explicit_export)
(program (export_statement "=" @alias (identifier) @name) @export.export_assignment)
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
  (as_expression)
  (satisfies_expression)
]) @export.explicit_export)
