(identifier) @name
(type_identifier) @type
(field_identifier) @member
(call_expression function: (identifier) @call)
(message_expression method: (identifier) @call)
