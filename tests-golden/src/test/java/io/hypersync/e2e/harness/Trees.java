package io.hypersync.e2e.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Compares directory trees. */
public final class Trees {
  private static final List<String> ATTRIBUTES =
      List.of("ino", "mode", "nlink", "uid", "gid", "size", "lastModifiedTime", "ctime");

  private Trees() {}

  /** Fails unless both trees have the same names with the same attributes and contents. */
  public static void assertSame(Path one, Path other) throws IOException {
    Map<String, String> left = lines(one);
    Map<String, String> right = lines(other);
    TreeSet<String> differing = new TreeSet<>(left.keySet());
    differing.addAll(right.keySet());
    differing.removeIf(name -> left.getOrDefault(name, "").equals(right.get(name)));
    assertEquals(
        new TreeSet<>(),
        differing,
        () ->
            "%s and %s differ, first in %s: %s and %s"
                .formatted(
                    one,
                    other,
                    differing.first(),
                    left.get(differing.first()),
                    right.get(differing.first())));
  }

  /** Attributes and content hash of each file, by its relative path. */
  private static Map<String, String> lines(Path folder) throws IOException {
    Map<String, String> lines = new TreeMap<>();
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : (Iterable<Path>) all::iterator) {
        lines.put(folder.relativize(path).toString(), line(path));
      }
    }
    return lines;
  }

  private static String line(Path path) throws IOException {
    String attributes =
        new TreeMap<>(
                Files.readAttributes(
                    path, "unix:" + String.join(",", ATTRIBUTES), LinkOption.NOFOLLOW_LINKS))
            .toString();
    if (Files.isSymbolicLink(path)) {
      return attributes + " -> " + Files.readSymbolicLink(path);
    }
    return Files.isRegularFile(path) ? attributes + " " + digest(path) : attributes;
  }

  private static String digest(Path file) throws IOException {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
      return HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException(missing);
    }
  }
}
