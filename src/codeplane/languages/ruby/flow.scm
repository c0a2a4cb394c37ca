; values
(self) @this
(instance_variable) @own
(class_variable) @own
(call receiver: (_) @of method: (identifier) @name arguments: (argument_list ((_) @arg ","?)*)?) @send
(call !receiver method: (identifier) @name arguments: (argument_list ((_) @arg ","?)*)?) @send.own
(assignment left: (call receiver: (_) @of method: (identifier) @name) @member.put)
(operator_assignment left: (call receiver: (_) @of method: (identifier) @name) @member.put)
(scope_resolution scope: (_) @of name: (constant) @name) @member
(scope_resolution !scope name: (constant) @name) @path
(argument_list (pair key: (hash_key_symbol) @label value: (_) @of) @labelled)
(splat_argument (_) @of) @splat
(hash_splat_argument (_) @of) @splat.keys
(element_reference object: (_) @of . ((_) @key ","?)*) @item
(parenthesized_statements (_) @of .) @same
(assignment right: (_) @of) @same
(operator_assignment right: (_) @of) @same
(conditional consequence: (_) @of alternative: (_) @of) @either
(binary left: (_) @of operator: ["||" "or"] right: (_) @of) @either
(binary operator: ["&&" "and"] right: (_) @of) @same
(if consequence: (_) @of alternative: (_)? @of) @either
(unless consequence: (_) @of alternative: (_)? @of) @either
(elsif consequence: (_) @of alternative: (_)? @of) @either
(then (_) @of .) @same
(else (_) @of .) @same
(case (when body: (_) @of)+ (else)? @of) @either
(begin . (_) @of .) @same
(array ((_) @of ","?)*) @tuple
(left_assignment_list ((_) @of ","?)*) @tuple
(hash ((_) @of ","?)*) @dict
(hash (pair key: (_) @key value: (_) @of) @pair)
(lambda) @function

; where they go
(assignment left: (_) @to right: (_) @from) @assign
(operator_assignment left: (_) @to operator: "||=" right: (_) @from) @assign
(rescue exceptions: (exceptions (_) @type) variable: (exception_variable (_) @to)) @catch
(return (argument_list . (_) @from .)) @return
(method body: (body_statement (_) @from @return .))
(singleton_method body: (body_statement (_) @from @return .))

(method_parameters (identifier) @name @param)
(method_parameters (optional_parameter name: (identifier) @name value: (_) @from) @param)
(method_parameters (keyword_parameter name: (identifier) @name value: (_)? @from) @param)
(method_parameters (splat_parameter name: (identifier) @name) @param.rest)
(method_parameters (hash_splat_parameter name: (identifier) @name) @param.keys)

(class superclass: (superclass (_) @base)) @class
((class body: (body_statement (call !receiver method: (identifier) @_word arguments: (argument_list ((_) @base ","?)*)))) @mixed
  (#any-of? @_word "include" "prepend"))
((module body: (body_statement (call !receiver method: (identifier) @_word arguments: (argument_list ((_) @base ","?)*)))) @mixed
  (#any-of? @_word "include" "prepend"))
((class body: (body_statement (call !receiver method: (identifier) @_word arguments: (argument_list ((_) @base ","?)*)))) @extended
  (#eq? @_word "extend"))
((module body: (body_statement (call !receiver method: (identifier) @_word arguments: (argument_list ((_) @base ","?)*)))) @extended
  (#eq? @_word "extend"))
((class body: (body_statement (singleton_class body: (body_statement
    (call !receiver method: (identifier) @_word arguments: (argument_list ((_) @base ","?)*)))))) @extended
  (#any-of? @_word "include" "prepend"))
((module body: (body_statement (singleton_class body: (body_statement
    (call !receiver method: (identifier) @_word arguments: (argument_list ((_) @base ","?)*)))))) @extended
  (#any-of? @_word "include" "prepend"))
