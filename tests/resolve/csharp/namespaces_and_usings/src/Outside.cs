namespace App;
class Outside { Square square; }
//              ^ -> nothing
