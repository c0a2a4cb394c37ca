package b;
import a.Thing;
class Near { Thing thing; }
//           ^ -> two/a/Thing.java#Thing
