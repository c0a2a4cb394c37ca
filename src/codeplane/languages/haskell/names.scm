(variable) @name
(constructor) @name
(name) @type
(module_id) @name
(signature name: (prefix_id (operator) @name))
(function name: (prefix_id (operator) @name))
(function (infix operator: (operator) @name) match: (_))

(qualified id: (variable) @member)
(qualified id: (constructor) @member)
(qualified id: (name) @member)
(field_update field: (field_name (variable) @label))
(field_pattern field: (field_name (variable) @label))

(apply function: (variable) @call)
(apply function: (qualified id: (variable) @call))
(infix operator: (infix_id (variable) @call))
(infix operator: (infix_id (qualified id: (variable) @call)))
