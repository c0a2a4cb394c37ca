use my_core::Engine;
//           ^ -> core/src/lib.rs#Engine
fn f(e: &renamed::Engine) { e.run(); }
//                ^ -> core/src/lib.rs#Engine
//                            ^ -> core/src/lib.rs#Engine.run
