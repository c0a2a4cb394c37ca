package lib
var Hidden = hidden
//           ^ -> lib/lib.go#hidden
