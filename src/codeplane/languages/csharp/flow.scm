; values
(member_access_expression expression: _ @of name: (identifier) @name) @member
(member_access_expression expression: _ @of name: (generic_name . (identifier) @name) @member)
(member_access_expression name: (generic_name . (identifier) (type_argument_list ((_) @key ","?)*)) @of) @item
(conditional_access_expression condition: (_) (_) @of .) @same
(conditional_access_expression condition: (_) @of (member_binding_expression name: (identifier) @name) @member)
(conditional_access_expression condition: (_) @of (member_binding_expression name: (generic_name . (identifier) @name)) @member)
(conditional_access_expression condition: (_) @of (_ . (member_binding_expression name: (identifier) @name) @member))
(conditional_access_expression condition: (_) @of (_ . (_ . (member_binding_expression name: (identifier) @name) @member)))
(invocation_expression function: (_) @callee arguments: (argument_list ((argument) @arg ","?)*)) @call
(object_creation_expression type: (_) @callee arguments: (argument_list ((argument) @arg ","?)*)) @new
(object_creation_expression type: (_) @callee !arguments) @new
(object_creation_expression type: (_) @of
  initializer: (initializer_expression (assignment_expression left: (identifier) @name @member)))
(with_expression . (_) @of (with_initializer . (identifier) @name @member))
(constructor_initializer ["base" "this"] @callee (argument_list ((argument) @arg ","?)*)) @call
(constructor_initializer "this" @this)
(variable_declaration
  type: (_) @callee
  (variable_declarator (implicit_object_creation_expression (argument_list ((argument) @arg ","?)*)) @new))
(property_declaration
  type: (_) @callee
  value: [
    (implicit_object_creation_expression (argument_list ((argument) @arg ","?)*)) @new
    (arrow_expression_clause (implicit_object_creation_expression (argument_list ((argument) @arg ","?)*)) @new)])
(method_declaration
  returns: (_) @callee
  body: [
    (arrow_expression_clause (implicit_object_creation_expression (argument_list ((argument) @arg ","?)*)) @new)
    (block (return_statement (implicit_object_creation_expression (argument_list ((argument) @arg ","?)*)) @new))])
(attribute name: (_) @callee (attribute_argument_list ((attribute_argument) @arg ","?)*)) @new
(argument !name (_) @of .) @same
(argument !name "this" @of .) @same
(argument name: (identifier) @label (_) @of .) @labelled
(generic_name . (identifier) @of (type_argument_list ((_) @key ","?)*)) @item
(element_access_expression expression: _ @of subscript: (bracketed_argument_list ((argument) @key ","?)*)) @item
(parenthesized_expression (_) @of) @same
(assignment_expression right: (_) @of) @same
(conditional_expression consequence: (_) @of alternative: (_) @of) @either
(binary_expression left: (_) @of operator: "??" right: (_) @of) @either
(cast_expression type: (_) @type value: (_) @of) @cast
(as_expression left: (_) @of right: (_) @type) @cast
(await_expression (_) @of) @await
(array_creation_expression type: (array_type type: (_) @of)) @array
(implicit_array_creation_expression (initializer_expression ((_) @of ","?)*)) @list
(typeof_expression type: (_) @of) @type.value
(default_expression type: (_) @type) @cast
(postfix_unary_expression . (_) @of "!") @same
(lambda_expression) @function
(anonymous_method_expression) @function
"this" @this
"base" @super
(is_pattern_expression expression: (_) @of
  pattern: (recursive_pattern !type (property_pattern_clause (subpattern . (identifier) @name @member))))
(recursive_pattern type: (_) @of (property_pattern_clause (subpattern . (identifier) @name @member)))

; operators and literals, for the sake of overloads
(prefix_unary_expression ["-" "+" "~"] (_) @of) @same
(prefix_unary_expression "!") @literal.boolean
(binary_expression operator: ["==" "!=" "<" ">" "<=" ">=" "&&" "||"]) @literal.boolean
(binary_expression left: (_) @of operator: ["-" "*" "/" "%"] right: (_) @of) @either
(binary_expression left: (string_literal) operator: "+") @literal.String
(binary_expression operator: "+" right: (string_literal)) @literal.String
(is_expression) @literal.boolean
(is_pattern_expression) @literal.boolean
(interpolated_string_expression) @literal.String
(verbatim_string_literal) @literal.String
(raw_string_literal) @literal.String
(character_literal) @literal.char
(boolean_literal) @literal.boolean
(null_literal) @literal.null
((real_literal) @literal.double (#not-match? @literal.double "[fFmM]$"))
((integer_literal) @literal.long (#match? @literal.long "[lL]$"))

; types
(qualified_name qualifier: (_) @of name: (identifier) @name) @member
(qualified_name qualifier: (_) @of name: (generic_name . (identifier) @name) @member)
(qualified_name name: (generic_name . (identifier) (type_argument_list ((_) @key ","?)*)) @of) @item
(alias_qualified_name name: (_) @of) @same
(nullable_type type: (_) @of) @same
(array_type type: (_) @of) @list
(primary_constructor_base_type type: (_) @of) @same
((predefined_type) @literal.int (#eq? @literal.int "int"))
((predefined_type) @literal.long (#eq? @literal.long "long"))
((predefined_type) @literal.short (#eq? @literal.short "short"))
((predefined_type) @literal.byte (#eq? @literal.byte "byte"))
((predefined_type) @literal.char (#eq? @literal.char "char"))
((predefined_type) @literal.float (#eq? @literal.float "float"))
((predefined_type) @literal.double (#eq? @literal.double "double"))
((predefined_type) @literal.boolean (#eq? @literal.boolean "bool"))
((predefined_type) @literal.String (#eq? @literal.String "string"))
((predefined_type) @literal.Object (#eq? @literal.Object "object"))

; where they go
(file_scoped_namespace_declaration name: (_) @of) @within
(namespace_declaration name: (_) @of body: (declaration_list) @within)
(variable_declaration type: (_) @type (variable_declarator name: (identifier) @to)) @assign
(variable_declaration type: (implicit_type) (variable_declarator name: (identifier) @to (_) @from .)) @assign
(property_declaration type: (_) @type name: (identifier) @to) @assign
(event_declaration type: (_) @type name: (identifier) @to) @assign
(assignment_expression left: (_) @to right: (_) @from) @assign
(foreach_statement type: (_) @type left: (identifier) @to) @assign
(foreach_statement left: (identifier) @to right: (_) @from) @for
(catch_declaration type: (_) @type name: (identifier) @to) @catch
(declaration_pattern type: (_) @type name: (identifier) @to) @assign
(declaration_expression type: (_) @type name: (identifier) @to) @assign
(recursive_pattern type: (_) @type name: (identifier) @to) @assign
(is_pattern_expression expression: (_) @from pattern: (recursive_pattern !type name: (identifier) @to)) @assign
(record_declaration (parameter_list (parameter type: (_) @type name: (identifier) @to))) @assign
(return_statement (_) @from) @return
((lambda_expression body: (_) @from) @return (#not-match? @from "^\\{"))

((parameter_list (parameter type: (_) @type name: (identifier) @name .) @_whole) @param (#not-match? @_whole "^this\\s"))
(parameter_list (parameter type: (_) @type name: (identifier) @name . "=" . (_) @from)) @param
((parameter_list (parameter type: (_) @type name: (identifier) @name .) @_whole) @param.self (#match? @_whole "^this\\s"))
(parameter_list type: (array_type type: (_) @type) name: (identifier) @name) @param.rest
(parameter_list (parameter !type name: (identifier) @name)) @param
(lambda_expression parameters: (implicit_parameter) @name) @param

(method_declaration returns: (_) @type) @returns
(local_function_statement type: (_) @type) @returns
(delegate_declaration type: (_) @type) @returns
(class_declaration (base_list ((_) @base ","?)*)? body: (_)? @body) @class
(struct_declaration (base_list ((_) @base ","?)*)? body: (_)? @body) @class
(record_declaration (base_list ((_) @base ","?)*)? body: (_)? @body) @class
(interface_declaration (base_list ((_) @base ","?)*)? body: (_)? @body) @class
(enum_declaration body: (_)? @body) @class
(class_declaration (modifier "partial")) @partial
(struct_declaration (modifier "partial")) @partial
(record_declaration (modifier "partial")) @partial
(interface_declaration (modifier "partial")) @partial
(type_parameter_constraints_clause . (identifier) @to (type_parameter_constraint type: (_) @type)) @bound
