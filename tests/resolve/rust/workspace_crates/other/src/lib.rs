use my_core::Engine;
//           ^ -> nothing
