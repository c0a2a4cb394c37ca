; scopes
(class_definition) @scope.class
(object_definition) @scope.class
(package_object) @scope.class
(trait_definition) @scope.class
(enum_definition) @scope.class
(given_definition body: (with_template_body)) @scope.class
(extension_definition) @scope.class
(instance_expression (template_body) @scope.class)
(function_definition) @scope.function
(lambda_expression) @scope.lambda
(block) @scope.block
(indented_block) @scope.block
(case_clause) @scope.block
(for_expression) @scope.block

; definitions
(class_definition
  name: (_) @name
  class_parameters: (class_parameters)* @params
  body: (_)? @body) @def.class
(object_definition name: (_) @name body: (_)? @body) @def.object
(package_object name: (_) @name body: (_)? @body) @def.object
(trait_definition name: (_) @name class_parameters: (class_parameters)* @params body: (_)? @body) @def.trait
(enum_definition name: (_) @name class_parameters: (class_parameters)* @params body: (_)? @body) @def.enum
(simple_enum_case name: (_) @name) @def.enum_member
(full_enum_case name: (_) @name class_parameters: (class_parameters)* @params) @def.enum_member
(type_definition name: (_) @name) @def.type
((function_definition
  name: (_) @name
  parameters: (parameters)* @params
  return_type: (_)? @returns
  body: (_)? @body) @def.function
  (#not-eq? @name "this"))
((function_definition name: (identifier) @name parameters: (parameters)* @params body: (_)? @body) @def.constructor
  (#eq? @name "this"))
(function_declaration
  name: (_) @name
  parameters: (parameters)* @params
  return_type: (_)? @returns) @def.function
(given_definition name: (_) @name body: (with_template_body) @body) @def.object
(given_definition name: (_) @name) @def.constant
(val_definition pattern: (_) @name) @def.constant
(val_declaration name: (_) @name) @def.constant
(var_definition pattern: (_) @name) @def.variable
(var_declaration name: (_) @name) @def.variable
(class_parameter ["val" "var"] name: (_) @name) @def.variable
(class_definition "case" class_parameters: (class_parameters (class_parameter name: (_) @name) @def.variable))

; nesting without a name of its own
(extension_definition parameters: (parameters (parameter type: (_) @name))) @container
(given_definition !name return_type: (_) @name body: (with_template_body)) @container

; annotations are inside of the definition that they decorate
(class_definition (annotation) @decorator) @wrapper @wrapped
(object_definition (annotation) @decorator) @wrapper @wrapped
(trait_definition (annotation) @decorator) @wrapper @wrapped
(enum_definition (annotation) @decorator) @wrapper @wrapped
(function_definition (annotation) @decorator) @wrapper @wrapped
(function_declaration (annotation) @decorator) @wrapper @wrapped
(val_definition (annotation) @decorator) @wrapper @wrapped
(val_declaration (annotation) @decorator) @wrapper @wrapped
(var_definition (annotation) @decorator) @wrapper @wrapped
(var_declaration (annotation) @decorator) @wrapper @wrapped
(type_definition (annotation) @decorator) @wrapper @wrapped
(given_definition (annotation) @decorator) @wrapper @wrapped

; imports; the hook reads the paths
(import_declaration) @import.scala_import
