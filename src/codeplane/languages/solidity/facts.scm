; scopes
(contract_declaration) @scope.class
(interface_declaration) @scope.class
(library_declaration) @scope.class
(struct_declaration) @scope.class
(enum_declaration) @scope.class
(function_definition) @scope.function
(constructor_definition) @scope.function
(modifier_definition) @scope.function
(fallback_receive_definition) @scope.function

; definitions
(contract_declaration name: (identifier) @name body: (_) @body) @def.class
(interface_declaration name: (identifier) @name body: (_) @body) @def.interface
(library_declaration name: (identifier) @name body: (_) @body) @def.class
(struct_declaration name: (identifier) @name body: (_) @body) @def.struct
(struct_member name: (identifier) @name) @def.field
(enum_declaration name: (identifier) @name body: (_) @body) @def.enum
(enum_value) @name @def.enum_member
(event_definition name: (identifier) @name) @def.type
(error_declaration name: (identifier) @name) @def.type
(user_defined_type_definition name: (identifier) @name) @def.type
(function_definition name: (identifier) @name "(" @params ")" @params body: (_)? @body) @def.function
(modifier_definition name: (identifier) @name body: (_)? @body) @def.function
(constructor_definition "constructor" @name "(" @params ")" @params body: (_)? @body) @def.constructor
(state_variable_declaration name: (identifier) @name) @def.variable
(constant_variable_declaration name: (identifier) @name) @def.constant

; imports
(import_directive source: (string) @source) @import.solidity_import @star
