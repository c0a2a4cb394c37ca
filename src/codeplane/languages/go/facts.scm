; scopes; a function's body shares the scope of its parameters
(function_declaration) @scope.function
(method_declaration) @scope.function
(func_literal) @scope.lambda
(function_type) @scope.function
(method_elem) @scope.function
(struct_type) @scope.class
(interface_type) @scope.class
(type_spec type_parameters: (_)) @scope.type
(type_alias type_parameters: (_)) @scope.type
(if_statement) @scope.block
(if_statement consequence: (block) @scope.block)
(if_statement alternative: (block) @scope.block)
(for_statement) @scope.block
(for_statement body: (block) @scope.block)
(expression_switch_statement) @scope.block
(type_switch_statement) @scope.block
(expression_case) @scope.block
(type_case) @scope.block
(default_case) @scope.block
(communication_case) @scope.block
(statement_list (block) @scope.block)
(labeled_statement (block) @scope.block)

; members are reached through a value, so nothing inside a type sees their names
(field_declaration type: (_) @outer)
(interface_type (type_elem) @outer)

; functions and methods
((function_declaration
  name: (identifier) @name
  parameters: (parameter_list) @params
  result: (_)? @returns
  body: (block)? @body) @def.function (#not-eq? @name "_"))
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @owner))
  name: (field_identifier) @name
  parameters: (parameter_list) @params
  result: (_)? @returns
  body: (block)? @body) @def.method
(type_declaration (_ type: (interface_type (method_elem
  name: (field_identifier) @name
  parameters: (parameter_list) @params
  result: (_)? @returns) @def.method)))

; Types. The keyword belongs to a single definition; anchors do not see the bracket of
; a group, so its text is tested. The patterns without keyword match the rest.
((type_declaration "type" .
  (type_spec name: (type_identifier) @name @until type: (struct_type (field_declaration_list) @body)) .)
  @def.struct (#not-match? @def.struct "^type\\s*\\("))
(type_spec name: (type_identifier) @name @until type: (struct_type (field_declaration_list) @body)) @def.struct
((type_declaration "type" .
  (type_spec name: (type_identifier) @name @until type: (interface_type "{" @body)) .)
  @def.interface (#not-match? @def.interface "^type\\s*\\("))
(type_spec name: (type_identifier) @name @until type: (interface_type "{" @body)) @def.interface
((type_declaration "type" . (type_spec name: (type_identifier) @name @until type: [
    (array_type) (channel_type) (function_type) (generic_type) (map_type) (negated_type)
    (parenthesized_type) (pointer_type) (qualified_type) (slice_type) (type_identifier)]) .)
  @def.type (#not-match? @def.type "^type\\s*\\("))
(type_spec name: (type_identifier) @name @until type: [
  (array_type) (channel_type) (function_type) (generic_type) (map_type) (negated_type)
  (parenthesized_type) (pointer_type) (qualified_type) (slice_type) (type_identifier)]) @def.type
((type_declaration "type" . (type_alias name: (type_identifier) @name @until) .)
  @def.type (#not-match? @def.type "^type\\s*\\("))
(type_alias name: (type_identifier) @name @until) @def.type

; Fields of a named type, and of the types written inside of it. Those of a type without a
; name (the rows of a table test) are bound and no more.
(type_declaration (_ type: (struct_type (field_declaration_list
  (field_declaration name: (field_identifier) @name) @def.field))))
(type_declaration (_ type: (_ (struct_type (field_declaration_list
  (field_declaration name: (field_identifier) @name) @def.field)))))
(field_declaration type: (struct_type (field_declaration_list
  (field_declaration name: (field_identifier) @name) @def.field)))
(field_declaration type: (_ (struct_type (field_declaration_list
  (field_declaration name: (field_identifier) @name) @def.field))))
(field_declaration name: (field_identifier) @bind.local)
(field_declaration !name type: (type_identifier) @implied) @def.field
(field_declaration !name type: (qualified_type name: (type_identifier) @implied)) @def.field
(field_declaration !name type: (generic_type type: (type_identifier) @implied)) @def.field
(field_declaration !name type: (generic_type type: (qualified_type name: (type_identifier) @implied))) @def.field

; Constants and variables. The grammar does not name the second constant of `A, B = 1, 2`.
((const_declaration "const" . (const_spec (identifier) @name) .)
  @def.constant (#not-eq? @name "_") (#not-match? @def.constant "^const\\s*\\("))
((const_spec (identifier) @name) @def.constant (#not-eq? @name "_"))
((var_declaration (var_spec (identifier) @name)) @def.variable (#not-eq? @name "_"))
((var_spec_list (var_spec (identifier) @name) @def.variable) (#not-eq? @name "_"))

; Parameters and results are seen in the body, and in no type of the signature. `_` binds nothing.
((function_declaration (parameter_list (_ name: (identifier) @bind.param)) body: (block . "{" @until))
  (#not-eq? @bind.param "_"))
((function_declaration (parameter_list (_ name: (identifier) @bind.param)) !body) @until
  (#not-eq? @bind.param "_"))
((method_declaration (parameter_list (_ name: (identifier) @bind.param)) body: (block . "{" @until))
  (#not-eq? @bind.param "_"))
((method_declaration (parameter_list (_ name: (identifier) @bind.param)) !body) @until
  (#not-eq? @bind.param "_"))
((func_literal (parameter_list (_ name: (identifier) @bind.param)) body: (block . "{" @until))
  (#not-eq? @bind.param "_"))
((function_type (parameter_list (_ name: (identifier) @bind.param))) @until (#not-eq? @bind.param "_"))
((method_elem (parameter_list (_ name: (identifier) @bind.param))) @until (#not-eq? @bind.param "_"))

; type parameters are seen from the declared name on, by each other too
((function_declaration
  name: (identifier) @until
  type_parameters: (type_parameter_list (type_parameter_declaration name: (identifier) @bind.param)))
  (#not-eq? @bind.param "_"))
((type_spec
  name: (type_identifier) @until
  type_parameters: (type_parameter_list (type_parameter_declaration name: (identifier) @bind.param)))
  (#not-eq? @bind.param "_"))
((type_alias
  name: (type_identifier) @until
  type_parameters: (type_parameter_list (type_parameter_declaration name: (identifier) @bind.param)))
  (#not-eq? @bind.param "_"))
((method_declaration receiver: (parameter_list (parameter_declaration
  type: (generic_type type_arguments: (type_arguments (type_elem (type_identifier) @bind.param))))))
  (#not-eq? @bind.param "_"))
((method_declaration receiver: (parameter_list (parameter_declaration
  type: (pointer_type (generic_type type_arguments: (type_arguments (type_elem (type_identifier) @bind.param)))))))
  (#not-eq? @bind.param "_"))

; other bindings
((short_var_declaration left: (expression_list (identifier) @bind.local)) @until (#not-eq? @bind.local "_"))
((range_clause left: (expression_list (identifier) @bind.local) ":=" right: (_) @until)
  (#not-eq? @bind.local "_"))
((receive_statement left: (expression_list (identifier) @bind.local) ":=" right: (_) @until)
  (#not-eq? @bind.local "_"))
(type_switch_statement alias: (expression_list (identifier) @bind.local) value: (_) @until)

; imports
(import_spec !name path: (_) @source) @import.go_import
(import_spec name: [(package_identifier) (blank_identifier)] @alias path: (_) @source) @import.go_import
(import_spec name: (dot) @star path: (_) @source) @import.go_import
