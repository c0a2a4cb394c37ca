; Patterns shared by JavaScript and TypeScript, before the flow query of each.

; values
(member_expression object: (_) @of property: (_) @name) @member
((subscript_expression object: (_) @of index: (string (string_fragment) @name)) @member
  (#match? @name "^[A-Za-z_$][A-Za-z0-9_$]*$"))
(subscript_expression object: (_) @of index: (_) @key) @item
(parenthesized_expression (_) @of) @same
(await_expression (_) @of) @await
(ternary_expression consequence: (_) @of alternative: (_) @of) @either
(binary_expression left: (_) @of operator: ["||" "??"] right: (_) @of) @either
(binary_expression operator: "&&" right: (_) @of) @same
(assignment_expression right: (_) @of) @same
(sequence_expression (_) @of .) @same
(array ((_) @of ","?)*) @list
(object ((_) @of ","?)*) @dict
(pair key: (_) @key value: (_) @of) @pair
(spread_element (_) @of) @splat.keys
(array_pattern ((_) @of ","?)*) @list
(object_pattern ((_) @of ","?)*) @dict
(pair_pattern key: (_) @key value: (_) @of) @pair
(object_assignment_pattern left: (_) @of) @same
(assignment_pattern left: (_) @of) @same
(rest_pattern (_) @of) @splat
(arrow_function) @function
(function_expression) @function
(generator_function) @function
(method_definition name: (_) @key) @function
(this) @this
(super) @super

; names of another module
(export_statement (export_clause (export_specifier name: (identifier) @name) @member) source: (string) @of)

; where they go
(assignment_expression left: (_) @to right: (_) @from) @assign
(augmented_assignment_expression left: (_) @to operator: ["||=" "??=" "&&="] right: (_) @from) @assign
(for_in_statement left: (_) @to operator: "of" right: (_) @from) @for
(return_statement (_) @from) @return
(arrow_function body: (_) @from) @return
(yield_expression (_) @from) @yield
(export_statement "default" value: (_) @from) @return
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (_) @from) @return
  (#eq? @_module "module") (#eq? @_exports "exports"))
((binary_expression left: (_) @to operator: "instanceof" right: (_) @type) @narrow)

; definitions
(pair value: (_) @from) @defines
(assignment_expression right: (_) @from) @defines
(method_definition "static" ) @static
(method_definition ["get" "set"]) @reads
