// imports -> items/item.go, log/log.go, log/more.go
package main

import (
	"fmt"

	"example.org/shop/items"
	_ "example.org/shop/log"
)

func main() { fmt.Println(items.Make()) }
