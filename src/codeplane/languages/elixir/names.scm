(identifier) @name
(alias) @type

(dot right: (identifier) @member)

(call target: (identifier) @call)
(call target: (dot right: (identifier) @call))

; words of the language, and attributes that it gives a meaning to
((call target: (identifier) @none)
  (#any-of? @none
    "alias" "case" "cond" "def" "defdelegate" "defexception" "defguard" "defguardp" "defimpl" "defmacro"
    "defmacrop" "defmodule" "defp" "defprotocol" "defstruct" "for" "if" "import" "quote" "require" "try"
    "unless" "unquote" "use" "with"))
((unary_operator operator: "@" operand: (call target: (identifier) @none))
  (#any-of? @none
    "behaviour" "callback" "deprecated" "derive" "doc" "impl" "macrocallback" "moduledoc" "opaque"
    "since" "spec" "type" "typedoc" "typep"))
