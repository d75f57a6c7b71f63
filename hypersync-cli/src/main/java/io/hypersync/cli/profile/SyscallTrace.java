package io.hypersync.cli.profile;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Counts system calls in the output of {@code strace -f -y}: all of them, those on one mount, and
 * shared writable maps, which a mount refuses (hypersync.md 6.6). Not thread-safe.
 */
final class SyscallTrace {
  /**
   * {@code 4711 openat(AT_FDCWD</ws>, "a", ...}; lines of resumed calls do not match, because the
   * call was counted at its first line.
   */
  private static final Pattern CALL = Pattern.compile("\\d+ +([a-z0-9_]+)\\((.*)");

  private static final Pattern DESCRIPTOR = Pattern.compile("\\d+<");

  private final String mount;
  private final boolean beganInMount;
  private final Map<String, Long> all = new TreeMap<>();
  private final Map<String, Long> onMount = new TreeMap<>();
  private long sharedMaps;
  private long refusedMaps;

  /**
   * Creates a counter with all counts zero.
   *
   * @param beganInMount whether the command was started with its working directory in the mount:
   *     calls without a directory descriptor may have relative paths, and nothing else tells where
   *     these lead
   */
  SyscallTrace(Path mount, boolean beganInMount) {
    this.mount = mount.toString();
    this.beganInMount = beganInMount;
  }

  /** Counts one line of the trace; ignores lines that are not system calls. */
  void line(String line) {
    Matcher call = CALL.matcher(line);
    if (!call.matches()) {
      return;
    }
    String name = call.group(1);
    String arguments = call.group(2);
    all.merge(name, 1L, Long::sum);
    if (!isOnMount(name, arguments)) {
      return;
    }
    onMount.merge(name, 1L, Long::sum);
    if (name.equals("mmap")
        && arguments.contains("PROT_WRITE")
        && arguments.contains("MAP_SHARED")) {
      sharedMaps++;
      refusedMaps += arguments.contains("ENODEV") ? 1 : 0;
    }
  }

  private boolean isOnMount(String name, String arguments) {
    if (arguments.contains("<" + mount + "/") || arguments.contains("<" + mount + ">")) {
      return true;
    }
    if (DESCRIPTOR.matcher(arguments).lookingAt() && !name.contains("at")) {
      return false; // string arguments of read, write and similar calls are data, not paths
    }
    return arguments.contains("\"" + mount + "/")
        || arguments.contains("\"" + mount + "\"")
        || (beganInMount && arguments.startsWith("\"") && !arguments.startsWith("\"/"));
  }

  /** Returns the counts with the keys of {@code docs/json.md}. */
  ObjectNode tree() {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    ObjectNode anywhere = tree.putObject("all");
    all.forEach(anywhere::put);
    ObjectNode here = tree.putObject("on_mount");
    onMount.forEach(here::put);
    tree.put("shared_writable_maps", sharedMaps);
    tree.put("shared_writable_maps_refused", refusedMaps);
    return tree;
  }
}
