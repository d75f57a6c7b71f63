package io.hypersync.model.state;

import io.hypersync.model.hash.Hash;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * A state as text: the visible fields for every path; an orphan's path is # and its inode number.
 * The difference of two of them shows everything that an op has changed and nothing else.
 */
final class StateText {
  private final Map<String, Map<String, String>> paths = new TreeMap<>();
  private final Map<Hash, String> chunkNames;

  private StateText(Map<Hash, String> chunkNames) {
    this.chunkNames = chunkNames;
  }

  /**
   * The text of a whole state.
   *
   * @param chunkNames the names under which chunks appear, by hash
   */
  static StateText of(FsState state, Map<Hash, String> chunkNames) {
    StateText text = new StateText(chunkNames);
    text.walk(state, "", Objects.requireNonNull(state.node(FsState.ROOT)));
    for (Node node : state.nodes()) {
      if (node.isOrphan()) {
        text.paths.put("#" + node.inode(), text.fields(node));
      }
    }
    return text;
  }

  /**
   * One line per path that differs: {@code /path field=new ...} if it existed before, {@code
   * +/path} with all its fields, except times equal to {@code now}, if it is new, {@code -/path} if
   * it is gone.
   */
  List<String> changesTo(StateText after, long now) {
    List<String> lines = new ArrayList<>();
    Map<String, Map<String, String>> all = new TreeMap<>(paths);
    all.putAll(after.paths);
    for (String path : all.keySet()) {
      Map<String, String> old = paths.get(path);
      Map<String, String> changed = after.paths.get(path);
      if (changed == null) {
        lines.add("-" + path);
      } else if (old == null) {
        lines.add("+" + path + describe(changed, Map.of(), now));
      } else if (!old.equals(changed)) {
        lines.add(path + describe(changed, old, now));
      }
    }
    return lines;
  }

  private static String describe(Map<String, String> fields, Map<String, String> old, long now) {
    StringBuilder line = new StringBuilder();
    fields.forEach(
        (field, value) -> {
          boolean timeNow = field.endsWith("time") && value.equals(Long.toString(now));
          if (value.equals(old.get(field)) || (old.isEmpty() && (value.isEmpty() || timeNow))) {
            return;
          }
          boolean plain = old.isEmpty() && !field.endsWith("time") && !field.equals("nlink");
          line.append(' ').append(plain && isObvious(field) ? "" : field + "=");
          line.append(timeNow ? "now" : value);
        });
    return line.toString();
  }

  private static boolean isObvious(String field) {
    return field.equals("type") || field.equals("mode") || field.equals("owner");
  }

  private void walk(FsState state, String path, Node node) {
    paths.put(path.isEmpty() ? "/" : path, fields(node));
    if (node.content() instanceof NodeContent.Directory directory) {
      for (DirEntry entry : directory.entries()) {
        Node child = Objects.requireNonNull(state.node(entry.node()));
        walk(state, path + "/" + entry.name(), child);
      }
    }
  }

  private Map<String, String> fields(Node node) {
    NodeAttributes attributes = node.attributes();
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("type", node.type().name().toLowerCase(Locale.ROOT));
    fields.put("mode", Integer.toOctalString(attributes.mode()));
    fields.put("owner", attributes.uid() + ":" + attributes.gid());
    fields.put("nlink", Integer.toString(attributes.nlink()));
    fields.put("ino", node.inode().toString());
    fields.put("size", attributes.size() == 0 ? "" : Long.toString(attributes.size()));
    fields.put("mtime", Long.toString(attributes.mtimeNs()));
    fields.put("ctime", Long.toString(attributes.ctimeNs()));
    fields.put("btime", Long.toString(attributes.btimeNs()));
    fields.put("rdev", attributes.rdev() == 0 ? "" : Integer.toString(attributes.rdev()));
    fields.put("xattrs", xattrs(node));
    fields.put("content", content(node));
    return fields;
  }

  private String xattrs(Node node) {
    List<String> list = new ArrayList<>();
    for (Xattr xattr : node.xattrs()) {
      list.add(
          new String(xattr.name(), StandardCharsets.US_ASCII)
              + "="
              + chunkName(xattr.value().hash())
              + ":"
              + xattr.value().length());
    }
    return String.join(",", list);
  }

  private String content(Node node) {
    return switch (node.content()) {
      case FileContent content -> {
        List<String> list = new ArrayList<>();
        for (Extent e : content.extents()) {
          String place = chunkName(e.chunk()) + "@" + e.chunkOffset();
          list.add(e.offset() + "+" + e.length() + ":" + place);
        }
        yield String.join(",", list);
      }
      case NodeContent.Symlink(byte[] target) -> new String(target, StandardCharsets.US_ASCII);
      case NodeContent.Directory _, NodeContent.Special _ -> "";
    };
  }

  private String chunkName(Hash hash) {
    return Objects.requireNonNullElse(chunkNames.get(hash), hash.toString());
  }
}
