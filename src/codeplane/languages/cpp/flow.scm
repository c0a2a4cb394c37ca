; values
(this) @this
(field_expression argument: (_) @of field: (field_identifier) @name) @member
(field_expression argument: (_) @of field: (template_method name: (field_identifier) @name)) @member
(qualified_identifier scope: (_) @of name: [(identifier) (type_identifier) (field_identifier)] @name) @member
(qualified_identifier scope: (_) @of name: (template_function name: (identifier) @member @name))
(qualified_identifier scope: (_) @of name: (template_type name: (type_identifier) @member @name))
(qualified_identifier scope: (_) @of name: (qualified_identifier scope: (namespace_identifier) @member @name))
(qualified_identifier scope: (_) @of name: (qualified_identifier scope: (template_type name: (_) @name) @member))
(qualified_identifier name: [(qualified_identifier) (template_function) (template_type)] @of) @same
(qualified_identifier !scope name: (_) @of) @same
(call_expression function: (_) @callee arguments: (argument_list ((_) @arg ","?)*)) @call
((call_expression
  function: (template_function name: (identifier) @_cast arguments: (template_argument_list . (_) @type .))
  arguments: (argument_list . (_) @of .)) @cast
  (#any-of? @_cast "static_cast" "dynamic_cast" "const_cast" "reinterpret_cast"))
(cast_expression type: (_) @type value: (_) @of) @cast
(new_expression type: (_) @callee arguments: (argument_list ((_) @arg ","?)*)) @new
(new_expression type: (_) @callee !arguments) @new
(compound_literal_expression type: (_) @callee) @new
(declaration
  type: [(type_identifier) (qualified_identifier) (template_type)] @callee
  declarator: (init_declarator declarator: (identifier) value: (argument_list ((_) @arg ","?)*) @new))
(declaration
  type: [(type_identifier) (qualified_identifier) (template_type)] @callee
  declarator: (init_declarator declarator: (identifier) value: (initializer_list ((_) @arg ","?)*) @new))
(declaration type: [(type_identifier) (qualified_identifier) (template_type)] @callee declarator: (identifier)) @new
; `T name(a, b);` in a function reads like the declaration of a function
(compound_statement (declaration
  type: [(type_identifier) (qualified_identifier) (template_type)] @callee
  declarator: (function_declarator
    declarator: (identifier) parameters: (parameter_list . (parameter_declaration type: (type_identifier) !declarator)))) @new)
(template_function name: (_) @of arguments: (template_argument_list ((_) @key ","?)*)) @item
(template_type name: (_) @of arguments: (template_argument_list ((_) @key ","?)*)) @item
(subscript_expression argument: (_) @of indices: (subscript_argument_list (_) @key)) @item
(type_descriptor type: (_) @of) @same
(struct_specifier name: (_) @of !body) @same
(class_specifier name: (_) @of !body) @same
(pointer_expression argument: (_) @of) @same
(parenthesized_expression (_) @of) @same
(conditional_expression consequence: (_) @of alternative: (_) @of) @either
(lambda_expression) @function

; where they go
(declaration type: (_) @type declarator: [
  (identifier) @to
  (array_declarator declarator: [(identifier) @to (_ declarator: (identifier) @to)])
  (pointer_declarator declarator: [(identifier) @to (_ declarator: (identifier) @to) (reference_declarator (identifier) @to)])
  (reference_declarator (identifier) @to)
]) @assign
(compound_statement (declaration
  type: [(type_identifier) (qualified_identifier) (template_type)] @type
  declarator: (function_declarator
    declarator: (identifier) @to
    parameters: (parameter_list . (parameter_declaration type: (type_identifier) !declarator))))) @assign
(declaration type: (_) @type declarator: (init_declarator
  declarator: [
    (identifier) @to
    (array_declarator declarator: [(identifier) @to (_ declarator: (identifier) @to)])
    (pointer_declarator declarator: [(identifier) @to (_ declarator: (identifier) @to) (reference_declarator (identifier) @to)])
    (reference_declarator (identifier) @to)
  ]
  value: (_)? @from)) @assign
(condition_clause value: (declaration type: (_) @type declarator: (_) @to value: (_)? @from)) @assign
(field_declaration type: (_) @type declarator: [
  (field_identifier) @to
  (array_declarator declarator: [(field_identifier) @to (_ declarator: (field_identifier) @to)])
  (pointer_declarator declarator: [(field_identifier) @to (_ declarator: (field_identifier) @to) (reference_declarator (field_identifier) @to)])
  (reference_declarator (field_identifier) @to)
]) @assign
(for_range_loop type: (_) @type declarator: [
  (identifier) @to
  (array_declarator declarator: [(identifier) @to (_ declarator: (identifier) @to)])
  (pointer_declarator declarator: [(identifier) @to (_ declarator: (identifier) @to) (reference_declarator (identifier) @to)])
  (reference_declarator (identifier) @to)
]) @assign
(for_range_loop declarator: [
  (identifier) @to
  (reference_declarator (identifier) @to)
] right: (_) @from) @for
(alias_declaration name: (type_identifier) @to type: (_) @from) @assign
(type_definition type: (_) @from declarator: (type_identifier) @to) @assign

(parameter_declaration type: (_) @type declarator: [
  (identifier) @name
  (array_declarator declarator: [(identifier) @name (_ declarator: (identifier) @name)])
  (pointer_declarator declarator: [(identifier) @name (_ declarator: (identifier) @name) (reference_declarator (identifier) @name)])
  (reference_declarator (identifier) @name)
]) @param
(optional_parameter_declaration type: (_) @type declarator: [
  (identifier) @name
  (array_declarator declarator: [(identifier) @name (_ declarator: (identifier) @name)])
  (pointer_declarator declarator: [(identifier) @name (_ declarator: (identifier) @name) (reference_declarator (identifier) @name)])
  (reference_declarator (identifier) @name)
]) @param
(catch_clause parameters: (parameter_list (parameter_declaration type: (_) @type declarator: [
  (identifier) @to
  (reference_declarator (identifier) @to)
]))) @catch

(function_definition type: (_) @type) @returns
(declaration type: (_) @type declarator: [
  (function_declarator parameters: (_) @returns)
  (_ (function_declarator parameters: (_) @returns))
  (_ (_ (function_declarator parameters: (_) @returns)))
])
(field_declaration type: (_) @type declarator: [
  (function_declarator parameters: (_) @returns)
  (_ (function_declarator parameters: (_) @returns))
  (_ (_ (function_declarator parameters: (_) @returns)))
])
(declaration declarator: [
  (function_declarator parameters: (_) @opens)
  (_ (function_declarator parameters: (_) @opens))
  (_ (_ (function_declarator parameters: (_) @opens)))
]) @definition
(field_declaration declarator: [
  (function_declarator parameters: (_) @opens)
  (_ (function_declarator parameters: (_) @opens))
  (_ (_ (function_declarator parameters: (_) @opens)))
]) @definition
(class_specifier body: (_) @opens) @definition
(struct_specifier body: (_) @opens) @definition
(namespace_definition body: (_) @opens) @definition
(template_declaration [(class_specifier body: (_) @opens) (struct_specifier body: (_) @opens)]) @definition
(template_declaration (function_definition) @opens) @definition
(template_declaration (declaration declarator: [
  (function_declarator parameters: (_) @opens)
  (_ (function_declarator parameters: (_) @opens))
])) @definition
(class_specifier (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)) @class
(struct_specifier (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)) @class
(template_declaration
  (class_specifier (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base))) @class
(template_declaration
  (struct_specifier (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base))) @class
