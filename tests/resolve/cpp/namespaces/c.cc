int c() { return app::inner::helper(); }
//                           ^ -> nothing
