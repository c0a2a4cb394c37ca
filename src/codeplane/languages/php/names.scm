; a name without a `$` is a constant, unless a pattern below says otherwise
(name) @name @as_type
(variable_name (name) @as_value)
(dynamic_variable_name (name) @as_value)
((variable_name (name) @none) (#eq? @none "this"))
(name (variable_name)) @none

(named_type (name) @type)
((named_type (name) @none) (#any-of? @none "self" "static" "parent"))
(base_clause (name) @type)
(class_interface_clause (name) @type)
(use_declaration (name) @type)
(attribute (name) @type)
(object_creation_expression (name) @type)
; by its operator, not by the expression: these nest in each other, as deep as a chain of calls is long
("instanceof" . (name) @type)
(scoped_call_expression scope: (name) @type)
(scoped_property_access_expression scope: (name) @type)
(class_constant_access_expression . (name) @type)
(use_instead_of_clause (class_constant_access_expression) (name) @type)

("->" . (name) @member)
("?->" . (name) @member)
(scoped_call_expression name: (name) @member)
(scoped_property_access_expression name: (variable_name (name) @member))
(class_constant_access_expression (_) (name) @member)
((class_constant_access_expression (_) (name) @none) (#eq? @none "class"))
(use_as_clause (name) @member)
(namespace_definition name: (namespace_name (name) @member))

; of a qualified name only the first part can be looked up in the file, and it means a namespace
(qualified_name (name) @member)
(relative_name (name) @member)
(namespace_name (name) (name) @member)
(namespace_name . (name) @as_callable)
(qualified_name . "\\" . (namespace_name . (name) @member))

(argument name: (name) @label)
(named_label_statement (name) @label)
(goto_statement (name) @label)
(encapsed_string (subscript_expression (_) (name) @label))
(heredoc_body (subscript_expression (_) (name) @label))
(property_hook (name) @none)
; `define('NAME', 1)`
((function_call_expression function: (name) @_define
    arguments: (arguments . (argument (string . (string_content) @name @as_type .))))
  (#eq? @_define "define"))

(function_call_expression function: (name) @macro)
((name) @call . (arguments))
