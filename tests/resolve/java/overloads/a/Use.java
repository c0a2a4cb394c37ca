package a;
class Use {
  void run(Writer writer, long wide, int[] many, Use use) {
    writer.put(1);
    //     ^ -> a/Writer.java#Writer.put@3
    writer.put(wide);
    //     ^ -> a/Writer.java#Writer.put@4
    writer.put("x");
    //     ^ -> a/Writer.java#Writer.put@5
    writer.put("x" + wide);
    //     ^ -> a/Writer.java#Writer.put@5
    writer.put(use);
    //     ^ -> a/Writer.java#Writer.put@6
    writer.put(many);
    //     ^ -> a/Writer.java#Writer.put@7
    writer.put("x", 1, 2);
    //     ^ -> a/Writer.java#Writer.put@8
    writer.put(1).put(wide);
    //     ^ -> a/Writer.java#Writer.put@3
    writer.put(Integer.valueOf(1));
    //     ^ -> a/Writer.java#Writer.put@6
  }
}
