package io.hypersync.e2e.load;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Directories;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Files that are renamed repeatedly, from {@code <file>.0} to {@code <file>.1} and so on, and
 * finally removed. Keeps the names that each file may have according to the answers its callers
 * got. A rename that was carried out twice would have ended with ENOENT.
 */
final class RenamedFiles {
  /** The step of a file that does not exist. */
  private static final int ABSENT = -1;

  private final Map<String, Set<Integer>> steps = new ConcurrentHashMap<>();

  /** The name of a file after this many renames. */
  static String name(String file, int step) {
    return file + "." + step;
  }

  /** The file was created, or renamed to this step: this is certainly its name. */
  void is(String file, int step) {
    steps.put(file, Set.of(step));
  }

  /** The file was not created, or has been removed. */
  void isAbsent(String file) {
    steps.put(file, Set.of(ABSENT));
  }

  /**
   * The outcome of a call is unknown: the file may have been created, renamed to {@code step}, or
   * (if it had this step already) removed.
   */
  void isUnsure(String file, int step) {
    Set<Integer> before = steps.getOrDefault(file, Set.of(ABSENT));
    assertTrue(before.size() == 1, "one call at a time");
    int was = before.iterator().next();
    steps.put(file, was == step ? Set.of(was, ABSENT) : Set.of(was, step));
  }

  /** Fails unless each file exists in the directory under exactly one of its possible names. */
  void check(Path folder) throws IOException {
    Map<String, List<Integer>> found = new HashMap<>();
    for (String name : Directories.names(folder)) {
      int dot = name.lastIndexOf('.');
      found.merge(
          name.substring(0, dot),
          List.of(Integer.parseInt(name.substring(dot + 1))),
          (one, other) -> List.of(one.getFirst(), other.getFirst()));
    }
    for (Map.Entry<String, Set<Integer>> each : steps.entrySet()) {
      List<Integer> names = found.getOrDefault(each.getKey(), List.of(ABSENT));
      assertTrue(
          names.size() == 1 && each.getValue().contains(names.getFirst()),
          () -> each + " expected in " + folder + ", found " + names);
    }
    found.keySet().removeAll(steps.keySet());
    assertTrue(found.isEmpty(), () -> "in " + folder + ", though nobody made it: " + found);
  }
}
