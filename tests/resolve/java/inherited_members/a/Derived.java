package a;
class Derived extends Base {
  void run() {
    act();
//  ^ -> a/Base.java#Base.act
    held = 1;
//  ^ -> a/Base.java#Base.held
    Kept kept;
//  ^ -> a/Base.java#Base.Kept
    Runnable later = new Runnable() {
      public void run() { act(); }
      //                  ^ -> a/Base.java#Base.act
    };
    Base other = new Base() {
      void act() { super.act(); }
      void more() { act(); }
    };
    this.act();
    //   ^ -> a/Base.java#Base.act
    toString();
//  ^ -> nothing
  }
}
