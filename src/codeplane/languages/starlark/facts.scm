; scopes
(function_definition) @scope.function

; definitions; a target is named by its call
(function_definition name: (identifier) @name parameters: (_) @params body: (_) @body) @def.function
(module (expression_statement (assignment left: (identifier) @name) @def.variable))
((module (expression_statement (call arguments: (argument_list
  (keyword_argument name: (identifier) @_key value: (string (string_content) @name)))) @def.object))
  (#eq? @_key "name"))

; imports
((module (expression_statement (call function: (identifier) @_load arguments: (argument_list . (string (string_content) @source)
  (string (string_content) @name)))) @import.starlark_load)
  (#eq? @_load "load"))
((module (expression_statement (call function: (identifier) @_load arguments: (argument_list . (string (string_content) @source)
  (keyword_argument name: (identifier) @alias value: (string (string_content) @name))))) @import.starlark_load)
  (#eq? @_load "load"))
