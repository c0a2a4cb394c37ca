#![allow(dead_code)]
//       ^ -> nothing
some::make!(thing);
//          ^ -> nothing
