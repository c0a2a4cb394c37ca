; values
(self) @this
(scoped_identifier path: (self) @here)
(scoped_type_identifier path: (self) @here)
(scoped_use_list path: (self) @here)
(use_wildcard . (self) @here)
(crate) @root
(super) @outer
((type_identifier) @this.type (#eq? @this.type "Self"))
((identifier) @this.type (#eq? @this.type "Self"))
(field_expression value: (_) @of field: (_) @name) @member
(call_expression function: (field_expression value: (_) @of field: (field_identifier) @name) @member.called)
(generic_function function: (field_expression value: (_) @of field: (field_identifier) @name) @member.called)
(scoped_identifier path: (_) @of name: (_) @name) @member
(scoped_type_identifier path: (_) @of name: (_) @name) @member
(use_wildcard . (_) @of) @same
(scoped_use_list path: (_) @of list: (use_list (identifier) @member @name))
(scoped_use_list path: (_) @of list: (use_list (use_as_clause path: (identifier) @member @name)))
(scoped_use_list path: (_) @of list: (use_list (use_wildcard . (identifier) @member @name)))
(scoped_use_list path: (_) @of list: (use_list (scoped_use_list path: (identifier) @member @name)))
(scoped_use_list path: (_) @of list: (use_list (scoped_identifier path: (identifier) @member @name)))
(scoped_use_list path: (_) @of list: (use_list (use_as_clause path: (scoped_identifier path: (identifier) @member @name))))
(scoped_use_list path: (_) @of list: (use_list (use_wildcard . (scoped_identifier path: (identifier) @member @name))))
(scoped_use_list path: (_) @of list: (use_list (scoped_use_list path: (scoped_identifier path: (identifier) @member @name))))
(scoped_use_list path: (_) @of list: (use_list (scoped_identifier path: (scoped_identifier path: (identifier) @member @name))))
(call_expression function: (_) @callee arguments: (arguments ((_) @arg ","?)*)) @call
(generic_function function: (_) @of) @same
(struct_expression name: (_) @callee body: (field_initializer_list ((_) @arg ","?)*)) @new
(field_initializer field: (field_identifier) @label value: (_) @of) @labelled
(index_expression . (_) @of . [
  (identifier) (integer_literal) (binary_expression) (call_expression) (field_expression) (reference_expression)
  (parenthesized_expression) (string_literal) (unary_expression) (type_cast_expression) (scoped_identifier)
] @key) @item
(index_expression . (_) @of . (range_expression)) @same
(parenthesized_expression (_) @of) @same
(reference_expression value: (_) @of) @same
((unary_expression . (_) @of) @same (#match? @same "^\\*"))
(try_expression (_) @of) @try
(await_expression (_) @of) @await
(type_cast_expression value: (_) @of type: (_) @type) @cast
(block (_) @of .) @same
(expression_statement [(if_expression) (match_expression) (block) (unsafe_block)] @of) @same
(unsafe_block (block) @of) @same
(async_block (block) @of) @same
(if_expression consequence: (_) @of alternative: (else_clause (_) @of)) @either
(match_expression body: (match_block (match_arm value: (_) @of)*)) @either
(tuple_expression ((_) @of ","?)*) @tuple
(array_expression ((_) @of ","?)*) @list
(closure_expression) @function

; types
(generic_type type: (_) @of type_arguments: (type_arguments ((_) @key ","?)*)) @item
(generic_type_with_turbofish type: (_) @of) @same
(type_binding name: (type_identifier) @label type: (_) @of) @labelled
(reference_type type: (_) @of) @same
(pointer_type type: (_) @of) @same
(array_type element: (_) @of) @list
(tuple_type ((_) @of ","?)*) @tuple
(dynamic_type trait: (_) @of) @same
(abstract_type trait: (_) @of) @same
(higher_ranked_trait_bound type: (_) @of) @same
(bounded_type . (_) @of . (_) @of) @either
(bracketed_type (_) @of) @same
(qualified_type alias: (_) @of) @same
(trait_bounds ((_) @of "+"?)*) @either

; patterns
(tuple_struct_pattern type: (_) @callee . "(" . ([(_) "_"] @arg ","?)*) @pattern
(struct_pattern type: (_) @callee . "{" . ((_) @arg ","?)*) @pattern
(field_pattern name: (field_identifier) @label pattern: (_) @of) @labelled
(field_pattern name: (shorthand_field_identifier) @label @of) @labelled
(tuple_pattern . "(" . ([(_) "_"] @of ","?)*) @tuple
(slice_pattern . "[" . ([(_) "_"] @of ","?)*) @list
(remaining_field_pattern) @literal.rest
(reference_pattern (_) @of .) @same
(ref_pattern (_) @of .) @same
(mut_pattern (_) @of .) @same
(or_pattern (_) @of (_) @of) @either

; where they go
(let_declaration pattern: (_) @to type: (_)? @type value: (_)? @from) @assign
(let_condition pattern: (_) @to value: (_) @from) @assign
(match_expression value: (_) @from body: (match_block (match_arm pattern: (match_pattern . (_) @to)) @assign))
(assignment_expression left: (_) @to right: (_) @from) @assign
(const_item name: (identifier) @to type: (_) @type) @assign
(static_item name: (identifier) @to type: (_) @type) @assign
(field_declaration name: (field_identifier) @to type: (_) @type) @assign
(type_item name: (type_identifier) @to type: (_) @from) @assign
(for_expression pattern: (_) @to value: (_) @from) @for
(closure_expression body: (_) @from) @return

(parameters (parameter pattern: (identifier) @name type: (_) @type)) @param
(parameter pattern: [
  (tuple_pattern) (tuple_struct_pattern) (struct_pattern) (reference_pattern) (ref_pattern) (mut_pattern)
] @to type: (_) @type) @assign
(closure_parameters (parameter pattern: (identifier) @name type: (_) @type)) @param
(closure_parameters (identifier) @name) @param
((call_expression
  function: (field_expression value: (_) @from field: (field_identifier) @_method)
  arguments: (arguments . (closure_expression parameters: (closure_parameters . (_) @to .)))) @for
  (#any-of? @_method
    "map" "for_each" "filter" "filter_map" "flat_map" "any" "all" "find" "find_map" "position" "and_then" "is_some_and"
    "is_ok_and" "take_while" "skip_while" "map_while" "partition" "inspect" "max_by_key" "min_by_key" "sort_by_key"
    "retain" "rposition" "is_none_or" "sort_unstable_by_key"))

(function_item return_type: (_) @type) @returns
(function_signature_item return_type: (_) @type) @returns
(closure_expression return_type: (_) @type) @returns
(trait_item bounds: (trait_bounds ((_) @base "+"?)*)) @class
(impl_item trait: (_)? @base type: (_) @of) @adds
(struct_item body: (ordered_field_declaration_list
  ([(attribute_item) (visibility_modifier) (line_comment)]* type: (_) @type ","?)*)) @fields
(enum_variant body: (ordered_field_declaration_list
  ([(attribute_item) (visibility_modifier) (line_comment)]* type: (_) @type ","?)*)) @fields
(type_parameter name: (type_identifier) @to bounds: (_) @type) @bound
(where_predicate left: (type_identifier) @to bounds: (_) @type) @bound
(associated_type name: (type_identifier) @to bounds: (_) @type) @bound
((attribute_item (attribute . (identifier) @_path value: (string_literal) @decorator)) @decorated
  . (mod_item) @definition (#eq? @_path "path"))
