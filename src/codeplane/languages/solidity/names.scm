(identifier) @name
(user_defined_type (identifier) @type)
(member_expression property: (identifier) @member)
(call_expression function: (expression (identifier) @call))
(call_expression function: (expression (member_expression property: (identifier) @call)))
