(variable) @name
(command_name) @call
(type_identifier) @type
(member_name) @member
