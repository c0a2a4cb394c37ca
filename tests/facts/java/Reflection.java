package org.example;

import java.util.*;
import java.util.Map.Entry;
import static org.example.Flow.*;
import static org.junit.Assert.fail;
import static org.other.Assert.fail;
import Unpackaged;

public class Reflection {
    Entry entry = Unpackaged.make();
    //            ^ import Unpackaged Unpackaged

    Object load(String name) throws Exception {
        fail();
        // ^ import org.junit.Assert fail
        Class<?> type = Class.forName("org.example.Flow");
        type.getMethod(name + "x").invoke(this);
        type.getDeclaredField("item").get(null);
        lookup.findVirtual(Flow.class, "same", null);
        Charset.forName("UTF-8");
        java.util.List<Object> list = loader.loadClass(name);
        //   ^ member
        return (@Named("x") Object) list;
        //       ^ type
    }
}
