(identifier) @name
(type_identifier) @type
