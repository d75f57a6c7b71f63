package io.hypersync.fuzz;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The committed inputs of a decoder: {@code fuzz/<name>/valid.hex}, which it must accept, and
 * {@code fuzz/<name>/found.hex}, which once broke it. One input per line, in hexadecimal; lines
 * that begin with # are comments.
 */
final class Corpus {
  private Corpus() {}

  static List<byte[]> valid(String target) {
    return read(target, "valid.hex");
  }

  static List<byte[]> found(String target) {
    return read(target, "found.hex");
  }

  private static List<byte[]> read(String target, String file) {
    URL resource = Corpus.class.getResource("/fuzz/" + target + "/" + file);
    if (resource == null) {
      return List.of();
    }
    List<byte[]> inputs = new ArrayList<>();
    try {
      for (String line : Files.readAllLines(Path.of(resource.toURI()))) {
        if (!line.isBlank() && !line.startsWith("#")) {
          inputs.add(HexFormat.of().parseHex(line.strip()));
        }
      }
    } catch (IOException | URISyntaxException e) {
      throw new IllegalStateException("cannot read " + resource, e);
    }
    return inputs;
  }
}
