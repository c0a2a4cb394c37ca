<?php
new Foo();
//  ^ -> nothing
