class Other { Square square; }
//            ^ -> nothing
