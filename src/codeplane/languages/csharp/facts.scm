; scopes: type parameters and those of a primary constructor are seen in the header of a type, its members in the body
(namespace_declaration body: (declaration_list) @scope.namespace)
(class_declaration [(type_parameter_list) (parameter_list)]) @scope.generic
(struct_declaration [(type_parameter_list) (parameter_list)]) @scope.generic
(record_declaration [(type_parameter_list) (parameter_list)]) @scope.generic
(interface_declaration type_parameters: (_)) @scope.generic
(delegate_declaration) @scope.function
(class_declaration body: (declaration_list) @scope.class)
(struct_declaration body: (declaration_list) @scope.class)
(record_declaration body: (declaration_list) @scope.class)
(interface_declaration body: (declaration_list) @scope.class)
(enum_member_declaration_list) @scope.class

(method_declaration) @scope.function
(constructor_declaration) @scope.function
(destructor_declaration) @scope.function
(operator_declaration) @scope.function
(conversion_operator_declaration) @scope.function
(indexer_declaration) @scope.function
(accessor_declaration) @scope.function
(property_declaration value: (arrow_expression_clause) @scope.function)
(local_function_statement) @scope.function
(lambda_expression) @scope.lambda
(anonymous_method_expression) @scope.lambda
(query_expression) @scope.comprehension
(query_expression . (from_clause name: (_) (_) @outer .))
(accessor_declaration name: ["set" "init" "add" "remove"]) @implicit.value

; the blocks of methods and lambdas share a scope with the parameters, so only the others are listed
(block (block) @scope.block)
(if_statement consequence: (block) @scope.block)
(if_statement alternative: (block) @scope.block)
; a statement without a block counts as one
(if_statement consequence: [(expression_statement) (return_statement) (if_statement)] @scope.block)
(if_statement alternative: [(expression_statement) (return_statement) (if_statement)] @scope.block)
(while_statement) @scope.block
(do_statement) @scope.block
(for_statement) @scope.block
(foreach_statement) @scope.block
(foreach_statement right: (_) @outer)
(using_statement) @scope.block
(fixed_statement) @scope.block
(lock_statement (block) @scope.block)
(checked_statement (block) @scope.block)
(unsafe_statement (block) @scope.block)
(labeled_statement (block) @scope.block)
(global_statement (block) @scope.block)
(try_statement body: (block) @scope.block)
(catch_clause) @scope.block
(finally_clause (block) @scope.block)
(switch_body) @scope.block
(switch_section (block) @scope.block)
; the variables of a pattern belong to its section
(switch_section . [
  (declaration_pattern) (recursive_pattern) (var_pattern) (list_pattern)
  (and_pattern) (or_pattern) (negated_pattern) (parenthesized_pattern)]) @scope.block
(switch_expression_arm) @scope.block

(parameter "=" (_) @outer)
; inherited members, and those of the other parts of a partial type. Interfaces hand nothing down to a class.
((class_declaration (base_list . (_) @_base) body: (declaration_list) @open)
  (#not-match? @_base "^([A-Za-z0-9_.:]*[.:])?I[A-Z][a-z]"))
((class_declaration [(type_parameter_list) (parameter_list)] (base_list . (_) @_base)) @open
  (#not-match? @_base "^([A-Za-z0-9_.:]*[.:])?I[A-Z][a-z]"))
((record_declaration (base_list . (_) @_base) body: (declaration_list) @open)
  (#not-match? @_base "^([A-Za-z0-9_.:]*[.:])?I[A-Z][a-z]"))
((record_declaration [(type_parameter_list) (parameter_list)] (base_list . (_) @_base)) @open
  (#not-match? @_base "^([A-Za-z0-9_.:]*[.:])?I[A-Z][a-z]"))
(interface_declaration (base_list) body: (declaration_list) @open)
(interface_declaration type_parameters: (_) (base_list)) @open
(class_declaration (modifier "partial") body: (declaration_list) @open)
(class_declaration (modifier "partial") [(type_parameter_list) (parameter_list)]) @open
(struct_declaration (modifier "partial") body: (declaration_list) @open)
(struct_declaration (modifier "partial") [(type_parameter_list) (parameter_list)]) @open
(record_declaration (modifier "partial") body: (declaration_list) @open)
(record_declaration (modifier "partial") [(type_parameter_list) (parameter_list)]) @open
(interface_declaration (modifier "partial") body: (declaration_list) @open)
(interface_declaration (modifier "partial") type_parameters: (_)) @open
; a type of the inner namespace, in another file, goes before one of the outer
(declaration_list (namespace_declaration body: (declaration_list) @open))

; definitions
(namespace_declaration name: (_) @name body: (_) @body) @def.module
(file_scoped_namespace_declaration name: (_) @name) @def.module
; the rest of the file is in that namespace
(compilation_unit (file_scoped_namespace_declaration name: (_) @name) [
  (class_declaration) (struct_declaration) (record_declaration) (interface_declaration) (enum_declaration)
  (delegate_declaration) (preproc_if)] @container)
(class_declaration name: (identifier) @name (parameter_list)? @params body: (_)? @body) @def.class
(struct_declaration name: (identifier) @name (parameter_list)? @params body: (_)? @body) @def.struct
(record_declaration name: (identifier) @name (parameter_list)? @params body: (_)? @body) @def.record
(interface_declaration name: (identifier) @name body: (_)? @body) @def.interface
(enum_declaration name: (identifier) @name body: (_)? @body) @def.enum
(delegate_declaration type: (_) @returns name: (identifier) @name parameters: (_) @params ";" @body) @def.type
; with attributes, the signature starts at the name
(enum_member_declaration . name: (identifier) @name) @def.enum_member
(enum_member_declaration (attribute_list) name: (identifier) @name @def.enum_member)
(method_declaration
  returns: (_) @returns
  . name: (identifier) @name
  parameters: (_) @params
  body: (_)? @body) @def.method
(method_declaration
  returns: (_) @returns
  (explicit_interface_specifier)
  name: (identifier) @name
  parameters: (_) @params
  body: (_)? @body) @def.method.explicit
(constructor_declaration name: (identifier) @name parameters: (_) @params body: (_)? @body) @def.constructor
(destructor_declaration name: (identifier) @name parameters: (_) @params body: (_)? @body) @def.method.explicit
(operator_declaration
  type: (_) @returns
  operator: _ @implied
  parameters: (_) @params
  body: (_)? @body) @def.method.explicit
(conversion_operator_declaration type: (_) @implied parameters: (_) @params body: (_)? @body) @def.method.explicit
(local_function_statement
  type: (_) @returns
  name: (identifier) @name
  parameters: (_) @params
  body: (_)? @body) @def.function
(indexer_declaration type: (_) @returns "this" @implied parameters: (_) @params . (_) @body) @def.property
(property_declaration type: (_) @returns . name: (identifier) @name . (_) @body) @def.property
(property_declaration
  type: (_) @returns (explicit_interface_specifier) name: (identifier) @name . (_) @body) @def.property.explicit
(event_declaration type: (_) @returns . name: (identifier) @name accessors: (_)? @body) @def.property
(event_declaration
  type: (_) @returns (explicit_interface_specifier) name: (identifier) @name accessors: (_)? @body)
  @def.property.explicit
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name)) ";" @body) @def.field
((field_declaration (variable_declaration (variable_declarator name: (identifier) @name)) ";" @body) @def.field
  (#not-match? @def.field "^([a-z]+\\s+|\\[[^\\]]*\\]\\s*)*const\\s"))
(field_declaration (modifier "const")
  (variable_declaration (variable_declarator name: (identifier) @name)) ";" @body) @def.constant
; a parameter of a record is a property
(record_declaration (parameter_list (parameter name: (identifier) @name) @def.property))

; a member that is called like its type: `Color.Red` may mean either
((property_declaration type: (_) @_type name: (identifier) @_name) @conditional (#eq? @_type @_name))
((field_declaration (variable_declaration
  type: (_) @_type (variable_declarator name: (identifier) @_name))) @conditional (#eq? @_type @_name))
((record_declaration (parameter_list (parameter type: (_) @_type name: (identifier) @_name) @conditional))
  (#eq? @_type @_name))

; a field and a parameter of the primary constructor that share a name: an initializer means the parameter
((class_declaration
  (parameter_list (parameter name: (identifier) @_parameter))
  body: (declaration_list (field_declaration (variable_declaration
    (variable_declarator name: (identifier) @_field))) @conditional))
  (#eq? @_parameter @_field))
((struct_declaration
  (parameter_list (parameter name: (identifier) @_parameter))
  body: (declaration_list (field_declaration (variable_declaration
    (variable_declarator name: (identifier) @_field))) @conditional))
  (#eq? @_parameter @_field))

; attributes are inside of the definition that they decorate
(class_declaration (attribute_list) @decorator) @wrapper @wrapped
(struct_declaration (attribute_list) @decorator) @wrapper @wrapped
(record_declaration (attribute_list) @decorator) @wrapper @wrapped
(interface_declaration (attribute_list) @decorator) @wrapper @wrapped
(enum_declaration (attribute_list) @decorator) @wrapper @wrapped
(delegate_declaration (attribute_list) @decorator) @wrapper @wrapped
(method_declaration (attribute_list) @decorator) @wrapper @wrapped
(constructor_declaration (attribute_list) @decorator) @wrapper @wrapped
(operator_declaration (attribute_list) @decorator) @wrapper @wrapped
(local_function_statement (attribute_list) @decorator) @wrapper @wrapped
(indexer_declaration (attribute_list) @decorator) @wrapper @wrapped
(property_declaration (attribute_list) @decorator) @wrapper @wrapped
(event_field_declaration (attribute_list) @decorator) @wrapper @wrapped
(field_declaration (attribute_list) @decorator) @wrapper @wrapped
(enum_member_declaration (attribute_list) @decorator name: (identifier) @wrapped) @wrapper
(record_declaration (parameter_list (parameter (attribute_list) @decorator) @wrapper @wrapped))

; bindings
(type_parameter name: (identifier) @bind.type)
(parameter_list (parameter name: (identifier) @bind.param))
(bracketed_parameter_list (parameter name: (identifier) @bind.param))
; `params` is not a parameter node
(parameter_list name: (identifier) @bind.param)
(bracketed_parameter_list name: (identifier) @bind.param)
(lambda_expression parameters: (implicit_parameter) @bind.param)
(local_declaration_statement (variable_declaration (variable_declarator name: (identifier) @bind.local)))
(for_statement (variable_declaration (variable_declarator name: (identifier) @bind.local)))
(using_statement (variable_declaration (variable_declarator name: (identifier) @bind.local)))
(fixed_statement (variable_declaration (variable_declarator name: (identifier) @bind.local)))
(tuple_pattern name: (identifier) @bind.local)
(foreach_statement type: (_) left: (identifier) @bind.local)
(catch_declaration name: (identifier) @bind.local)
(declaration_expression name: (identifier) @bind.local)
(declaration_pattern name: (identifier) @bind.local)
(recursive_pattern name: (identifier) @bind.local)
(var_pattern name: (identifier) @bind.local)
(list_pattern name: (identifier) @bind.local)
(parenthesized_variable_designation name: (identifier) @bind.local)
(from_clause name: (identifier) @bind.local)
(join_clause "join" . (identifier) @bind.local)
(join_clause type: (_) . (identifier) @bind.local)
(join_into_clause (identifier) @bind.local)
(let_clause . (identifier) @bind.local)
(query_expression "into" . (identifier) @bind.local)

; imports: a namespace, or the members of a type, are taken as a whole
((using_directive !name [(identifier) (qualified_name) (alias_qualified_name)] @source @star) @import.csharp_using
  (#not-match? @import.csharp_using "^(global\\s+)?using\\s+(unsafe\\s+)?static\\s"))
(using_directive "static" [(identifier) (qualified_name) (generic_name) (alias_qualified_name)] @source @star . ";")
  @import.csharp_using_static
(using_directive name: (identifier) @alias "="
  (qualified_name qualifier: (_) @source name: [(identifier) @name (generic_name . (identifier) @name)]) . ";")
  @import.csharp_using_alias
(using_directive name: (identifier) @alias "=" . [
  (identifier) @name (generic_name . (identifier) @name) (predefined_type) @name (tuple_type) @name
  (array_type) @name (nullable_type) @name (pointer_type) @name
  (alias_qualified_name name: (_) @name)] . ";") @import.csharp_using_alias
(extern_alias_directive name: (identifier) @name) @import.csharp_extern_alias

; exports: public types that are not inside of another
(compilation_unit (_ (modifier "public") name: (identifier) @name) @export.public_modifier)
(namespace_declaration body: (declaration_list
  (_ (modifier "public") name: (identifier) @name) @export.public_modifier))
