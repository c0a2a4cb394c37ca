((variable_name) @name (#match? @name "^[A-Za-z_]"))
((command_name (word) @name @call) (#match? @name "^[A-Za-z_][A-Za-z0-9_:.-]*$"))
(function_definition name: (word) @name)
((command . name: (command_name (word) @_trap) . argument: (word) @name) (#eq? @_trap "trap"))
