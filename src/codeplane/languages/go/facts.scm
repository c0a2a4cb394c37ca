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
(method_elem) @outer
(type_elem) @outer

; definitions
(function_declaration
  name: (identifier) @name
  parameters: (parameter_list) @params
  result: (_)? @returns
  body: (block)? @body) @def.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @owner))
  name: (field_identifier) @name
  parameters: (parameter_list) @params
  result: (_)? @returns
  body: (block)? @body) @def.method
(interface_type (method_elem
  name: (field_identifier) @name
  parameters: (parameter_list) @params
  result: (_)? @returns) @def.method)

(type_declaration "type" .
  (type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @body))) @def.struct
(type_declaration "("
  (type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @body)) @def.struct)
(type_declaration "type" .
  (type_spec name: (type_identifier) @name type: (interface_type "{" @body))) @def.interface
(type_declaration "("
  (type_spec name: (type_identifier) @name type: (interface_type "{" @body)) @def.interface)
