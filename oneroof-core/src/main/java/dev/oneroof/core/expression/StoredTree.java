package dev.oneroof.core.expression;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * An expression as the catalog keeps it: nodes such as {@code {COERCEVIAIO :arg {VAR :vartype 17} :resulttype 25}}. Of each
 * node the kind, the plain fields and the nodes directly inside are read.
 */
final class StoredTree {
    // Each kind of node has one of these, or always gives the same type.
    private static final List<String> TYPE_FIELDS = List.of(
            ":vartype",
            ":consttype",
            ":funcresulttype",
            ":opresulttype",
            ":resulttype",
            ":casetype",
            ":coalescetype",
            ":minmaxtype",
            ":refrestype",
            ":array_typeid",
            ":row_typeid",
            ":typeId");

    /** They give what is in them. */
    private static final Set<String> WRAPPERS = Set.of("COLLATE", "COLLATEEXPR", "NAMEDARGEXPR", "JSONVALUEEXPR");

    /** They write a value as text by the output function of its type. */
    private static final Set<String> WRITERS = Set.of("COERCEVIAIO", "JSONCONSTRUCTOREXPR");

    private static final String ANY_FUNCTION = "0";

    private record Node(String kind, Map<String, String> fields, List<Node> inner) {
        Stream<Node> all() {
            return Stream.concat(Stream.of(this), inner.stream().flatMap(Node::all));
        }

        Stream<String> types() {
            if (WRAPPERS.contains(kind)) {
                return inner.stream().flatMap(Node::types);
            }
            return TYPE_FIELDS.stream().filter(fields::containsKey).limit(1).map(fields::get);
        }
    }

    /**
     * A value that may be written as text.
     *
     * @param function the oid of the function that takes it; 0 where it is written in any case
     * @param type the oid of its type
     */
    record Written(String function, String type) {}

    private final String text;
    private int at;

    private StoredTree(String text) {
        this.text = text;
    }

    /** The values that casts, JSON constructors and functions take; which of the functions write text, the catalog knows. */
    static List<Written> written(String stored) {
        return nodes(stored).flatMap(StoredTree::written).distinct().toList();
    }

    /** Whether it makes XML of values. The server does not look whether that depends on settings, and it does. */
    static boolean makesXml(String stored) {
        return nodes(stored).anyMatch(node -> node.kind().equals("XMLEXPR"));
    }

    private static Stream<Written> written(Node node) {
        String function = WRITERS.contains(node.kind())
                ? ANY_FUNCTION
                : node.fields().getOrDefault(":funcid", node.fields().get(":opfuncid"));
        return function == null
                ? Stream.empty()
                : node.inner().stream().flatMap(Node::types).map(type -> new Written(function, type));
    }

    private static Stream<Node> nodes(String stored) {
        Node root = new Node("", new LinkedHashMap<>(), new ArrayList<>());
        new StoredTree(stored).read(root);
        return root.all();
    }

    /** To the end of the node. A list in it is read as if its members stood there. */
    private void read(Node node) {
        String field = "";
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '}') {
                at++;
                return;
            }
            if (c == '{') {
                at++;
                Node inner = new Node(word(), new LinkedHashMap<>(), new ArrayList<>());
                node.inner().add(inner);
                read(inner);
                field = "";
            } else if (c == ' ' || c == '(' || c == ')' || c == '\n') {
                at++;
            } else if (field.isEmpty()) {
                String word = word();
                field = word.startsWith(":") ? word : "";
            } else {
                node.fields().put(field, word());
                field = "";
            }
        }
    }

    /** A backslash takes the next character with it. */
    private String word() {
        int start = at;
        while (at < text.length() && " (){}\n".indexOf(text.charAt(at)) < 0) {
            at += text.charAt(at) == '\\' ? 2 : 1;
        }
        at = Math.min(at, text.length());
        return text.substring(start, at);
    }
}
