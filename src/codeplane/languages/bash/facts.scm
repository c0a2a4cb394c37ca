; scopes
(function_definition) @scope.function

; definitions
(function_definition name: (word) @name body: (_) @body) @def.function

(declaration_command "readonly" (variable_assignment name: (variable_name) @name)) @def.constant
((declaration_command . (word) @_flags (variable_assignment name: (variable_name) @name)) @def.constant
  (#match? @_flags "^-\\w*r"))
(declaration_command (variable_assignment name: (variable_name) @name)) @def.variable
(declaration_command ["declare" "typeset"] (variable_name) @name) @def.variable
; not one before a command, which applies to that command only
(program (variable_assignment name: (variable_name) @name) @def.variable)
(variable_assignments (variable_assignment name: (variable_name) @name) @def.variable)
(if_statement (variable_assignment name: (variable_name) @name) @def.variable)
(elif_clause (variable_assignment name: (variable_name) @name) @def.variable)
(else_clause (variable_assignment name: (variable_name) @name) @def.variable)
(case_item (variable_assignment name: (variable_name) @name) @def.variable)
(do_group (variable_assignment name: (variable_name) @name) @def.variable)
(list (variable_assignment name: (variable_name) @name) @def.variable)
((command . name: (command_name (word) @_alias) argument: (concatenation . (word)) @name) @def.macro
  (#eq? @_alias "alias"))

; imports
((command . name: (command_name (word) @_source) . argument: (_) @source @star) @import.bash_source
  (#any-of? @_source "source" "."))
