package a;
import lib.Unknown;
class Use { void run(Sink sink, Unknown other) { sink.put(other.value()); } }
//                                                    ^ -> a/Sink.java#Sink.put@3, a/Sink.java#Sink.put@4 ?
