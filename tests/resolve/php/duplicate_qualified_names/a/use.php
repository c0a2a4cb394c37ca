<?php
new Foo();
//  ^ -> a/Foo.php#Foo
