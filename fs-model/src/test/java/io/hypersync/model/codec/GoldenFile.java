package io.hypersync.model.codec;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reader of golden files in the test resources: each line is a name and hexadecimal digits, with
 * spaces for readability.
 */
public final class GoldenFile {
  private GoldenFile() {}

  /** The bytes by name, in file order. Empty lines and lines that start with # are skipped. */
  public static Map<String, byte[]> read(String resource) {
    Map<String, byte[]> lines = new LinkedHashMap<>();
    for (String line : text(resource).split("\n", -1)) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      int space = line.indexOf(' ');
      String hex = line.substring(space).replace(" ", "");
      if (lines.put(line.substring(0, space), HexFormat.of().parseHex(hex)) != null) {
        throw new IllegalStateException(resource + " has two lines for " + line);
      }
    }
    return lines;
  }

  private static String text(String resource) {
    try (InputStream in = GoldenFile.class.getResourceAsStream("/golden/" + resource)) {
      if (in == null) {
        throw new IllegalStateException("no golden file " + resource);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
