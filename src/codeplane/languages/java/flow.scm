; values; the callee is the name, because a call has no other node for it
(field_access object: (_) @of field: (identifier) @name) @member
(field_access object: (_) @type field: (this)) @cast
(method_invocation object: (_) @of name: (identifier) @name @member)
(method_invocation name: (identifier) @callee arguments: (argument_list ((_) @arg ","?)*)) @call
(method_reference . (_) @of "::" (identifier) @name) @member
(explicit_constructor_invocation constructor: (_) @callee arguments: (argument_list ((_) @arg ","?)*)) @call
(object_creation_expression type: (_) @callee arguments: (argument_list ((_) @arg ","?)*) .) @new
(object_creation_expression (class_body) @of) @same
(object_creation_expression (class_body) @this)
(object_creation_expression (_) @of "." type: (type_identifier) @name @member)
((array_creation_expression type: (_) @of) @array (#not-match? @array "^new[^\\[\\{]*\\[[^\\]]*\\]\\s*\\["))
((array_creation_expression type: (_) @of) @array.array (#match? @array.array "^new[^\\[\\{]*\\[[^\\]]*\\]\\s*\\["))
(array_initializer ((_) @of ","?)*) @list
(array_access array: (_) @of index: (_) @key) @item
(parenthesized_expression (_) @of) @same
(assignment_expression right: (_) @of) @same
(ternary_expression consequence: (_) @of alternative: (_) @of) @either
(cast_expression type: (_) @type value: (_) @of) @cast
(switch_expression condition: (_) @of body: (switch_block (_ (switch_label (identifier) @name @case))))
(switch_expression body: (switch_block ((switch_rule (expression_statement (_) @of)) @_rule)*)) @either
(annotation name: (_) @of arguments: (annotation_argument_list (element_value_pair key: (identifier) @name @member)))
(lambda_expression) @function
(this) @this
(super) @super

; operators and literals, for the sake of overloads
(unary_expression operator: ["-" "+" "~"] operand: (_) @of) @same
(unary_expression operator: "!") @literal.boolean
(update_expression (_) @of) @same
(binary_expression operator: ["==" "!=" "<" ">" "<=" ">=" "&&" "||"]) @literal.boolean
(binary_expression left: (_) @of operator: ["-" "*" "/" "%" "&" "|" "^"] right: (_) @of) @either
(binary_expression left: (_) @of operator: ["<<" ">>" ">>>"]) @same
(binary_expression left: (_) @of operator: "+" right: (decimal_integer_literal)) @same
(binary_expression left: (string_literal) operator: "+") @literal.String
(binary_expression operator: "+" right: (string_literal)) @literal.String
(binary_expression left: (binary_expression left: (string_literal) operator: "+") operator: "+") @literal.String
(binary_expression left: (binary_expression operator: "+" right: (string_literal)) operator: "+") @literal.String
(instanceof_expression) @literal.boolean
(class_literal (_) @of) @type.value
((decimal_integer_literal) @literal.long (#match? @literal.long "[lL]$"))
((hex_integer_literal) @literal.long (#match? @literal.long "[lL]$"))
((hex_integer_literal) @literal.int (#not-match? @literal.int "[lL]$"))
((decimal_floating_point_literal) @literal.float (#match? @literal.float "[fF]$"))
((decimal_floating_point_literal) @literal.double (#not-match? @literal.double "[fF]$"))
(character_literal) @literal.char
[(true) (false)] @literal.boolean
(null_literal) @literal.null

; types
(scoped_type_identifier . (_) @of (type_identifier) @name .) @member
(scoped_identifier scope: (_) @of name: (identifier) @name) @member
(generic_type . (_) @of (type_arguments ((_) @key ","?)*)) @item
((array_type element: (_) @of dimensions: (_) @_depth) @list (#not-match? @_depth "\\].*\\["))
((array_type element: (_) @of dimensions: (_) @_depth) @list.list (#match? @_depth "\\].*\\["))
(wildcard "extends" (_) @of) @same
(annotated_type (_) @of .) @same
(integral_type "byte") @literal.byte
(integral_type "short") @literal.short
(integral_type "int") @literal.int
(integral_type "long") @literal.long
(integral_type "char") @literal.char
(floating_point_type "float") @literal.float
(floating_point_type "double") @literal.double
(boolean_type) @literal.boolean

; where they go
(package_declaration (_) @of .) @within
(field_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @to value: (_)? @from)) @assign
(constant_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @to value: (_)? @from)) @assign
(local_variable_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @to value: (_)? @from)) @assign
(assignment_expression left: (_) @to right: (_) @from) @assign
(resource type: (_) @type name: (identifier) @to value: (_) @from) @assign
(enhanced_for_statement type: (_) @type name: (identifier) @to) @assign
(enhanced_for_statement name: (identifier) @to value: (_) @from) @for
(catch_formal_parameter (catch_type (_) @type) name: (identifier) @to) @catch
(instanceof_expression right: (_) @type name: (identifier) @to) @assign
(type_pattern [(type_identifier) (scoped_type_identifier) (generic_type) (array_type) (integral_type) (floating_point_type) (boolean_type) (annotated_type)] @type (identifier) @to) @assign
(record_pattern_component [(type_identifier) (scoped_type_identifier) (generic_type) (array_type) (integral_type) (floating_point_type) (boolean_type) (annotated_type)] @type (identifier) @to) @assign
(record_declaration parameters: (formal_parameters (formal_parameter type: (_) @type name: (identifier) @to))) @assign
(return_statement (_) @from) @return
((lambda_expression body: (_) @from) @return (#not-match? @from "^\\{"))

(formal_parameters (formal_parameter type: (_) @type name: (identifier) @name)) @param
(formal_parameters (spread_parameter [(type_identifier) (scoped_type_identifier) (generic_type) (array_type) (integral_type) (floating_point_type) (boolean_type) (annotated_type)] @type (variable_declarator name: (identifier) @name))) @param.rest
(lambda_expression parameters: (identifier) @name) @param
(lambda_expression parameters: (inferred_parameters (identifier) @name)) @param

(method_declaration type: (_) @type) @returns
(class_declaration
  superclass: (superclass (_) @base)?
  interfaces: (super_interfaces (type_list ((_) @base ","?)*))?
  body: (_) @body) @class
(interface_declaration (extends_interfaces (type_list ((_) @base ","?)*))? body: (_) @body) @class
(enum_declaration interfaces: (super_interfaces (type_list ((_) @base ","?)*))? body: (_) @body) @class
(record_declaration interfaces: (super_interfaces (type_list ((_) @base ","?)*))?) @class
(annotation_type_declaration body: (_) @body) @class
(object_creation_expression type: (_) @base (class_body) @class)
(enum_declaration name: (identifier) @base body: (enum_body (enum_constant body: (class_body) @class)))
(type_parameter . (type_identifier) @to (type_bound . (_) @type)) @bound
