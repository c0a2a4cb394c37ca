(identifier) @name
(attribute attribute: (identifier) @member)
(keyword_argument name: (identifier) @label)
(call function: (identifier) @call)
(call function: (attribute attribute: (identifier) @call))
