(identifier) @name
(type_identifier) @type
(function_definition name: (operator_identifier) @name)
(function_declaration name: (operator_identifier) @name)
(type_parameters name: (identifier) @type)

(field_expression field: (identifier) @member)
(infix_expression operator: (identifier) @member)
(stable_identifier "." (identifier) @member)
(stable_type_identifier "." (type_identifier) @member)
(projected_type selector: (type_identifier) @member)
(interpolated_string_expression interpolator: (identifier) @member)

(arguments (assignment_expression left: (identifier) @label))
(package_clause (package_identifier (identifier) @label))
(access_qualifier (identifier) @label)
((identifier) @none (#any-of? @none "this" "super"))

(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (identifier) @call))
(generic_function function: (identifier) @call)
(generic_function function: (field_expression field: (identifier) @call))
(infix_expression operator: (identifier) @call)
(interpolated_string_expression interpolator: (identifier) @call)
