package io.hypersync.cli.daemons;

import io.hypersync.wire.admin.UserError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The HyperSync mounts of this machine, as the kernel lists them. */
public final class Mounts {
  private static final Path MOUNTINFO = Path.of("/proc/self/mountinfo");
  private static final String TYPE = "fuse.hypersync";
  private static final Duration PROBE_LIMIT = Duration.ofSeconds(2);
  private static final int POINT_FIELD = 4;
  private static final int OCTAL_DIGITS = 3;
  private static final int OCTAL = 8;

  private Mounts() {}

  /** What a mount's daemon does. */
  public enum Health {
    /** It answers. */
    ALIVE,
    /** It is gone, and the kernel says ENOTCONN to everyone. */
    DEAD,
    /** It has not answered for two seconds. */
    HANGING
  }

  /** Where HyperSync is mounted; asking does not touch the mounts. */
  public static List<Path> all() {
    try {
      // Paths are bytes: Latin-1 keeps each one as it is until the escapes are undone.
      return parse(Files.readAllLines(MOUNTINFO, StandardCharsets.ISO_8859_1));
    } catch (IOException failure) {
      throw new UserError("cannot read " + MOUNTINFO + ": " + failure.getMessage(), "");
    }
  }

  /** Asks a mount for the attributes of its root. */
  public static Health probe(Path mount) {
    CompletableFuture<Health> answer = new CompletableFuture<>();
    // A thread that hangs in the kernel must not keep the process from ending.
    Thread.ofPlatform().daemon().start(() -> answer.complete(touch(mount)));
    try {
      return answer.get(PROBE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException hanging) {
      return Health.HANGING;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return Health.HANGING;
    } catch (ExecutionException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static Health touch(Path mount) {
    try {
      Files.getAttribute(mount, "unix:ino");
      return Health.ALIVE;
    } catch (IOException failure) {
      return Health.DEAD;
    }
  }

  /**
   * The mount points in lines of this form, of which the fifth field and the type count:
   *
   * <pre>36 35 98:0 /root /point rw,noatime shared:1 - type source options</pre>
   */
  static List<Path> parse(List<String> lines) {
    List<Path> points = new ArrayList<>();
    for (String line : lines) {
      String[] fields = line.split(" ", -1);
      int separator = line.indexOf(" - ");
      if (fields.length > POINT_FIELD
          && separator >= 0
          && line.startsWith(TYPE + " ", separator + " - ".length())) {
        points.add(Path.of(unescape(fields[POINT_FIELD])));
      }
    }
    return points;
  }

  /** Space, tab, line feed and backslash are written as a backslash and three octal digits. */
  private static String unescape(String field) {
    StringBuilder bytes = new StringBuilder();
    for (int i = 0; i < field.length(); i++) {
      if (field.charAt(i) == '\\' && i + OCTAL_DIGITS < field.length()) {
        bytes.append((char) Integer.parseInt(field, i + 1, i + 1 + OCTAL_DIGITS, OCTAL));
        i += OCTAL_DIGITS;
      } else {
        bytes.append(field.charAt(i));
      }
    }
    return new String(
        bytes.toString().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }
}
