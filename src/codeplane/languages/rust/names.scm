(identifier) @name
(shorthand_field_identifier) @name
(field_declaration name: (field_identifier) @name)
(type_identifier) @type

; paths: the first segment is a module or a type, the others belong to the one before
(scoped_identifier path: (identifier) @type)
(scoped_identifier name: (identifier) @member)
(scoped_type_identifier path: (identifier) @type)
(scoped_type_identifier name: (type_identifier) @member)

(field_expression field: (field_identifier) @member)
(field_initializer field: (field_identifier) @label)
(field_pattern name: (field_identifier) @label)
(type_binding name: (type_identifier) @label)

(lifetime (identifier) @none)
(label (identifier) @none)
((const_item name: (identifier) @none) (#eq? @none "_"))
((use_as_clause alias: (identifier) @none) (#eq? @none "_"))

(call_expression function: (identifier) @call)
(call_expression function: (scoped_identifier name: (identifier) @call))
(call_expression function: (field_expression field: (field_identifier) @call))
(generic_function function: (identifier) @call)
(generic_function function: (scoped_identifier name: (identifier) @call))
(generic_function function: (field_expression field: (field_identifier) @call))

; a macro of the prelude is `std`'s, even if another item of its name is imported (`std::fs::write`)
(macro_invocation macro: (identifier) @macro)
((macro_invocation macro: (identifier) @member)
  (#any-of? @member
    "assert" "assert_eq" "assert_ne" "cfg" "column" "compile_error" "concat" "dbg" "debug_assert" "debug_assert_eq"
    "debug_assert_ne" "env" "eprint" "eprintln" "file" "format" "format_args" "include" "include_bytes" "include_str"
    "line" "matches" "module_path" "option_env" "panic" "print" "println" "stringify" "thread_local" "todo"
    "unimplemented" "unreachable" "vec" "write" "writeln"))
(macro_invocation macro: (scoped_identifier name: (identifier) @call))
(attribute . (identifier) @macro)

; Tokens of a macro, as far as they can be distinguished. Without a capture of its own a leading token
; would be matched only once in each tree.
(token_tree "." @_token . (identifier) @member)
(token_tree "::" @_token . (identifier) @member)
(token_repetition "." @_token . (identifier) @member)
(token_repetition "::" @_token . (identifier) @member)
(token_tree (identifier) @type . "::")
(token_tree (identifier) @label . ":")
(token_tree (identifier) @label . "=")
(token_tree (identifier) @call . (token_tree . "("))
(token_tree (identifier) @macro . "!" . (token_tree))
(token_tree_pattern (identifier) @label)
(token_repetition_pattern (identifier) @label)
((token_tree (identifier) @none) (#any-of? @none "else" "in" "move" "ref" "dyn"))
