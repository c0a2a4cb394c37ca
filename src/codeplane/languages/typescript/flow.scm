; values
(call_expression
  function: (_) @callee type_arguments: (_)? @arg arguments: (arguments ((_) @arg ","?)*)) @call
(call_expression function: (_) @callee type_arguments: (_)? @arg arguments: (template_string) @arg) @call
(new_expression
  constructor: (_) @callee type_arguments: (_)? @arg arguments: (arguments ((_) @arg ","?)*)) @new
(new_expression constructor: (_) @callee type_arguments: (_)? @arg !arguments) @new
(type_arguments ((_) @of ","?)*) @types
(non_null_expression (_) @of) @same
(as_expression . (_) @of . (_) @type) @cast
(as_expression . (_) @of "const") @same
(satisfies_expression . (_) @of . (_) @type) @cast

; types
(type_annotation (_) @of) @same
(generic_type name: (_) @of type_arguments: (type_arguments ((_) @key ","?)*)) @item
(extends_clause value: (_) @of type_arguments: (type_arguments ((_) @key ","?)*)) @item
(extends_clause value: (_) @of !type_arguments) @same
(nested_type_identifier module: (_) @of name: (_) @name) @member
(nested_identifier object: (_) @of property: (_) @name) @member
(union_type (_) @of . "|" . (_) @of) @either
(union_type . "|" . (_) @of) @either
(intersection_type (_) @of . "&" . (_) @of) @either
(intersection_type . "&" . (_) @of) @either
(parenthesized_type (_) @of) @same
(readonly_type (_) @of) @same
(optional_type (_) @of) @same
(array_type (_) @of) @list
(tuple_type ((_) @of ","?)*) @tuple
(rest_type (_) @of) @splat
(function_type) @function
(constructor_type) @function
(object_type . ["{" "{|"] . (index_signature
  (mapped_type_clause type: (index_type_query (_) @of))
  type: (type_annotation (lookup_type)))) @same
(object_type ((_) @of [";" ","]?)*) @dict
(call_signature) @function
(construct_signature) @function
(property_signature name: (_) @key type: (_) @of) @pair
(method_signature name: (_) @key) @function
(conditional_type consequence: (_) @of alternative: (_) @of) @choice
(type_query (_) @of) @typeof
(index_type_query (_) @of) @keyof
((predefined_type) @literal.any (#any-of? @literal.any "any" "unknown"))
((predefined_type) @literal.never (#eq? @literal.never "never"))
(lookup_type . (_) @of . (_) @key) @lookup
(literal_type (_) @of) @same
(this_type) @this
(type_predicate_annotation) @same
(required_parameter type: (_) @of) @same
(optional_parameter type: (_) @of) @same

; where they go
(variable_declarator name: (_) @to type: (_)? @type value: (_)? @from) @assign
(formal_parameters (required_parameter
  pattern: [(identifier) (object_pattern) (array_pattern)] @name type: (_)? @type value: (_)? @from)) @param
(formal_parameters (optional_parameter
  pattern: [(identifier) (object_pattern) (array_pattern)] @name type: (_)? @type value: (_)? @from)) @param
(formal_parameters (required_parameter pattern: (rest_pattern (_) @name) type: (_)? @type)) @param.rest
(formal_parameters (required_parameter pattern: (this) @name type: (_)? @type)) @param.self
(arrow_function parameter: (identifier) @name) @param
(type_parameter name: (_) @name constraint: (constraint (_) @type)? value: (default_type (_) @from)?) @param.type

(function_declaration return_type: (_) @type) @returns
(generator_function_declaration return_type: (_) @type) @returns
(function_signature return_type: (_) @type) @returns
(function_expression return_type: (_) @type) @returns
(generator_function return_type: (_) @type) @returns
(arrow_function return_type: (_) @type) @returns
(method_definition return_type: (_) @type) @returns
(method_signature return_type: (_) @type) @returns
(abstract_method_signature return_type: (_) @type) @returns
(function_type return_type: (_) @type) @returns
(constructor_type type: (_) @type) @returns
(call_signature return_type: (_) @type) @returns
(construct_signature type: (_) @type) @returns

; definitions
(variable_declarator name: (identifier) type: (_)? @type value: (_)? @from) @defines
(public_field_definition type: (_)? @type value: (_)? @from) @defines
(property_signature type: (_) @type) @defines
(required_parameter type: (_) @type) @defines
(optional_parameter type: (_) @type) @defines
(type_alias_declaration value: (_) @type) @defines
(import_alias . (identifier) . (_) @from) @defines
(interface_body (call_signature) @called)
(interface_body (construct_signature) @makes)
(object_type (construct_signature) @makes)
(public_field_definition "static") @static
(method_signature "static") @static
(method_signature ["get" "set"]) @reads
(abstract_method_signature ["get" "set"]) @reads
(class_declaration (class_heritage (extends_clause)? @base (implements_clause ((_) @base ","?)*)?)) @class
(abstract_class_declaration (class_heritage (extends_clause)? @base (implements_clause ((_) @base ","?)*)?)) @class
(variable_declarator value: (class (class_heritage (extends_clause)? @base (implements_clause ((_) @base ","?)*)?))) @class
(export_statement value: (class (class_heritage (extends_clause)? @base (implements_clause ((_) @base ","?)*)?))) @class
(class (class_heritage (extends_clause)? @base (implements_clause ((_) @base ","?)*)?)) @class
(interface_declaration (extends_type_clause ((_) @base ","?)*)) @class
