; scopes
(function_item) @scope.function
(function_signature_item) @scope.function
(function_type) @scope.function
(closure_expression) @scope.lambda
(block) @scope.block
(match_arm) @scope.block
(for_expression) @scope.block
(if_expression condition: [(let_condition) (let_chain)]) @scope.block
(while_expression condition: [(let_condition) (let_chain)]) @scope.block
(struct_item) @scope.class
(enum_item) @scope.class
(union_item) @scope.class
(trait_item) @scope.class
(impl_item) @scope.class
(type_item type_parameters: (_)) @scope.class
(associated_type type_parameters: (_)) @scope.class
(mod_item body: (_)) @scope.namespace
(attribute_item) @scope.attribute
(inner_attribute_item) @scope.attribute
(macro_invocation (token_tree) @scope.macro)
(macro_definition) @scope.macro

(for_expression value: (_) @outer)
(if_expression condition: [(let_condition) (let_chain)] alternative: (_) @outer)

; A module sees nothing of its surroundings, unless it imports them before its first item with a body.
((mod_item body: (_) @_body) @sealed
  (#not-match? @_body "^\\{(?:(?!\\b(?:mod|fn|impl|trait)\\b)[\\s\\S])*?\\n\\s*use super::\\*;"))

(block (mod_item body: (_)) @sealed)

; An item in a function does not see its variables; a glob brings names that hide those around the block.
(block (function_item) @open)
(block (impl_item) @open)
(block (trait_item) @open)
((block (use_declaration) @_use) @open (#match? @_use "\\*"))

; The expansion of a macro is unknown, except for the ones below, which evaluate their tokens as written:
; no patterns, closures, items or other macros among them.
((macro_invocation (token_tree) @open) @_call
  (#not-match? @_call "^(?:(?:debug_)?assert(?:_eq|_ne)?|e?print(?:ln)?|format(?:_args)?|write(?:ln)?|panic|vec|dbg|todo|unimplemented|unreachable)!\\s*[(\\[{](?:\"(?:[^\"\\\\]|\\\\[\\s\\S])*\"|'(?:[^'\\\\]|\\\\.)'|(?:vec|format)!|(?!(?:let|match|for|fn|use|mod|impl|struct|enum|const|static|macro_rules)\\b)\\w+(?!\\w|!(?!=))|\\|\\||!|=(?!>)|[^\\w\"|!=])*$"))
(macro_definition) @open
(attribute_item) @open
(inner_attribute_item) @open

; definitions
(function_item
  name: (identifier) @name
  parameters: (parameters) @params
  return_type: (_)? @returns
  body: (block) @body) @def.function
(function_signature_item
  name: (identifier) @name
  parameters: (parameters) @params
  return_type: (_)? @returns) @def.function
(struct_item name: (type_identifier) @name body: (field_declaration_list) @body) @def.struct
(struct_item name: (type_identifier) @name body: (ordered_field_declaration_list) @params) @def.struct
(struct_item name: (type_identifier) @name !body) @def.struct
(union_item name: (type_identifier) @name body: (_) @body) @def.struct
(enum_item name: (type_identifier) @name body: (_) @body) @def.enum
(enum_variant name: (identifier) @name body: (field_declaration_list)? @body) @def.enum_member
(field_declaration name: (field_identifier) @name) @def.field
(trait_item name: (type_identifier) @name body: (_) @body) @def.trait
(type_item name: (type_identifier) @name) @def.type
(associated_type name: (type_identifier) @name) @def.type
((const_item name: (identifier) @name) @def.constant (#not-eq? @name "_"))
(static_item name: (identifier) @name) @def.variable
(mod_item name: (identifier) @name body: (_)? @body) @def.module
(macro_definition name: (identifier) @name . (macro_rule)? @body) @def.macro

; an `impl` belongs to its type, behind a reference too; for a type without a name to its trait
(impl_item
  type: [
    (type_identifier) @name
    (primitive_type) @name
    (scoped_type_identifier name: (type_identifier) @name)
    (generic_type type: [(type_identifier) @name (scoped_type_identifier name: (type_identifier) @name)])
    (dynamic_type trait: [
      (type_identifier) @name
      (scoped_type_identifier name: (type_identifier) @name)
      (generic_type type: (type_identifier) @name)
    ])
    (bounded_type . (dynamic_type trait: [
      (type_identifier) @name
      (scoped_type_identifier name: (type_identifier) @name)
      (generic_type type: (type_identifier) @name)
    ]))
    (reference_type type: [
      (type_identifier) @name
      (primitive_type) @name
      (scoped_type_identifier name: (type_identifier) @name)
      (generic_type type: [(type_identifier) @name (scoped_type_identifier name: (type_identifier) @name)])
      (dynamic_type trait: [(type_identifier) @name (scoped_type_identifier name: (type_identifier) @name)])
    ])
  ]) @container
(impl_item
  trait: [
    (type_identifier) @name
    (scoped_type_identifier name: (type_identifier) @name)
    (generic_type type: [(type_identifier) @name (scoped_type_identifier name: (type_identifier) @name)])
  ]
  type: [
    (tuple_type) (unit_type) (array_type) (pointer_type) (function_type) (never_type) (abstract_type)
    (macro_invocation) (metavariable)
    (reference_type type: [
      (tuple_type) (unit_type) (array_type) (pointer_type) (function_type) (reference_type) (bounded_type)
    ])
  ]) @container

((attribute_item) @wrapper @decorator
  .
  [(line_comment) (block_comment)]*
  .
  [
    (attribute_item) (function_item) (function_signature_item) (struct_item) (union_item) (enum_item)
    (enum_variant) (field_declaration) (trait_item) (type_item) (associated_type) (const_item) (static_item)
    (mod_item) (macro_definition)
  ] @wrapped)

; type parameters; of a function they are seen from its name on, since one may be bounded by a later one
(function_item name: (_) @until type_parameters: (type_parameters (type_parameter name: (_) @bind.type)))
(function_item name: (_) @until type_parameters: (type_parameters (const_parameter name: (_) @bind.type)))
(function_item name: (_) @until type_parameters: (type_parameters (const_parameter name: (_) @bind.param)))
(function_signature_item name: (_) @until type_parameters: (type_parameters (type_parameter name: (_) @bind.type)))
(function_signature_item name: (_) @until type_parameters: (type_parameters (const_parameter name: (_) @bind.type)))
(function_signature_item name: (_) @until type_parameters: (type_parameters (const_parameter name: (_) @bind.param)))
(struct_item type_parameters: (type_parameters (type_parameter name: (_) @bind.type)))
(struct_item type_parameters: (type_parameters (const_parameter name: (_) @bind.type)))
(struct_item type_parameters: (type_parameters (const_parameter name: (_) @bind.param)))
(union_item type_parameters: (type_parameters (type_parameter name: (_) @bind.type)))
(enum_item type_parameters: (type_parameters (type_parameter name: (_) @bind.type)))
(enum_item type_parameters: (type_parameters (const_parameter name: (_) @bind.type)))
(enum_item type_parameters: (type_parameters (const_parameter name: (_) @bind.param)))
(trait_item type_parameters: (type_parameters (type_parameter name: (_) @bind.type)))
(trait_item type_parameters: (type_parameters (const_parameter name: (_) @bind.type)))
(trait_item type_parameters: (type_parameters (const_parameter name: (_) @bind.param)))
(impl_item type_parameters: (type_parameters (type_parameter name: (_) @bind.type)))
(impl_item type_parameters: (type_parameters (const_parameter name: (_) @bind.type)))
(impl_item type_parameters: (type_parameters (const_parameter name: (_) @bind.param)))
(type_item type_parameters: (type_parameters (type_parameter name: (_) @bind.type)))
(associated_type type_parameters: (type_parameters (type_parameter name: (_) @bind.type)))

; variables; the hook reads the patterns
(parameter pattern: (_) @bind.param)
(closure_parameters (identifier) @bind.param)
(closure_parameters [(tuple_pattern) (tuple_struct_pattern) (struct_pattern) (reference_pattern) (ref_pattern)
  (mut_pattern) (slice_pattern)] @bind.param)
(let_declaration pattern: (_) @bind.let) @until
(let_condition pattern: [(tuple_pattern) (tuple_struct_pattern) (struct_pattern) (reference_pattern) (ref_pattern)
  (mut_pattern) (slice_pattern) (captured_pattern) (or_pattern)] @bind.let) @until
((let_condition pattern: (identifier) @bind.let) @until (#match? @bind.let "^[^A-Z]"))
(for_expression pattern: (_) @bind.local)
(match_pattern . [(tuple_pattern) (tuple_struct_pattern) (struct_pattern) (reference_pattern) (ref_pattern)
  (mut_pattern) (slice_pattern) (captured_pattern) (or_pattern)] @bind.local)
((match_pattern . (identifier) @bind.local) (#match? @bind.local "^[^A-Z]"))

; imports; the hook reads the trees
(use_declaration) @import.rust_use
(extern_crate_declaration) @import.rust_extern_crate

; re-exports
((source_file (use_declaration (visibility_modifier) @_visibility) @reexport.pub_use)
  (#eq? @_visibility "pub"))
((source_file (use_declaration (visibility_modifier) @_visibility) @reexport.pub_restricted_use)
  (#not-eq? @_visibility "pub"))
