package http
//      ^ label

import "fmt"
import str "strings"
import (
	"math/rand/v2"
	"net/http"

	_ "embed"
	. "path/filepath"

	"github.com/google/go-cmp/cmp"
	"github.com/labstack/echo/v4"
	yaml2 "gopkg.in/yaml.v2"
//^ import gopkg.in/yaml.v2 gopkg.in/yaml.v2
	"gopkg.in/yaml.v3"
	`example.org/go-raw`
)

import "C"

var client = http.Client{Timeout: 3}
//           ^ import net/http net/http
//                ^ member
//                       ^ label

func use(req *http.Request, fmt fmt.Stringer) {
//            ^ import net/http net/http
//                 ^ member
//                              ^ import fmt fmt
	str.ToUpper(fmt.String())
//^ import strings strings
	//  ^ member_call
	rand.N(10)
//^ import math/rand/v2 math/rand/v2
	cmp.Diff(1, 2)
//^ import github.com/google/go-cmp/cmp github.com/google/go-cmp/cmp
//^ -> None ?
	echo.New()
//^ import github.com/labstack/echo/v4 github.com/labstack/echo/v4
	yaml.Marshal(yaml2.Foo)
//^ -> None ?
	//           ^ -> 15
	raw.Do()
//^ import example.org/go-raw example.org/go-raw
	Join("a", "b")
//^ unknown
	_ = C.int(1)
	//  ^ import C C
	embed.FS{}
//^ unknown
	http := http.StatusOK
	//      ^ import net/http net/http
	_ = http
	//  ^ -> 53
}
