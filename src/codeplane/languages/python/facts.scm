; scopes
(function_definition) @scope.function
(lambda) @scope.lambda
(class_definition) @scope.class
(list_comprehension) @scope.comprehension
(set_comprehension) @scope.comprehension
(dictionary_comprehension) @scope.comprehension
(generator_expression) @scope.comprehension

; default values, annotations and bases belong to the scope around the definition
(function_definition parameters: (parameters (default_parameter value: (_) @outer)))
(function_definition parameters: (parameters (typed_default_parameter value: (_) @outer)))
(function_definition parameters: (parameters (typed_parameter type: (_) @outer)))
(function_definition parameters: (parameters (typed_default_parameter type: (_) @outer)))
(function_definition return_type: (_) @outer)
(lambda parameters: (lambda_parameters (default_parameter value: (_) @outer)))
(class_definition superclasses: (_) @outer)

; likewise for the iterable of the first loop of a comprehension
(list_comprehension body: (_) . (for_in_clause right: (_) @outer))
(set_comprehension body: (_) . (for_in_clause right: (_) @outer))
(dictionary_comprehension body: (_) . (for_in_clause right: (_) @outer))
(generator_expression body: (_) . (for_in_clause right: (_) @outer))

; definitions
(function_definition
  name: (identifier) @name
  parameters: (parameters) @params
  return_type: (_)? @returns
  body: (block) @body) @def.function
(class_definition
  name: (identifier) @name
  superclasses: (_)? @params
  body: (block) @body) @def.class
(assignment left: (identifier) @name) @def.variable
(assignment left: (pattern_list (identifier) @name)) @def.variable
(assignment left: (tuple_pattern (identifier) @name)) @def.variable
(type_alias_statement left: (type (identifier) @name)) @def.type
(type_alias_statement left: (type (generic_type . (identifier) @name))) @def.type

(decorated_definition (decorator)* @decorator definition: (_) @wrapped) @wrapper

; parameters
(parameters (identifier) @bind.param)
(parameters (default_parameter name: (identifier) @bind.param))
(parameters (typed_parameter . (identifier) @bind.param))
(parameters (typed_parameter (list_splat_pattern (identifier) @bind.param)))
(parameters (typed_parameter (dictionary_splat_pattern (identifier) @bind.param)))
(parameters (typed_default_parameter name: (identifier) @bind.param))
(parameters (list_splat_pattern (identifier) @bind.param))
(parameters (dictionary_splat_pattern (identifier) @bind.param))
(parameters (tuple_pattern (identifier) @bind.param))
(lambda_parameters (identifier) @bind.param)
(lambda_parameters (default_parameter name: (identifier) @bind.param))
(lambda_parameters (list_splat_pattern (identifier) @bind.param))
(lambda_parameters (dictionary_splat_pattern (identifier) @bind.param))
(function_definition type_parameters: (type_parameter (type (identifier) @bind.param)))
(class_definition type_parameters: (type_parameter (type (identifier) @bind.param)))

; other bindings
(augmented_assignment left: (identifier) @bind.local)
(named_expression name: (identifier) @bind.hoisted)
(for_statement left: (identifier) @bind.local)
(for_in_clause left: (identifier) @bind.local)
(pattern_list (identifier) @bind.local)
(tuple_pattern (identifier) @bind.local)
(list_pattern (identifier) @bind.local)
(list_splat_pattern (identifier) @bind.local)
(as_pattern alias: (as_pattern_target (identifier) @bind.local))
(as_pattern_target (tuple (identifier) @bind.local))
(as_pattern_target (list (identifier) @bind.local))
(case_pattern (dotted_name . (identifier) @bind.local .))
(keyword_pattern (identifier) (dotted_name . (identifier) @bind.local .))
(splat_pattern (identifier) @bind.local)
(as_pattern (case_pattern) (identifier) @bind.local)
(delete_statement (identifier) @bind.local)
(global_statement (identifier) @bind.global)
(nonlocal_statement (identifier) @bind.nonlocal)

; imports
(import_statement name: (dotted_name) @name) @import.python_import
(import_statement name: (aliased_import name: (dotted_name) @name alias: (identifier) @alias)) @import.python_import
(import_from_statement module_name: (_) @source name: (dotted_name) @name) @import.python_from
(import_from_statement
  module_name: (_) @source
  name: (aliased_import name: (dotted_name) @name alias: (identifier) @alias)) @import.python_from
(import_from_statement module_name: (_) @source (wildcard_import) @star) @import.python_from
(future_import_statement name: (dotted_name) @name) @import.python_future

; exports
((assignment left: (identifier) @_all right: (_ (string (string_content) @name)))
  @export.__all__literal (#eq? @_all "__all__"))
((augmented_assignment left: (identifier) @_all right: (_ (string (string_content) @name)))
  @export.__all__literal (#eq? @_all "__all__"))
(import_from_statement module_name: (_) @source (wildcard_import)) @reexport.star_import
