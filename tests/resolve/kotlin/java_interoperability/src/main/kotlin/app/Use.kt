package app
fun use(main: Main) = main.run(geo.all)
//            ^ -> src/main/java/app/Main.java#Main
//                         ^ -> src/main/java/app/Main.java#Main.run
