(type_assertion (type_arguments . (_) @type) . (_) @of) @cast
