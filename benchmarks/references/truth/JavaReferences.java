// What every identifier of a Java source tree stands for, as the compiler attributes it.
//
//     java JavaReferences.java ROOT [FOLDER ...]   > identifiers.jsonl
//
// Compiles nothing. Reads all .java files beneath the folders (relative to ROOT; ROOT itself without any) as one
// compilation, lets javac attribute them, and prints one line of JSON for each identifier that stands for a type, method,
// constructor or field declared in these files, and one for each declaration itself. Lines count from 1, columns from 0
// in characters. Libraries that are not there cost what depends on them: such identifiers are not printed, and the count
// of errors goes to standard error. Locals, parameters, labels and doc comments are left out.

import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.tools.*;

public class JavaReferences {
    private static final Set<ElementKind> KINDS = EnumSet.of(
            ElementKind.CLASS, ElementKind.INTERFACE, ElementKind.ENUM, ElementKind.ANNOTATION_TYPE, ElementKind.RECORD,
            ElementKind.METHOD, ElementKind.CONSTRUCTOR, ElementKind.FIELD, ElementKind.ENUM_CONSTANT);

    private final Path root;
    private final Trees trees;
    private final javax.lang.model.util.Elements elements;
    private final SourcePositions positions;
    private final Map<URI, Text> texts = new HashMap<>();
    private final Map<Element, Optional<Declared>> declarations = new HashMap<>();
    private final PrintStream out;

    public static void main(String[] words) throws IOException {
        Path root = Path.of(words[0]).toRealPath();
        List<Path> folders = words.length == 1 ? List.of(root)
                : Arrays.stream(words).skip(1).map(root::resolve).collect(Collectors.toList());
        List<Path> files = new ArrayList<>();
        for (Path folder : folders) {
            try (Stream<Path> found = Files.walk(folder)) {
                // A module declaration would ask for modules that are not there.
                found.filter(file -> file.toString().endsWith(".java") && !file.endsWith("module-info.java"))
                        .sorted().forEach(files::add);
            }
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        StandardJavaFileManager manager =
                compiler.getStandardFileManager(problems, Locale.ROOT, StandardCharsets.UTF_8);
        List<String> options =
                List.of("-proc:none", "-implicit:none", "-Xlint:none", "-Xmaxerrs", "0", "-XDshould-stop.ifError=FLOW");
        JavacTask task = (JavacTask) compiler.getTask(
                null, manager, problems, options, null, manager.getJavaFileObjectsFromPaths(files));
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        JavaReferences reader = new JavaReferences(root, task, out);
        for (CompilationUnitTree unit : units) {
            reader.read(unit);
        }
        out.flush();
        long errors = problems.getDiagnostics().stream()
                .filter(problem -> problem.getKind() == Diagnostic.Kind.ERROR).count();
        System.err.println(files.size() + " files, " + errors + " errors");
    }

    private JavaReferences(Path root, JavacTask task, PrintStream out) {
        this.root = root;
        this.trees = Trees.instance(task);
        this.elements = task.getElements();
        this.positions = trees.getSourcePositions();
        this.out = out;
    }

    private void read(CompilationUnitTree unit) {
        Text text = text(unit);
        new TreePathScanner<Void, Void>() {
            @Override
            public Void visitIdentifier(IdentifierTree node, Void nothing) {
                tell(element(), positions.getStartPosition(unit, node), node.getName());
                return super.visitIdentifier(node, nothing);
            }

            @Override
            public Void visitMemberSelect(MemberSelectTree node, Void nothing) {
                tell(element(), endsWith(node, node.getIdentifier()), node.getIdentifier());
                return super.visitMemberSelect(node, nothing);
            }

            @Override
            public Void visitMemberReference(MemberReferenceTree node, Void nothing) {
                if (node.getMode() == MemberReferenceTree.ReferenceMode.INVOKE) {
                    tell(element(), endsWith(node, node.getName()), node.getName());
                } else {
                    tellConstructor(element(), node.getQualifierExpression());
                }
                return super.visitMemberReference(node, nothing);
            }

            @Override
            public Void visitNewClass(NewClassTree node, Void nothing) {
                // One of an anonymous class is its own, which nobody can name; its arguments choose one of the base.
                if (node.getClassBody() == null) {
                    tellConstructor(element(), node.getIdentifier());
                }
                return super.visitNewClass(node, nothing);
            }

            @Override
            public Void visitImport(ImportTree node, Void nothing) {
                if (node.isStatic() && node.getQualifiedIdentifier() instanceof MemberSelectTree) {
                    tellStaticImport((MemberSelectTree) node.getQualifiedIdentifier());
                }
                return super.visitImport(node, nothing);
            }

            @Override
            public Void visitClass(ClassTree node, Void nothing) {
                tellDeclared();
                return super.visitClass(node, nothing);
            }

            @Override
            public Void visitMethod(MethodTree node, Void nothing) {
                tellDeclared();
                return super.visitMethod(node, nothing);
            }

            @Override
            public Void visitVariable(VariableTree node, Void nothing) {
                tellDeclared();
                return super.visitVariable(node, nothing);
            }

            private Element element() {
                return trees.getElement(getCurrentPath());
            }

            private long endsWith(Tree node, Name name) {
                return positions.getEndPosition(unit, node) - name.length();
            }

            private void tellDeclared() {
                Element element = element();
                if (element != null) {
                    declared(element).ifPresent(found -> print(found.path, found.line, found.col, found));
                }
            }

            /** The name of a class stands for its constructor too, where one is written down. */
            private void tellConstructor(Element constructor, Tree type) {
                Tree bare = type;
                while (!(bare instanceof IdentifierTree || bare instanceof MemberSelectTree)) {
                    if (bare instanceof ParameterizedTypeTree) {
                        bare = ((ParameterizedTypeTree) bare).getType();
                    } else if (bare instanceof AnnotatedTypeTree) {
                        bare = ((AnnotatedTypeTree) bare).getUnderlyingType();
                    } else {
                        return;
                    }
                }
                if (bare instanceof IdentifierTree) {
                    tell(constructor, positions.getStartPosition(unit, bare), ((IdentifierTree) bare).getName());
                } else {
                    Name name = ((MemberSelectTree) bare).getIdentifier();
                    tell(constructor, endsWith(bare, name), name);
                }
            }

            /** It names all members of that name at once, and javac says of none that it is meant. */
            private void tellStaticImport(MemberSelectTree node) {
                TypeElement type = elements.getTypeElement(node.getExpression().toString());
                if (type != null) {
                    for (Element member : elements.getAllMembers(type)) {
                        if (member.getSimpleName().contentEquals(node.getIdentifier())) {
                            tell(member, endsWith(node, node.getIdentifier()), node.getIdentifier());
                        }
                    }
                }
            }

            private void tell(Element element, long offset, Name written) {
                // `this(...)`, `super.x` and their like name nothing; a type that was inferred is written nowhere.
                if (element == null || offset < 0 || !text.has((int) offset, written)
                        || written.contentEquals("this") || written.contentEquals("super")) {
                    return;
                }
                declared(element).ifPresent(found ->
                        print(text.path, text.line((int) offset), text.column((int) offset), found));
            }
        }.scan(unit, null);
    }

    private Optional<Declared> declared(Element element) {
        Optional<Declared> found = declarations.get(element);
        if (found == null) {
            found = KINDS.contains(element.getKind()) ? find(element) : Optional.empty();
            declarations.put(element, found);
        }
        return found;
    }

    private Optional<Declared> find(Element element) {
        TreePath path = trees.getPath(element);
        if (path == null || elements.getOrigin(element) != javax.lang.model.util.Elements.Origin.EXPLICIT) {
            return Optional.empty();
        }
        CompilationUnitTree unit = path.getCompilationUnit();
        Tree tree = path.getLeaf();
        boolean builds = element.getKind() == ElementKind.CONSTRUCTOR;
        Element named = builds ? element.getEnclosingElement() : element;
        String name = named.getSimpleName().toString();
        if (name.isEmpty()) {
            return Optional.empty();
        }
        long from = positions.getStartPosition(unit, tree);
        List<Tree> parts = new ArrayList<>();
        if (tree instanceof ClassTree) {
            parts.add(((ClassTree) tree).getModifiers());
        } else if (tree instanceof MethodTree) {
            parts.add(((MethodTree) tree).getModifiers());
            parts.addAll(((MethodTree) tree).getTypeParameters());
            parts.add(((MethodTree) tree).getReturnType());
        } else if (tree instanceof VariableTree && element.getKind() == ElementKind.FIELD) {
            parts.add(((VariableTree) tree).getModifiers());
            parts.add(((VariableTree) tree).getType());
        } else if (tree instanceof VariableTree) {
            parts.add(((VariableTree) tree).getModifiers());
        }
        for (Tree part : parts) {
            if (part != null) {
                from = Math.max(from, positions.getEndPosition(unit, part));
            }
        }
        Text text = text(unit);
        int at = text.next((int) from, name);
        if (at < 0) {
            return Optional.empty();
        }
        String kind = element.getKind().name().toLowerCase(Locale.ROOT);
        return Optional.of(new Declared(
                text.path, text.line(at), text.column(at), name, qualified(named) + (builds ? "." + name : ""), kind));
    }

    /** The names of what it is nested in, without the package. */
    private static String qualified(Element element) {
        Element outer = element.getEnclosingElement();
        boolean nested = outer instanceof TypeElement || outer instanceof ExecutableElement;
        return (nested ? qualified(outer) + "." : "") + element.getSimpleName();
    }

    private void print(String path, int line, int col, Declared target) {
        out.println("{\"path\": " + quoted(path) + ", \"line\": " + line + ", \"col\": " + col + ", \"target\": {"
                + "\"path\": " + quoted(target.path) + ", \"line\": " + target.line + ", \"col\": " + target.col
                + ", \"name\": " + quoted(target.name) + ", \"qualname\": " + quoted(target.qualname)
                + ", \"kind\": " + quoted(target.kind) + "}}");
    }

    private static String quoted(String text) {
        StringBuilder made = new StringBuilder("\"");
        for (char unit : text.toCharArray()) {
            if (unit == '"' || unit == '\\') {
                made.append('\\').append(unit);
            } else if (unit < ' ' || unit > '~') {
                made.append(String.format("\\u%04x", (int) unit));
            } else {
                made.append(unit);
            }
        }
        return made.append('"').toString();
    }

    private Text text(CompilationUnitTree unit) {
        return texts.computeIfAbsent(unit.getSourceFile().toUri(), uri -> {
            try {
                String path = root.relativize(Path.of(uri)).toString().replace(File.separatorChar, '/');
                return new Text(path, unit.getSourceFile().getCharContent(true).toString());
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        });
    }

    private record Declared(String path, int line, int col, String name, String qualname, String kind) {}

    /** One file; offsets count UTF-16 units, as javac does. */
    private static final class Text {
        final String path;
        private final String content;
        private final List<Integer> starts = new ArrayList<>(List.of(0));

        Text(String path, String content) {
            this.path = path;
            this.content = content;
            for (int at = content.indexOf('\n'); at >= 0; at = content.indexOf('\n', at + 1)) {
                starts.add(at + 1);
            }
        }

        int line(int offset) {
            int found = Collections.binarySearch(starts, offset);
            return found >= 0 ? found + 1 : -found - 1;
        }

        int column(int offset) {
            return content.codePointCount(starts.get(line(offset) - 1), offset);
        }

        boolean has(int offset, CharSequence name) {
            return content.startsWith(name.toString(), offset);
        }

        /** Where the name next stands as a word of its own, outside of comments. */
        int next(int from, String name) {
            int at = from;
            while (at < content.length()) {
                if (content.startsWith("//", at)) {
                    at = content.indexOf('\n', at);
                } else if (content.startsWith("/*", at)) {
                    at = content.indexOf("*/", at + 2) + 2;
                } else if (Character.isJavaIdentifierStart(content.charAt(at))) {
                    int end = at;
                    while (end < content.length() && Character.isJavaIdentifierPart(content.charAt(end))) {
                        end++;
                    }
                    if (content.substring(at, end).equals(name)) {
                        return at;
                    }
                    at = end;
                } else {
                    at++;
                }
                if (at < 0) {
                    return -1;
                }
            }
            return -1;
        }
    }
}
