; scopes
(function match: (_)) @scope.function
(declarations (bind match: (_)) @scope.function)
(class_declarations (bind match: (_)) @scope.function)
(instance_declarations (bind match: (_)) @scope.function)
(data_type) @scope.class
(newtype) @scope.class
(class) @scope.class
(instance) @scope.class

; the module; no identifier is its name, each is a part of it
(header module: (_) @implied) @def.module

; types
(data_type name: (name) @name constructors: (_)? @body) @def.struct
(data_type (infix operator: (_) @name) constructors: (_)? @body) @def.struct
(newtype name: (name) @name constructor: (_) @body) @def.struct
(type_synonym name: (name) @name) @def.type
(type_family name: (name) @name closed_family: (_)? @body) @def.type
(data_family name: (name) @name) @def.type
(class name: (name) @name declarations: (_)? @body) @def.trait
(data_constructor constructor: (prefix name: (_) @name)) @def.constructor
(data_constructor constructor: (record name: (_) @name)) @def.constructor
(data_constructor constructor: (infix operator: (_) @name)) @def.constructor
(newtype_constructor name: (constructor) @name) @def.constructor
(gadt_constructor name: (_) @name) @def.constructor
(gadt_constructor names: (binding_list name: (_) @name)) @def.constructor
(field name: (field_name (variable) @name)) @def.field
(pattern_synonym (signature synonym: (constructor) @name)) @def.constructor
(pattern_synonym (equation synonym: [
  (constructor) @name
  (apply function: (constructor) @name)
  (apply function: (apply function: (constructor) @name))
  (infix operator: (constructor_operator) @name)])) @def.constructor

; functions: signatures and equations; those of a `where` when they have parameters
(declarations (signature name: (variable) @name type: (_) @returns) @def.function)
(declarations (signature name: (prefix_id (_) @name) type: (_) @returns) @def.function)
(declarations (signature names: (binding_list name: (variable) @name @def.function)))
(declarations (bind name: (variable) @name match: (_) @body) @def.function)
(declarations (bind name: (prefix_id (_) @name) match: (_) @body) @def.function)
(class_declarations (signature name: (variable) @name type: (_) @returns) @def.function)
(class_declarations (signature name: (prefix_id (_) @name) type: (_) @returns) @def.function)
(class_declarations (signature names: (binding_list name: (variable) @name @def.function)))
(class_declarations (bind name: (variable) @name match: (_) @body) @def.function)
(class_declarations (bind name: (prefix_id (_) @name) match: (_) @body) @def.function)
(instance_declarations (signature name: (variable) @name type: (_) @returns) @def.function)
(instance_declarations (signature name: (prefix_id (_) @name) type: (_) @returns) @def.function)
(instance_declarations (signature names: (binding_list name: (variable) @name @def.function)))
(instance_declarations (bind name: (variable) @name match: (_) @body) @def.function)
(instance_declarations (bind name: (prefix_id (_) @name) match: (_) @body) @def.function)
(foreign_import signature: (signature name: (variable) @name)) @def.function
(function name: (variable) @name patterns: (_)? @params match: (_) @body) @def.function
(function name: (prefix_id (_) @name) patterns: (_)? @params match: (_) @body) @def.function
(function (infix operator: (operator) @name) match: (_) @body) @def.function
(function (infix operator: (infix_id (variable) @name)) match: (_) @body) @def.function

; an instance belongs to its (first) type; to its class where that has no name, which is found last
(instance patterns: (type_patterns . [(name) @name (qualified id: (name) @name)])) @container
(instance patterns: (type_patterns . (parens type: [(name) @name (qualified id: (name) @name)]))) @container
(instance patterns: (type_patterns . (parens type: (apply constructor: [(name) @name (qualified id: (name) @name)])))) @container
(instance patterns: (type_patterns . (parens type: (apply constructor: (apply constructor: [(name) @name (qualified id: (name) @name)]))))) @container
(instance patterns: (type_patterns . (parens type: (apply constructor: (apply constructor: (apply constructor: [(name) @name (qualified id: (name) @name)])))))) @container
(instance name: [(name) @name (qualified id: (name) @name)] declarations: (_)) @container

; exports
(export variable: (variable) @name) @export.module_header
(export type: (name) @name) @export.module_header
(export operator: (prefix_id (_) @name)) @export.module_header
(export children: (children element: [(constructor) (variable)] @name)) @export.module_header
(module_export module: (_) @source) @reexport.module_export

; imports; the hook reads the lists
(import) @import.haskell_import
