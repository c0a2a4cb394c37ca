; scopes
(function_declaration) @scope.function
(function_definition) @scope.lambda

; definitions; those of a table belong to the table
(function_declaration name: (identifier) @name parameters: (_) @params body: (_)? @body "end" @body) @def.function
(function_declaration
  name: (dot_index_expression table: (_) @owner field: (identifier) @name)
  parameters: (_) @params
  body: (_)? @body
  "end" @body) @def.function
(function_declaration
  name: (method_index_expression table: (_) @owner method: (identifier) @name)
  parameters: (_) @params
  body: (_)? @body
  "end" @body) @def.method

(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition parameters: (_) @params body: (_)? @body "end" @body) .))) @def.function
((assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition parameters: (_) @params body: (_)? @body "end" @body) .)) @def.function)
((assignment_statement
  (variable_list . name: (dot_index_expression table: (_) @owner field: (identifier) @name) .)
  (expression_list . value: (function_definition parameters: (_) @params body: (_)? @body "end" @body) .)) @def.function)
(field name: (identifier) @name value: (function_definition parameters: (_) @params body: (_)? @body "end" @body)) @def.function

(variable_declaration (assignment_statement (variable_list name: (identifier) @name))) @def.variable
(variable_declaration (variable_list name: (identifier) @name)) @def.variable
(assignment_statement (variable_list name: (identifier) @name)) @def.variable
(chunk (assignment_statement (variable_list
  name: (dot_index_expression table: (identifier) @owner field: (identifier) @name))) @def.field)

; imports
((assignment_statement
  (variable_list . name: (identifier) @alias .)
  (expression_list . value: (function_call
    name: (identifier) @_require
    arguments: (arguments . (string content: (_) @source) .)) .)) @import.lua_require
  (#eq? @_require "require"))
((assignment_statement
  (variable_list . name: (identifier) @alias .)
  (expression_list . value: (dot_index_expression
    table: (function_call
      name: (identifier) @_require
      arguments: (arguments . (string content: (_) @source) .))
    field: (identifier) @name) .)) @import.lua_require
  (#eq? @_require "require"))
((chunk (function_call
  name: (identifier) @_require
  arguments: (arguments . (string content: (_) @source) .)) @import.lua_require @star)
  (#eq? @_require "require"))
