package io.hypersync.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.wire.message.Protocol;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;

/** Which version of HyperSync this is, as the build says. */
public final class Version {
  /** The launcher sets it where a package is installed. */
  private static final String COMMIT = "hypersync.commit";

  private Version() {}

  /** Three numbers with dots between them, and perhaps more: {@code 0.1.0-SNAPSHOT}. */
  public static String text() {
    try (InputStream file = Version.class.getResourceAsStream("version.txt")) {
      return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8)
          .strip();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure); // the jar that this class is from
    }
  }

  /** For people, and for programs that look for three numbers. */
  public static String line() {
    return "hypersync "
        + text()
        + " (protocol "
        + Protocol.REVISION
        + commit().map(name -> ", commit " + name).orElse("")
        + ")";
  }

  /** The commit of which the installed package was made; empty in a source tree. */
  private static Optional<String> commit() {
    return Optional.ofNullable(System.getProperty(COMMIT)).filter(name -> !name.isEmpty());
  }

  /** For {@code docs/json.md}. */
  public static ObjectNode json() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("name", "hypersync")
        .put("version", text())
        .put("commit", commit().orElse(null))
        .put("protocol", Protocol.VERSION)
        .put("revision", Protocol.REVISION);
  }
}
