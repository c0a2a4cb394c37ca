; A pointer has the type of its target. Lists, pairs (mappings) and awaitables (channels) are types here:
; a literal is a value of its type.
(package_clause (package_identifier) @of) @within

; values
(selector_expression operand: (_) @of field: (field_identifier) @name) @member
(qualified_type package: (package_identifier) @of name: (type_identifier) @name) @member
(call_expression function: (_) @callee arguments: (argument_list ((_) @arg ","?)*)) @call
((call_expression
  function: (identifier) @_new arguments: (argument_list . [(type_identifier) (qualified_type) (generic_type)] @callee .)) @new
  (#eq? @_new "new"))
(type_conversion_expression type: (generic_type) @callee operand: (_) @arg) @call
(type_conversion_expression type: [
  (array_type) (channel_type) (function_type) (interface_type) (map_type) (parenthesized_type)
  (pointer_type) (qualified_type) (slice_type) (struct_type) (type_identifier)] @type) @cast
(type_assertion_expression type: (_) @type) @cast
(composite_literal type: [(type_identifier) (qualified_type) (generic_type)] @callee) @new
(composite_literal type: [
  (array_type) (implicit_length_array_type) (map_type) (slice_type) (struct_type)] @type) @cast
(composite_literal type: (_) @type body: (literal_value) @cast)
(literal_value (literal_element (literal_value) @item)) @of
(literal_value (keyed_element value: (literal_element (literal_value) @item))) @of
(literal_value (keyed_element key: (literal_element (identifier) @name) @member)) @of
(index_expression operand: (_) @of index: (_) @key) @item
(generic_type type: (_) @of type_arguments: (type_arguments ((_) @key ","?)*)) @item
(slice_expression operand: (_) @of) @same
(parenthesized_expression (_) @of) @same
(unary_expression operator: ["&" "*"] operand: (_) @of) @same
(unary_expression operator: "<-" operand: (_) @of) @item
; A chain of thousands of strings, from a generator, would keep as many matches open: the left is not an operation.
(binary_expression
  left: [(call_expression) (identifier) (index_expression) (parenthesized_expression) (selector_expression)] @of
  operator: ["+" "-" "*" "/" "%" "&" "|" "^" "&^"]
  right: (_) @of) @either
(binary_expression
  left: [(call_expression) (identifier) (index_expression) (parenthesized_expression) (selector_expression)] @of
  operator: ["<<" ">>"]) @same
(expression_list . (_) @of "," ((_) @of ","?)+) @tuple
(func_literal) @function
(variadic_argument (_) @of) @splat

; types
(pointer_type (_) @of) @same
(parenthesized_type (_) @of) @same
(negated_type (_) @of) @same
(slice_type element: (_) @of) @list
(array_type element: (_) @of) @list
(implicit_length_array_type element: (_) @of) @list
(channel_type value: (_) @of) @await
(map_type key: (_) @key value: (_) @of) @pair
(function_type) @function
(struct_type) @function
(_ result: (parameter_list ((parameter_declaration !name type: (_) @of) ","?)+) @tuple)

; targets; the type of a variable comes from its declaration, not from an assignment
(short_var_declaration left: (_) @to right: (_) @from) @assign
(var_spec name: (identifier) @to type: (_) @type) @assign
(var_spec !type ((identifier) @of ","?)+) @tuple
(var_spec !type value: (_) @from) @assign @to
(const_spec name: (identifier) @to type: (_) @type) @assign
(const_spec name: (identifier) @to !type value: (_) @from) @assign
(const_declaration
  (const_spec name: (identifier) @from) . (comment)* . (const_spec name: (identifier) @to !type !value)) @assign
(range_clause left: (_) @to ":=" right: (_) @from) @for
(receive_statement left: (_) @to ":=" right: (_) @from) @assign
(type_switch_statement alias: (_) @to value: (_) @from) @assign
(type_switch_statement alias: (expression_list (identifier) @name) (type_case . "case" . type: (_) @type . ":") @region)
(field_declaration name: (field_identifier) @to type: (_) @type) @assign
(type_alias name: (type_identifier) @to type: (_) @from) @assign
(type_parameter_declaration name: (identifier) @to type: (_) @type) @assign

(method_declaration receiver: (parameter_list (parameter_declaration name: (identifier) @name type: (_) @type))) @param.self
(_ parameters: (parameter_list (parameter_declaration name: (identifier) @name type: (_) @type))) @param
(_ parameters: (parameter_list (variadic_parameter_declaration name: (identifier) @name type: (_) @type))) @param.rest
(_ result: (parameter_list (parameter_declaration name: (identifier) @name type: (_) @type))) @param.result

(function_declaration result: (_) @type) @returns
(method_declaration result: (_) @type) @returns
(method_elem result: (_) @type) @returns
(function_type result: (_) @type) @returns
(func_literal result: (_) @type) @returns

; A type has its own keyword or is in a group: only one of the two patterns is a definition.
(type_declaration (type_spec type: (struct_type (field_declaration_list (field_declaration !name type: (_) @base))))) @made
(type_spec type: (struct_type (field_declaration_list (field_declaration !name type: (_) @base)))) @made
(type_declaration (type_spec type: (interface_type (type_elem . (_) @base .)))) @made
(type_spec type: (interface_type (type_elem . (_) @base .))) @made
(type_declaration (type_spec type: [
  (array_type) (channel_type) (function_type) (generic_type) (map_type) (negated_type)
  (parenthesized_type) (pointer_type) (qualified_type) (slice_type) (type_identifier)] @base)) @made
(type_spec type: [
  (array_type) (channel_type) (function_type) (generic_type) (map_type) (negated_type)
  (parenthesized_type) (pointer_type) (qualified_type) (slice_type) (type_identifier)] @base) @made
(type_declaration (type_spec type_parameters: (type_parameter_list (type_parameter_declaration name: (identifier) @key)))) @made
(type_spec type_parameters: (type_parameter_list (type_parameter_declaration name: (identifier) @key))) @made
(function_declaration
  type_parameters: (type_parameter_list (type_parameter_declaration name: (identifier) @key))) @made
