; values
((variable_name (name) @_name) @this (#eq? @_name "this"))
((relative_scope) @this (#any-of? @this "static" "STATIC"))
((relative_scope) @this.exact (#any-of? @this.exact "self" "SELF"))
((relative_scope) @super (#any-of? @super "parent" "PARENT"))
((named_type (name) @this) (#eq? @this "static"))
((named_type (name) @this.exact) (#eq? @this.exact "self"))
((object_creation_expression . (name) @this) (#eq? @this "static"))
((object_creation_expression . (name) @this.exact) (#eq? @this.exact "self"))
(qualified_name (name) @name) @path
(relative_name (name) @name) @path
(by_ref (_) @of) @same
(member_access_expression object: (_) @of name: (name) @name) @member.field
(nullsafe_member_access_expression object: (_) @of name: (name) @name) @member.field
(scoped_property_access_expression scope: (_) @of name: (variable_name (name) @name)) @member.field
((class_constant_access_expression . (_) @of . (name) @name) @member (#not-eq? @name "class"))
((class_constant_access_expression . (_) @of . (name) @_class) @same (#eq? @_class "class"))
(function_call_expression function: (_) @callee arguments: (arguments ((argument) @arg ","?)*)) @call
(member_call_expression object: (_) @of name: (name) @name arguments: (arguments ((argument) @arg ","?)*)) @send.method
(nullsafe_member_call_expression object: (_) @of name: (name) @name arguments: (arguments ((argument) @arg ","?)*)) @send.method
(scoped_call_expression scope: (_) @of name: (name) @name arguments: (arguments ((argument) @arg ","?)*)) @send.method
(object_creation_expression . [(name) (qualified_name) (relative_name) (variable_name) (parenthesized_expression)] @callee
  (arguments ((argument) @arg ","?)*)?) @new
(object_creation_expression (anonymous_class body: (declaration_list) @of)) @same
(anonymous_class body: (declaration_list) @this)
(argument !name (_) @of) @same
(argument name: (name) @label . (_) @of) @labelled
(argument (variadic_unpacking (_) @of)) @splat
(subscript_expression . (_) @of . (_)? @key) @item
(parenthesized_expression (_) @of) @same
(clone_expression (_) @of) @same
(error_suppression_expression (_) @of) @same
(assignment_expression right: (_) @of) @same
(conditional_expression body: (_) @of alternative: (_) @of) @either
(conditional_expression condition: (_) @of !body alternative: (_) @of) @either
(binary_expression left: (_) @of operator: "??" right: (_) @of) @either
(match_expression body: (_) @of) @same
(match_block ((_) @of ","?)*) @either
(match_conditional_expression return_expression: (_) @of) @same
(match_default_expression return_expression: (_) @of) @same
(array_creation_expression . (array_element_initializer . (_) .) @of ","? ((array_element_initializer) @of ","?)*) @tuple
(array_creation_expression . (array_element_initializer . (_) . (_)) @of ","? ((array_element_initializer) @of ","?)*) @dict
(array_element_initializer . (_) @of .) @same
(array_element_initializer . (_) @key . (_) @of) @pair
(list_literal ((_) @of ","?)*) @tuple
(anonymous_function) @function
(arrow_function) @function

; types
(optional_type (_) @of) @same
(union_type ((_) @of "|"?)*) @either
(intersection_type ((_) @of "&"?)*) @either
(disjunctive_normal_form_type ((_) @of "|"?)*) @either
(type_list ((_) @of "|"?)*) @either

; where they go
(assignment_expression left: (_) @to right: (_) @from) @assign
(reference_assignment_expression left: (_) @to right: (_) @from) @assign
(augmented_assignment_expression left: (_) @to operator: "??=" right: (_) @from) @assign
(static_variable_declaration name: (_) @to value: (_) @from) @assign
(foreach_statement . (_) @from . [(variable_name) (by_ref) (list_literal)] @to) @for
(foreach_statement . (_) @from . (pair . (_) . (_) @to)) @for
(catch_clause type: (_) @type name: (_) @to) @catch
(property_declaration type: (_)? @type (property_element name: (variable_name (name) @to) default_value: (_)? @from)) @assign
(const_declaration (const_element . (name) @to . (_) @from)) @assign
(return_statement (_) @from) @return
(arrow_function body: (_) @from) @return
(yield_expression (array_element_initializer (_) @from .)) @yield
(yield_expression
  [(function_call_expression) (member_call_expression) (scoped_call_expression) (variable_name) (member_access_expression)
    (array_creation_expression)] @from) @yield.from
(binary_expression left: (_) @to operator: "instanceof" right: (_) @type) @narrow

(simple_parameter type: (_)? @type name: (variable_name (name) @name) default_value: (_)? @from) @param
(property_promotion_parameter type: (_)? @type name: [(variable_name (name) @name) (by_ref (variable_name (name) @name))]
  default_value: (_)? @from) @param
(variadic_parameter type: (_)? @type name: (variable_name (name) @name)) @param.rest
(function_definition return_type: (_) @type) @returns
(method_declaration return_type: (_) @type) @returns
(anonymous_function return_type: (_) @type) @returns
(arrow_function return_type: (_) @type) @returns

(class_declaration body: (_) @body) @class
(interface_declaration body: (_) @body) @class
(trait_declaration body: (_) @body) @class
(enum_declaration body: (_) @body) @class
(class_declaration (base_clause (_) @base)) @class
(class_declaration (class_interface_clause ((_) @base ","?)*)) @class
(class_declaration body: (declaration_list (use_declaration ((_) @base ","?)*))) @class
(interface_declaration (base_clause ((_) @base ","?)*)) @class
(trait_declaration body: (declaration_list (use_declaration ((_) @base ","?)*))) @class
(enum_declaration (class_interface_clause ((_) @base ","?)*)) @class
(enum_declaration body: (enum_declaration_list (use_declaration ((_) @base ","?)*))) @class
(anonymous_class body: (declaration_list) @class)
(anonymous_class (base_clause (_) @base) body: (declaration_list) @class)
(anonymous_class (class_interface_clause ((_) @base ","?)*) body: (declaration_list) @class)
(anonymous_class body: (declaration_list (use_declaration ((_) @base ","?)*)) @class)

; types declared in comments
((comment) @documented . (method_declaration) @definition (#match? @documented "@(param|return|phpstan|psalm)"))
((comment) @documented . (function_definition) @definition (#match? @documented "@(param|return|phpstan|psalm)"))
((comment) @documented . (property_declaration (property_element name: (variable_name (name) @to))) (#match? @documented "@var"))
((comment) @documented . (const_declaration (const_element . (name) @to)) (#match? @documented "@var"))
((comment) @documented . (expression_statement (assignment_expression left: (variable_name (name) @to))) (#match? @documented "@var"))
