package io.hypersync.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a daemon's state directory takes of the disk, as {@code du} counts it: blocks, and so what
 * is allocated ahead of use, too.
 *
 * @param parts bytes of each of its folders and files, by name
 */
record StateDisk(SortedMap<String, Long> parts) {
  private static final int TRIES = 5;

  /** Copies the map. */
  StateDisk {
    parts = Collections.unmodifiableSortedMap(new TreeMap<>(parts));
  }

  /**
   * Measures a directory that a daemon may be changing.
   *
   * @throws IOException if files have vanished while they were counted, several times in a row
   */
  static StateDisk of(Path directory) throws IOException, InterruptedException {
    for (int i = 1; ; i++) {
      try {
        return parse(
            directory, Command.run("du", "-a", "-d1", "--block-size=1", directory.toString()));
      } catch (IOException vanished) {
        if (i == TRIES) {
          throw vanished;
        }
      }
    }
  }

  /** Reads lines of bytes, a tab and a path; the one of the directory itself is left out. */
  static StateDisk parse(Path directory, String lines) {
    SortedMap<String, Long> parts = new TreeMap<>();
    for (String line : lines.lines().toList()) {
      int tab = line.indexOf('\t');
      Path path = Path.of(line.substring(tab + 1));
      if (!path.equals(directory)) {
        parts.put(path.getFileName().toString(), Long.parseLong(line.substring(0, tab)));
      }
    }
    return new StateDisk(parts);
  }

  /** Returns the bytes of one folder or file; 0 if it is missing. */
  long part(String name) {
    return parts.getOrDefault(name, 0L);
  }

  /** Returns the bytes of all of it. */
  long bytes() {
    return parts.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Returns the bytes of all but one of its folders. */
  long without(String name) {
    return bytes() - part(name);
  }
}
