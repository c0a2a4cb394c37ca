; values
(attribute object: (_) @of attribute: (identifier) @name) @member
(call function: (_) @callee arguments: (argument_list ((_) @arg ","?)*)) @call
(call function: (_) @callee arguments: (generator_expression) @arg) @call
(keyword_argument name: (identifier) @label value: (_) @of) @labelled
(list_splat (_) @of) @splat
(dictionary_splat (_) @of) @splat.keys
(subscript value: (_) @of . "[" . ((_) @key ","?)*) @item
(generic_type . (_) @of (type_parameter ((_) @key ","?)*)) @item
(parenthesized_expression (_) @of) @same
(type . (_) @of .) @same
(await (_) @of) @await
(conditional_expression . (_) @of . (_) . (_) @of) @either
(boolean_operator left: (_) @of right: (_) @of) @either
(binary_operator left: (_) @of operator: "|" right: (_) @of) @either
(union_type (_) @of (_) @of) @either
(named_expression value: (_) @of) @same
(assignment right: (_) @of) @same
(list ((_) @of ","?)*) @list
(set ((_) @of ","?)*) @list
(tuple ((_) @of ","?)*) @tuple
(expression_list ((_) @of ","?)*) @tuple
(pattern_list ((_) @of ","?)*) @tuple
(tuple_pattern ((_) @of ","?)*) @tuple
(list_pattern ((_) @of ","?)*) @tuple
(list_splat_pattern (_) @of) @splat
(dictionary ((_) @of ","?)*) @dict
(pair key: (_) @key value: (_) @of) @pair
(list_comprehension body: (_) @of) @list
(set_comprehension body: (_) @of) @list
(generator_expression body: (_) @of) @list
(dictionary_comprehension body: (_) @of) @dict
(lambda) @function

; where they go
(assignment left: (_) @to type: (_)? @type right: (_)? @from) @assign
(named_expression name: (_) @to value: (_) @from) @assign
(module (expression_statement (assignment left: (identifier) @name right: (_)) @settled))
(module (expression_statement (assignment left: (subscript value: (identifier) @name)) @settled.item))
(module (expression_statement (assignment left: (subscript value: (subscript value: (identifier) @name))) @settled.item))
(function_definition body: (block (expression_statement (assignment left: (identifier) @name right: (_)) @settled)))
(function_definition
  body: (block (expression_statement (assignment left: (subscript value: (identifier) @name)) @settled.item)))
(for_statement left: (_) @to right: (_) @from) @for
(for_in_clause left: (_) @to right: (_) @from) @for
(with_item value: (as_pattern . (_) @from alias: (as_pattern_target (_) @to))) @with
(except_clause value: (as_pattern . (_) @type alias: (as_pattern_target (_) @to))) @catch
(return_statement (_) @from) @return
(lambda body: (_) @from) @return
(yield . "yield" . (_) @from) @yield
(yield "from" (_) @from) @yield.from

(parameters (identifier) @name) @param
(parameters (default_parameter name: (identifier) @name value: (_) @from)) @param
(parameters (typed_parameter . (identifier) @name type: (_) @type)) @param
(parameters (typed_default_parameter name: (identifier) @name type: (_) @type value: (_) @from)) @param
(parameters (list_splat_pattern (identifier) @name)) @param.rest
(parameters (typed_parameter (list_splat_pattern (identifier) @name) type: (_) @type)) @param.rest
(parameters (dictionary_splat_pattern (identifier) @name)) @param.keys
(parameters (typed_parameter (dictionary_splat_pattern (identifier) @name) type: (_) @type)) @param.keys
(lambda_parameters (identifier) @name) @param
(lambda_parameters (default_parameter name: (identifier) @name value: (_) @from)) @param
(lambda_parameters (list_splat_pattern (identifier) @name)) @param.rest
(lambda_parameters (dictionary_splat_pattern (identifier) @name)) @param.keys

(function_definition return_type: (_) @type) @returns
(class_definition superclasses: (argument_list ((_) @base ","?)*)) @class
(decorated_definition (decorator (_) @decorator)+ definition: (_) @definition) @decorated
((call function: (identifier) @_test arguments: (argument_list . (_) @to . (_) @type)) @narrow (#eq? @_test "isinstance"))
(raise_statement . (_) @of) @raise
