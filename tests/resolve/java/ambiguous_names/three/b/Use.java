package b;
import a.Thing;
//       ^ -> nothing
class Use {}
