(value_name) @name
(value_pattern) @name
(constructor_name) @name
(type_constructor) @type
(module_name) @name
(field_name) @member
(method_name) @member
