<?php
namespace App\Model;
new Shape();
//  ^ -> src/Shape.php#Shape
area();
// <- src/Shape.php#area
helper();
// <- src/helpers.php#helper
echo SIDES;
//   ^ -> src/Shape.php#SIDES
echo VERSION;
//   ^ -> src/helpers.php#VERSION
strlen('x');
// <- nothing
