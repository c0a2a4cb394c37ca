; scopes
((call target: (identifier) @_word (do_block)) @scope.namespace (#any-of? @_word "defmodule" "defprotocol" "defimpl"))
((call target: (identifier) @_word (arguments . [(call) (binary_operator) (identifier)])) @scope.function
  (#any-of? @_word "def" "defp" "defmacro" "defmacrop"))
((call target: (identifier) @_word (do_block)) @scope.function (#any-of? @_word "test" "quote"))
(anonymous_function) @scope.lambda

; modules
((call target: (identifier) @_word (arguments . (alias) @name) (do_block) @body) @def.module
  (#eq? @_word "defmodule"))
((call target: (identifier) @_word (arguments . (alias) @name) (do_block) @body) @def.interface
  (#eq? @_word "defprotocol"))
((call target: (identifier) @_word (arguments . (alias) @implied) (do_block) @body) @def.module
  (#eq? @_word "defimpl"))

; functions and macros: with parameters or without, with a guard or without, and operators
((call target: (identifier) @_word (arguments . (call target: (identifier) @name (arguments) @params) (keywords)? @body) (do_block)? @body) @def.function
  (#any-of? @_word "def" "defp" "defdelegate"))
((call target: (identifier) @_word (arguments . (binary_operator left: (call target: (identifier) @name (arguments) @params) operator: "when") (keywords)? @body) (do_block)? @body) @def.function
  (#any-of? @_word "def" "defp" "defdelegate"))
((call target: (identifier) @_word (arguments . (identifier) @name (keywords)? @body) (do_block)? @body) @def.function
  (#any-of? @_word "def" "defp" "defdelegate"))
((call target: (identifier) @_word (arguments . (binary_operator left: (identifier) @name operator: "when") (keywords)? @body) (do_block)? @body) @def.function
  (#any-of? @_word "def" "defp" "defdelegate"))
((call target: (identifier) @_word (arguments . (call target: (identifier) @name (arguments) @params) (keywords)? @body) (do_block)? @body) @def.macro
  (#any-of? @_word "defmacro" "defmacrop" "defguard" "defguardp"))
((call target: (identifier) @_word (arguments . (binary_operator left: (call target: (identifier) @name (arguments) @params) operator: "when") (keywords)? @body) (do_block)? @body) @def.macro
  (#any-of? @_word "defmacro" "defmacrop" "defguard" "defguardp"))
((call target: (identifier) @_word (arguments . (identifier) @name (keywords)? @body) (do_block)? @body) @def.macro
  (#any-of? @_word "defmacro" "defmacrop" "defguard" "defguardp"))
((call target: (identifier) @_word (arguments . (binary_operator left: (identifier) @name operator: "when") (keywords)? @body) (do_block)? @body) @def.macro
  (#any-of? @_word "defmacro" "defmacrop" "defguard" "defguardp"))
((call target: (identifier) @_word (arguments . (binary_operator operator: _ @name) (keywords)? @body) (do_block)? @body)
  @def.function (#any-of? @_word "def" "defp" "defmacro" "defmacrop") (#not-eq? @name "when"))

; fields of a struct
((call target: (identifier) @_word @implied (arguments)) @def.struct (#any-of? @_word "defstruct" "defexception"))
((call target: (identifier) @_word (arguments . (list) @name @def.field))
  (#any-of? @_word "defstruct" "defexception"))
((call target: (identifier) @_word (arguments . (keywords (pair) @name @def.field)))
  (#any-of? @_word "defstruct" "defexception"))

; attributes: types, callbacks, constants
((unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments (binary_operator
  left: [(identifier) @name (call target: (identifier) @name)] operator: "::")))) @def.type
  (#any-of? @_word "type" "typep" "opaque"))
((unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments [
  (binary_operator left: (call target: (identifier) @name (arguments) @params) operator: "::")
  (binary_operator left:
    (binary_operator left: (call target: (identifier) @name (arguments) @params) operator: "::") operator: "when")
  ]))) @def.method
  (#any-of? @_word "callback" "macrocallback"))
((unary_operator operator: "@" operand: (call target: (identifier) @name (arguments))) @def.constant
  (#not-match? @name "^(?:after_compile|after_verify|before_compile|behaviour|callback|compile|deprecated|derive|describetag|dialyzer|doc|enforce_keys|external_resource|fallback_to_any|for|impl|macrocallback|moduledoc|moduletag|nifs|on_definition|on_load|opaque|optional_callbacks|protocol|since|spec|tag|type|typedoc|typep|vsn)$"))

; documentation and other attributes precede their definition, in any order
((unary_operator operator: "@" operand: (call target: (identifier) @_word)) @wrapper
  . (comment)* . [(unary_operator) (call)] @wrapped
  (#any-of? @_word "doc" "typedoc"))
((unary_operator operator: "@" operand: (call target: (identifier) @_word
  (arguments . [(string . (quoted_content) @doc) (sigil (quoted_content) @doc)]))) @wrapper
  . (comment)* . [(unary_operator) (call)] @wrapped
  (#any-of? @_word "doc" "typedoc"))
((unary_operator operator: "@" operand: (call target: (identifier) @_word)) @wrapper @decorator
  . (comment)* . [(unary_operator) (call)] @wrapped
  (#any-of? @_word "spec" "impl" "deprecated" "since" "dialyzer"))
((call (do_block (unary_operator operator: "@" operand: (call target: (identifier) @_word
  (arguments . [(string . (quoted_content) @doc) (sigil (quoted_content) @doc)]))))) @wrapper @wrapped
  (#eq? @_word "moduledoc"))

; imports; the hook reads the arguments
((call target: (identifier) @_word (arguments . [(alias) (dot)])) @import.elixir
  (#any-of? @_word "alias" "import" "require" "use"))
