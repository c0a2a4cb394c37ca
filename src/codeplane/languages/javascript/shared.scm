; Patterns shared by JavaScript and TypeScript, before the facts query of each.

; scopes; a function and its body are one, so that a `var` meets the parameter of its name
(function_declaration) @scope.function
(generator_function_declaration) @scope.function
(function_expression) @scope.function
(generator_function) @scope.function
(arrow_function) @scope.lambda
(method_definition) @scope.function
(class_static_block) @scope.function
(class_declaration) @scope.class
(class) @scope.class
(if_statement consequence: (statement_block) @scope.block)
(else_clause (statement_block) @scope.block)
(for_statement) @scope.block
(for_statement body: (statement_block) @scope.block)
(for_in_statement) @scope.block
(for_in_statement body: (statement_block) @scope.block)
(while_statement body: (statement_block) @scope.block)
(do_statement body: (statement_block) @scope.block)
(try_statement body: (statement_block) @scope.block)
(catch_clause) @scope.block
(finally_clause body: (statement_block) @scope.block)
(switch_body) @scope.block
(switch_case body: (statement_block) @scope.block)
(switch_default body: (statement_block) @scope.block)
(labeled_statement body: (statement_block) @scope.block)
(statement_block (statement_block) @scope.block)
(program (statement_block) @scope.block)
(with_statement body: (statement_block) @scope.block)
(with_statement body: (statement_block) @open)

; a function expression that nothing else gives a name; the one it has is seen in itself only
(export_statement "default" @name value: (class !name body: (_) @body)) @def.class
(lexical_declaration (variable_declarator name: (identifier) @name value: (class body: (_) @body)) @def.class)
(variable_declaration (variable_declarator name: (identifier) @name value: (class body: (_) @body)) @def.class) @hoisted

; members
((method_definition
  name: (property_identifier) @name
  parameters: (formal_parameters) @params
  body: (statement_block) @body) @def.constructor
  (#eq? @name "constructor"))

; members of something declared elsewhere
((assignment_expression
  left: (member_expression object: (identifier) @owner property: (property_identifier) @name)
  right: [
    (arrow_function [parameters: (_) parameter: (_)] @params body: (_) @body)
    (function_expression !name parameters: (_) @params body: (_) @body)
  ]) @def.method
  (#eq? @owner "module") (#eq? @name "exports"))
((assignment_expression
  left: (member_expression
    object: (member_expression object: (_) @owner property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [
    (identifier)
    (member_expression)
    (subscript_expression)
    (assignment_expression)
    (call_expression)
    (new_expression)
    (object)
    (array)
    (string)
    (number)
    (true)
    (false)
    (null)
  ]) @def.property
  (#eq? @_prototype "prototype"))

; variables; those of a function are bindings only
(program (lexical_declaration kind: "const" (variable_declarator name: (_) @name) @def.constant))
(program (lexical_declaration kind: "let" (variable_declarator name: (_) @name) @def.variable))
(program (variable_declaration (variable_declarator name: (_) @name) @def.variable))
(export_statement declaration: (lexical_declaration kind: "const" (variable_declarator name: (_) @name) @def.constant))
(export_statement declaration: (lexical_declaration kind: "let" (variable_declarator name: (_) @name) @def.variable))
(export_statement declaration: (variable_declaration (variable_declarator name: (_) @name) @def.variable))

; nodes that belong to the span of a definition; each definition of one declaration has its own
(export_statement decorator: (decorator)* @decorator declaration: (_) @wrapped) @wrapper
(program (lexical_declaration . (variable_declarator) @wrapped .) @wrapper)
(program (variable_declaration . (variable_declarator) @wrapped .) @wrapper)
(export_statement declaration: (lexical_declaration . (variable_declarator) @wrapped .) @wrapper)
(export_statement declaration: (variable_declaration . (variable_declarator) @wrapped .) @wrapper)
(statement_block (lexical_declaration
  . (variable_declarator value: [(arrow_function) (function_expression) (class)]) @wrapped .) @wrapper)
(statement_block (variable_declaration
  . (variable_declarator value: [(arrow_function) (function_expression) (class)]) @wrapped .) @wrapper)
(class_declaration decorator: (decorator)+ @decorator) @wrapper @wrapped

; bindings
(arrow_function parameter: (identifier) @bind.param)
(lexical_declaration (variable_declarator name: (_) @bind.local))
(variable_declaration (variable_declarator name: (_) @bind.hoisted))
(for_in_statement kind: ["const" "let"] left: (_) @bind.local)
(for_in_statement kind: "var" left: (_) @bind.hoisted)
(catch_clause parameter: (_) @bind.local)
(function_expression name: (identifier) @bind.local)
(generator_function name: (identifier) @bind.local)

; imports
(import_statement) @import.js_import
((call_expression function: (identifier) @_require arguments: (arguments . (string)))
  @import.js_require (#eq? @_require "require"))
(call_expression function: (import) arguments: (arguments . (string))) @import.js_dynamic_import

; exports, of the file itself: those of a namespace are its members
(program (export_statement "default" @alias value: (identifier) @name) @export.explicit_export)
(program (export_statement
  !source
  (export_clause (export_specifier
    name: [(identifier) @name (string (string_fragment) @name) "default" @name]
    alias: [(identifier) @alias (string (string_fragment) @alias) "default" @alias]?))) @export.explicit_export)
(export_statement "*" source: (string) @source) @reexport.export_statement
(export_statement (namespace_export "*" @name (_) @alias) source: (string) @source) @reexport.export_statement
(export_statement
  (export_clause (export_specifier
    name: [(identifier) @name (string (string_fragment) @name) "default" @name]
    alias: [(identifier) @alias (string (string_fragment) @alias) "default" @alias]?))
  source: (string) @source) @reexport.export_statement
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (object [
    (shorthand_property_identifier) @name
    (method_definition name: (property_identifier) @name)
    (pair key: (property_identifier) @alias value: (identifier) @name)
    (pair key: (property_identifier) @name value: [
      (arrow_function)
      (function_expression)
      (generator_function)
      (class)
      (object)
      (array)
      (call_expression)
      (new_expression)
      (member_expression)
      (string)
      (template_string)
      (number)
      (true)
      (false)
      (null)
    ])
  ])) @export.module_exports
  (#eq? @_module "module") (#eq? @_exports "exports"))
((assignment_expression
  left: (member_expression
    object: (identifier) @_module
    property: (property_identifier) @_exports) @alias
  right: [
    (identifier) @name
    (function_expression name: (identifier) @name)
    (class name: (_) @name)
  ]) @export.module_exports
  (#eq? @_module "module") (#eq? @_exports "exports"))
((assignment_expression
  left: (member_expression
    object: (identifier) @_module
    property: (property_identifier) @name) @alias
  right: [(arrow_function) (function_expression !name)]) @export.module_exports
  (#eq? @_module "module") (#eq? @name "exports"))
((assignment_expression
  left: (member_expression
    object: [(identifier) @_exports (member_expression property: (property_identifier) @_exports)]
    property: (property_identifier) @alias)
  right: (identifier) @name) @export.module_exports
  (#eq? @_exports "exports"))
((assignment_expression
  left: (member_expression
    object: [(identifier) @_exports (member_expression property: (property_identifier) @_exports)]
    property: (property_identifier) @name)
  right: [
    (arrow_function)
    (function_expression)
    (generator_function)
    (class)
    (object)
    (array)
    (call_expression)
    (new_expression)
    (member_expression)
    (assignment_expression)
    (string)
    (template_string)
    (number)
    (true)
    (false)
    (null)
  ]) @export.module_exports
  (#eq? @_exports "exports"))
