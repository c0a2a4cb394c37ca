(identifier) @name
((type_identifier) @type (#not-eq? @type "var"))

(marker_annotation name: (identifier) @type)
(annotation name: (identifier) @type)
(annotation name: (scoped_identifier scope: (identifier) @type))
(marker_annotation name: (scoped_identifier scope: (identifier) @type))
(record_pattern . (identifier) @type)
(uses_module_directive (identifier) @type)
(provides_module_directive (identifier) @type)

(field_access field: (identifier) @member)
(method_invocation object: (_) name: (identifier) @member)
(method_reference "::" (identifier) @member)
; not the last part of an import, which is the name that it binds
(scoped_identifier scope: (scoped_identifier name: (identifier) @member))
(package_declaration (scoped_identifier name: (identifier) @member))
(annotation name: (scoped_identifier name: (identifier) @member))
(marker_annotation name: (scoped_identifier name: (identifier) @member))
(module_declaration name: (scoped_identifier name: (identifier) @member))
(module_body (_ (scoped_identifier name: (identifier) @member)))
(scoped_type_identifier "." (type_identifier) @member)
; an enum's constants are named without the enum: which one depends on the type of the selector
(switch_label (identifier) @member)
; `outer.new Inner()`: looked up in the type of `outer`
(object_creation_expression "." type: (type_identifier) @member)
; every class, or every enum, has these without saying so: the innermost one answers, not the one that declares them
((method_invocation !object name: (identifier) @member)
  (#any-of? @member
    "getClass" "hashCode" "equals" "toString" "clone" "notify" "notifyAll" "wait" "finalize"
    "values" "valueOf" "name" "ordinal" "compareTo" "getDeclaringClass" "describeConstable"))

(element_value_pair key: (identifier) @label)
(labeled_statement . (identifier) @label)
(break_statement (identifier) @label)
(continue_statement (identifier) @label)

(method_invocation name: (identifier) @call)
