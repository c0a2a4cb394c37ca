// imports -> items/item.go
package items_test

import . "example.org/shop/items"

var made = Make()
