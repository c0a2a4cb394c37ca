<?php
namespace One { class Thing {} }
namespace Two { new Thing(); }
//                  ^ -> nothing
namespace Three { use One\Thing; new Thing(); }
//                        ^ -> #One.Thing
