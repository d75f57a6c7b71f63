package io.hypersync.leader.oplog.chronicle;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.HexFormat;
import java.util.stream.Collectors;

/** Bytes that releases have written: hexadecimal digits, and comments that begin with '#'. */
final class Golden {
  private Golden() {}

  static byte[] bytes(String name) throws IOException {
    try (InputStream in = Golden.class.getResourceAsStream("/oplog/" + name)) {
      if (in == null) {
        throw new AssertionError("no golden file " + name);
      }
      return HexFormat.of()
          .parseHex(
              new String(in.readAllBytes(), UTF_8)
                  .lines()
                  .map(line -> line.replaceAll("#.*", "").replaceAll("\\s", ""))
                  .collect(Collectors.joining()));
    }
  }
}
