<?php
namespace Lib;
class Foo {
    function go() {}
}
class Bar {
    function go() {}
}
