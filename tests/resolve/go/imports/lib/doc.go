// Package lib is a library.
package lib
