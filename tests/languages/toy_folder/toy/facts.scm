(function_declaration) @scope.function
(function_declaration name: (identifier) @name parameters: (_) @params body: (_)? @body "end" @body) @def.function
((assignment_statement
  (variable_list . name: (identifier) @alias .)
  (expression_list . value: (dot_index_expression
    table: (function_call name: (identifier) @_require arguments: (arguments . (string content: (_) @source) .))
    field: (identifier) @name) .)) @import.toy
  (#eq? @_require "require"))
