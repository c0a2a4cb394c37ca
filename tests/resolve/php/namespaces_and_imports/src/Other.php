<?php
namespace App;
use App\Model\{Shape, Circle as Round};
//             ^ -> src/Shape.php#Shape
//                    ^ -> src/Shape.php#Circle
//                              ^ -> src/Shape.php#Circle
use function App\Model\area;
//                     ^ -> src/Shape.php#area
use App\Model as M;
new Round();
//  ^ -> src/Shape.php#Circle
area();
// <- src/Shape.php#area
new M\Shape();
//    ^ -> src/Shape.php#Shape
new Model\Circle();
//        ^ -> src/Shape.php#Circle
new \App\Model\Shape();
//             ^ -> src/Shape.php#Shape
new namespace\Model\Shape();
//                  ^ -> src/Shape.php#Shape
new Circle();
//  ^ -> nothing
\App\Model\area();
//         ^ -> src/Shape.php#area
