(identifier) @name

(attribute attribute: (identifier) @member)
(keyword_argument name: (identifier) @label)
(keyword_pattern . (identifier) @label)

(call function: (identifier) @call)
(call function: (attribute attribute: (identifier) @call))
(decorator (identifier) @call)
(decorator (attribute attribute: (identifier) @call))
