import org.example.spi.Plugin;

/** Shapes and their plugins. */
@Deprecated
open module org.example.shapes {
    requires java.base;
    requires transitive java.sql;
    requires static java.compiler;
    exports org.example.shapes;
    exports org.example.internal to org.example.tests, org.example.tools;
    opens org.example.model;
    uses org.example.spi.Plugin;
    provides Plugin with org.example.plugins.Round;
    //                       ^ member
}
