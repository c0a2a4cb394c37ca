; scopes: type parameters are seen in the header of a class, its members only in the body
(class_declaration type_parameters: (_)) @scope.generic
(interface_declaration type_parameters: (_)) @scope.generic
(class_declaration body: (class_body) @scope.class)
(object_creation_expression (class_body) @scope.class)
(enum_constant body: (class_body) @scope.class)
(interface_body) @scope.class
(annotation_type_body) @scope.class
(enum_body) @scope.class
; components of a record are seen in its body, and its members in its header
(record_declaration) @scope.class
(record_declaration !type_parameters interfaces: (_) @outer)

(method_declaration) @scope.function
(constructor_declaration) @scope.function
(compact_constructor_declaration) @scope.function
(static_initializer) @scope.function
(class_body (block) @scope.function)
(enum_body_declarations (block) @scope.function)
(lambda_expression) @scope.lambda

; the blocks of methods and lambdas share a scope with the parameters, so only the others are listed
(block (block) @scope.block)
(constructor_body (block) @scope.block)
(if_statement consequence: (block) @scope.block)
(if_statement alternative: (block) @scope.block)
(while_statement body: (block) @scope.block)
(do_statement body: (block) @scope.block)
(try_statement body: (block) @scope.block)
(finally_clause (block) @scope.block)
(synchronized_statement body: (block) @scope.block)
(labeled_statement (block) @scope.block)
(switch_rule (block) @scope.block)
(switch_block_statement_group (block) @scope.block)
(switch_block) @scope.block
(for_statement) @scope.block
(enhanced_for_statement) @scope.block
(enhanced_for_statement value: (_) @outer)
(catch_clause) @scope.block
(try_with_resources_statement) @scope.block
(try_with_resources_statement (catch_clause) @outer)
(try_with_resources_statement (finally_clause) @outer)
(switch_rule (switch_label (pattern))) @scope.block
(switch_block_statement_group (switch_label (pattern))) @scope.block

; inherited members
(class_declaration superclass: (_) body: (class_body) @open)
(class_declaration interfaces: (_) body: (class_body) @open)
(class_declaration type_parameters: (_) superclass: (_)) @open
(class_declaration type_parameters: (_) interfaces: (_)) @open
(interface_declaration (extends_interfaces) body: (interface_body) @open)
(interface_declaration type_parameters: (_) (extends_interfaces)) @open
(object_creation_expression (class_body) @open)
(enum_constant body: (class_body) @open)
(enum_declaration interfaces: (_) body: (enum_body) @open)
(record_declaration interfaces: (_)) @open

; definitions
(class_declaration name: (identifier) @name @until body: (_) @body) @def.class
(interface_declaration name: (identifier) @name @until body: (_) @body) @def.interface
(enum_declaration name: (identifier) @name @until body: (_) @body) @def.enum
(record_declaration name: (identifier) @name @until parameters: (_) @params body: (_) @body) @def.record
(annotation_type_declaration name: (identifier) @name body: (_) @body) @def.annotation
(method_declaration
  type: (_) @returns
  name: (identifier) @name
  parameters: (_) @params
  body: (block)? @body) @def.method
(constructor_declaration name: (identifier) @name parameters: (_) @params body: (_) @body) @def.constructor
(compact_constructor_declaration name: (identifier) @name body: (_) @body) @def.constructor
(annotation_type_element_declaration type: (_) @returns name: (identifier) @name) @def.method
(enum_constant name: (identifier) @name body: (_)? @body) @def.enum_member
; up to the semicolon, because annotations may stand on lines of their own
(field_declaration declarator: (variable_declarator name: (identifier) @name) ";" @body) @def.field
(constant_declaration declarator: (variable_declarator name: (identifier) @name) ";" @body) @def.field
; a component is a field and a method, its accessor
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @def.property))
(record_declaration parameters: (formal_parameters (spread_parameter (variable_declarator name: (identifier) @name)) @def.property))
; no identifier is the name of a module, each is a part of it
(module_declaration name: (_) @implied body: (_) @body) @def.module

; annotations are inside of the definition that they decorate
(class_declaration (modifiers [(marker_annotation) (annotation)] @decorator)) @wrapper @wrapped
(interface_declaration (modifiers [(marker_annotation) (annotation)] @decorator)) @wrapper @wrapped
(enum_declaration (modifiers [(marker_annotation) (annotation)] @decorator)) @wrapper @wrapped
(record_declaration (modifiers [(marker_annotation) (annotation)] @decorator)) @wrapper @wrapped
(annotation_type_declaration (modifiers [(marker_annotation) (annotation)] @decorator)) @wrapper @wrapped
(method_declaration (modifiers [(marker_annotation) (annotation)] @decorator)) @wrapper @wrapped
(constructor_declaration (modifiers [(marker_annotation) (annotation)] @decorator)) @wrapper @wrapped
(compact_constructor_declaration (modifiers [(marker_annotation) (annotation)] @decorator)) @wrapper @wrapped
(annotation_type_element_declaration (modifiers [(marker_annotation) (annotation)] @decorator)) @wrapper @wrapped
(enum_constant (modifiers [(marker_annotation) (annotation)] @decorator)) @wrapper @wrapped
(field_declaration (modifiers [(marker_annotation) (annotation)] @decorator)) @wrapper @wrapped
(constant_declaration (modifiers [(marker_annotation) (annotation)] @decorator)) @wrapper @wrapped
(record_declaration parameters: (formal_parameters
  (formal_parameter (modifiers [(marker_annotation) (annotation)] @decorator)) @wrapper @wrapped))
(module_declaration [(marker_annotation) (annotation)] @decorator) @wrapper @wrapped

; bindings
(type_parameters "<" @until (type_parameter (type_identifier) @bind.type))
(method_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @bind.param)))
(method_declaration parameters: (formal_parameters (spread_parameter (variable_declarator name: (identifier) @bind.param))))
(constructor_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @bind.param)))
(constructor_declaration parameters: (formal_parameters (spread_parameter (variable_declarator name: (identifier) @bind.param))))
(lambda_expression parameters: (identifier) @bind.param)
(lambda_expression parameters: (inferred_parameters (identifier) @bind.param))
(lambda_expression parameters: (formal_parameters (formal_parameter name: (identifier) @bind.param)))
(lambda_expression parameters: (formal_parameters (spread_parameter (variable_declarator name: (identifier) @bind.param))))
(local_variable_declaration declarator: (variable_declarator name: (identifier) @bind.local))
(enhanced_for_statement name: (identifier) @bind.local)
(resource name: (identifier) @bind.local)
(catch_formal_parameter name: (identifier) @bind.local)

; pattern variables: in a `case` they belong to the rule; after `instanceof` the flow decides
(type_pattern (identifier) @bind.local)
(pattern (record_pattern (record_pattern_body (record_pattern_component (identifier) @bind.local))))
(record_pattern_component (identifier) @bind.maybe)
(instanceof_expression name: (identifier) @bind.maybe)
; the flow is plain where the test is the condition, or one of its conjuncts
(if_statement condition: (parenthesized_expression [
  (instanceof_expression name: (_))
  (binary_expression left: (instanceof_expression name: (_)) operator: "&&")
  (binary_expression operator: "&&" right: (instanceof_expression name: (_)))
  (binary_expression left: [
    (binary_expression left: (instanceof_expression name: (_)) operator: "&&")
    (binary_expression operator: "&&" right: (instanceof_expression name: (_)))] operator: "&&")])) @scope.block
(if_statement condition: (parenthesized_expression [
  (instanceof_expression name: (_))
  (binary_expression left: (instanceof_expression name: (_)) operator: "&&")
  (binary_expression operator: "&&" right: (instanceof_expression name: (_)))
  (binary_expression left: [
    (binary_expression left: (instanceof_expression name: (_)) operator: "&&")
    (binary_expression operator: "&&" right: (instanceof_expression name: (_)))] operator: "&&")])
  alternative: (_) @outer)
(if_statement condition: (parenthesized_expression [
  (instanceof_expression name: (identifier) @bind.local)
  (binary_expression left: (instanceof_expression name: (identifier) @bind.local) operator: "&&")
  (binary_expression operator: "&&" right: (instanceof_expression name: (identifier) @bind.local))
  (binary_expression left: [
    (binary_expression left: (instanceof_expression name: (identifier) @bind.local) operator: "&&")
    (binary_expression operator: "&&" right: (instanceof_expression name: (identifier) @bind.local))] operator: "&&")]))
(return_statement [
  (binary_expression left: (instanceof_expression name: (_)) operator: "&&")
  (binary_expression operator: "&&" right: (instanceof_expression name: (_)))
  (binary_expression left: [
    (binary_expression left: (instanceof_expression name: (_)) operator: "&&")
    (binary_expression operator: "&&" right: (instanceof_expression name: (_)))] operator: "&&")]) @scope.block
(return_statement [
  (binary_expression left: (instanceof_expression name: (identifier) @bind.local) operator: "&&")
  (binary_expression operator: "&&" right: (instanceof_expression name: (identifier) @bind.local))
  (binary_expression left: [
    (binary_expression left: (instanceof_expression name: (identifier) @bind.local) operator: "&&")
    (binary_expression operator: "&&" right: (instanceof_expression name: (identifier) @bind.local))] operator: "&&")])
(ternary_expression condition: (instanceof_expression name: (_))) @scope.block
(ternary_expression condition: (instanceof_expression name: (_)) alternative: (_) @outer)
(ternary_expression condition: (instanceof_expression name: (identifier) @bind.local))
(lambda_expression body: (binary_expression left: (instanceof_expression name: (identifier) @bind.local) operator: "&&"))
; `if (!(x instanceof T t)) return;` binds `t` after the statement
(if_statement
  condition: (parenthesized_expression (unary_expression operator: "!"
    operand: (parenthesized_expression (instanceof_expression name: (identifier) @bind.local))))
  consequence: [
    (return_statement) (throw_statement) (continue_statement)
    (block (return_statement) .) (block (throw_statement) .) (block (continue_statement) .)]
  !alternative) @until

; imports
((import_declaration (scoped_identifier scope: (_) @source name: (identifier) @name) . ";")
  @import.java_import (#not-match? @import.java_import "^import\\s+static\\s"))
(import_declaration "import" (identifier) @name . ";") @import.java_import
((import_declaration [(identifier) (scoped_identifier)] @source (asterisk) @star)
  @import.java_import (#not-match? @import.java_import "^import\\s+static\\s"))
(import_declaration "static" (scoped_identifier scope: (_) @source name: (identifier) @name) . ";") @import.java_import_static
(import_declaration "static" [(identifier) (scoped_identifier)] @source (asterisk) @star) @import.java_import_static
(requires_module_directive module: (_) @source @star) @import.java_requires
((requires_module_directive modifiers: (_) @_modifier module: (_) @source)
  @reexport.requires_transitive (#eq? @_modifier "transitive"))
(exports_module_directive package: (_) @name) @export.module_exports
