package io.hypersync.e2e.load;

import io.hypersync.e2e.harness.Errnos;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The answers of a single machine: a tree in memory, on which root makes one call after another.
 * Errors are found in the same order as in Linux.
 */
final class MixedTree {
  private static final int MAX_LINKS_FOLLOWED = 40;

  private final Folder root = new Folder(null);

  /** What a name can refer to. */
  private sealed interface Node {}

  private static final class Folder implements Node {
    private final Map<String, Node> entries = new TreeMap<>();
    private @Nullable Folder parent;

    private Folder(@Nullable Folder parent) {
      this.parent = parent;
    }

    private long subfolders() {
      return entries.values().stream().filter(Folder.class::isInstance).count();
    }
  }

  private static final class Text implements Node {
    private String content = "";
    private int names = 1;
  }

  private static final class Pointer implements Node {
    private final String target;
    private int names = 1;

    private Pointer(String target) {
      this.target = target;
    }
  }

  /** A name in a directory, and its node; null if there is none. */
  private record Place(Folder folder, String name, @Nullable Node node) {
    private Node existing() throws Refused {
      if (node == null) {
        throw new Refused("ENOENT");
      }
      return node;
    }

    private void requireFree() throws Refused {
      if (node != null) {
        throw new Refused("EEXIST");
      }
    }

    private void put(Node added) {
      folder.entries.put(name, added);
    }
  }

  private static final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    private Refused(String errno) {
      super(errno, null, false, false);
    }
  }

  /** Makes the call; returns its answer in the format of {@code mixed/actor.py}. */
  String answer(MixedCall call) {
    try {
      return carriedOut(call);
    } catch (Refused refused) {
      return String.valueOf(refused.getMessage());
    }
  }

  private String carriedOut(MixedCall call) throws Refused {
    String path = call.argument(0);
    switch (call.name()) {
      case "create" -> make(path, new Text());
      case "mkdir" -> {
        Place place = free(path);
        place.put(new Folder(place.folder));
      }
      case "symlink" -> make(call.argument(1), new Pointer(path));
      case "link" -> link(path, call.argument(1));
      case "rename" -> rename(path, call.argument(1));
      case "unlink" -> unlink(path);
      case "rmdir" -> removeFolder(path);
      case "append" -> text(place(path, true).existing()).content += call.argument(1);
      case "replace" -> replace(path, call.argument(1));
      case "read" -> {
        return "text " + text(place(path, true).existing()).content;
      }
      case "lstat" -> {
        return attributes(place(path, false).existing());
      }
      case "stat" -> {
        return attributes(place(path, true).existing());
      }
      case "readlink" -> {
        if (place(path, false).existing() instanceof Pointer pointer) {
          return "to " + pointer.target;
        }
        throw new Refused("EINVAL");
      }
      case "list" -> {
        return listing(path, call.argument(1));
      }
      default -> throw new IllegalArgumentException(call.toString());
    }
    return Errnos.NONE;
  }

  private void make(String path, Node added) throws Refused {
    free(path).put(added);
  }

  private Place free(String path) throws Refused {
    Place place = place(path, false);
    place.requireFree();
    return place;
  }

  private void link(String from, String to) throws Refused {
    Node node = place(from, false).existing();
    Place place = free(to);
    addNames(node, 1);
    place.put(node);
  }

  private static void addNames(Node node, int added) throws Refused {
    switch (node) {
      case Folder _ -> throw new Refused("EPERM");
      case Text text -> text.names += added;
      case Pointer pointer -> pointer.names += added;
    }
  }

  private void rename(String from, String to) throws Refused {
    Folder oldFolder = parent(from);
    Folder newFolder = parent(to);
    Node node = new Place(oldFolder, last(from), oldFolder.entries.get(last(from))).existing();
    Node replaced = newFolder.entries.get(last(to));
    if (node instanceof Folder folder && isWithin(newFolder, folder)) {
      throw new Refused("EINVAL");
    }
    if (replaced instanceof Folder folder && isWithin(oldFolder, folder)) {
      throw new Refused("ENOTEMPTY");
    }
    if (node == replaced) {
      return;
    }
    if (replaced != null) {
      makeWay(node, replaced);
    }
    var _ = oldFolder.entries.remove(last(from));
    newFolder.entries.put(last(to), node);
    if (node instanceof Folder folder) {
      folder.parent = newFolder;
    }
  }

  private static void makeWay(Node node, Node replaced) throws Refused {
    if (replaced instanceof Folder folder) {
      if (!(node instanceof Folder)) {
        throw new Refused("EISDIR");
      }
      requireEmpty(folder);
    } else if (node instanceof Folder) {
      throw new Refused("ENOTDIR");
    } else {
      addNames(replaced, -1);
    }
  }

  private static boolean isWithin(Folder inner, Folder outer) {
    for (Folder each = inner; each != null; each = each.parent) {
      if (each == outer) {
        return true;
      }
    }
    return false;
  }

  private void unlink(String path) throws Refused {
    Place place = place(path, false);
    if (place.existing() instanceof Folder) {
      throw new Refused("EISDIR");
    }
    addNames(place.existing(), -1);
    var _ = place.folder.entries.remove(place.name);
  }

  private void removeFolder(String path) throws Refused {
    Place place = place(path, false);
    requireEmpty(folder(place.existing()));
    var _ = place.folder.entries.remove(place.name);
  }

  private static void requireEmpty(Folder folder) throws Refused {
    if (!folder.entries.isEmpty()) {
      throw new Refused("ENOTEMPTY");
    }
  }

  private void replace(String path, String content) throws Refused {
    Place place = place(path, true);
    Node node = place.node;
    if (node == null) {
      node = new Text();
      place.put(node);
    }
    text(node).content = content;
  }

  private static Text text(Node node) throws Refused {
    if (node instanceof Text text) {
      return text;
    }
    throw new Refused("EISDIR");
  }

  private static String attributes(Node node) {
    return switch (node) {
      case Folder folder -> "directory of " + (2 + folder.subfolders());
      case Text text -> "file of " + text.names + ", " + text.content.length() + " bytes";
      case Pointer pointer ->
          "link of " + pointer.names + ", " + pointer.target.length() + " bytes";
    };
  }

  private String listing(String path, String prefix) throws Refused {
    Folder folder = folder(place(path, true).existing());
    List<String> names = new ArrayList<>(folder.entries.keySet());
    names.removeIf(name -> !name.startsWith(prefix));
    return "names " + String.join(" ", names);
  }

  /** The directory in which the last name of a path is looked up. */
  private Folder parent(String path) throws Refused {
    int end = path.lastIndexOf('/');
    return end < 0 ? root : folder(place(path.substring(0, end), true).existing());
  }

  private static String last(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  private static Folder folder(Node node) throws Refused {
    if (node instanceof Folder folder) {
      return folder;
    }
    throw new Refused("ENOTDIR");
  }

  /**
   * Resolves a path.
   *
   * @param follow whether a symbolic link at its end is followed
   */
  private Place place(String path, boolean follow) throws Refused {
    Deque<String> ahead = new ArrayDeque<>(components(path));
    Folder at = root;
    int followed = 0;
    while (true) {
      String name = ahead.removeFirst();
      if (name.equals("..")) {
        at = at.parent == null ? at : at.parent;
        continue;
      }
      Node node = at.entries.get(name);
      boolean isLast = ahead.isEmpty();
      if (node instanceof Pointer pointer && (follow || !isLast)) {
        if (followed == MAX_LINKS_FOLLOWED) {
          throw new Refused("ELOOP");
        }
        followed++;
        List<String> target = new ArrayList<>(components(pointer.target));
        Collections.reverse(target);
        target.forEach(ahead::addFirst);
      } else if (isLast) {
        return new Place(at, name, node);
      } else {
        at = folder(new Place(at, name, node).existing());
      }
    }
  }

  private static List<String> components(String path) {
    return Arrays.asList(path.split("/", -1));
  }
}
