package io.hypersync.cli.workspace;

import io.hypersync.cli.config.HostPort;
import io.hypersync.runtime.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tomlj.Toml;
import org.tomlj.TomlInvalidTypeException;
import org.tomlj.TomlParseResult;

/**
 * Parameters of a worker's last start, which need not be given again; {@code worker.toml} in its
 * state directory:
 *
 * <pre>
 * mount = "/ntmfs/ws/team"
 * leader_address = "10.0.0.2:7890"   only if given by a flag; several with commas between them
 * </pre>
 *
 * @param mount where it was mounted
 * @param leaderAddresses where the leader is, or may be; overrides the token's addresses; empty if
 *     those count
 */
public record SavedWorkerOptions(Optional<Path> mount, List<HostPort> leaderAddresses) {
  /** A copy of the addresses. */
  public SavedWorkerOptions {
    leaderAddresses = List.copyOf(leaderAddresses);
  }

  static final String FILE = "worker.toml";

  /** For a worker that was never started. */
  public static final SavedWorkerOptions NOTHING =
      new SavedWorkerOptions(Optional.empty(), List.of());

  private static final Logger LOG = LoggerFactory.getLogger(SavedWorkerOptions.class);
  private static final String MOUNT = "mount";
  private static final String LEADER_ADDRESS = "leader_address";

  /**
   * Reads the file of a state directory; {@link #NOTHING} if there is none or it cannot be read.
   */
  public static SavedWorkerOptions read(Path stateDir) {
    Path file = stateDir.resolve(FILE);
    if (!Files.exists(file)) {
      return NOTHING;
    }
    try {
      TomlParseResult toml = Toml.parse(file);
      return new SavedWorkerOptions(
          Optional.ofNullable(toml.getString(MOUNT)).map(Path::of).filter(Path::isAbsolute),
          Optional.ofNullable(toml.getString(LEADER_ADDRESS))
              .map(text -> Arrays.stream(text.split(",")).map(HostPort::parse).toList())
              .orElse(List.of()));
    } catch (IOException | TomlInvalidTypeException | IllegalArgumentException unreadable) {
      LOG.warn("{} is ignored: {}", file, unreadable.getMessage());
      return NOTHING;
    }
  }

  /** Returns a copy without the leader's addresses. */
  SavedWorkerOptions withoutLeader() {
    return new SavedWorkerOptions(mount, List.of());
  }

  /** Writes the file into a state directory, durably. */
  public void write(Path stateDir) throws IOException {
    StringBuilder text =
        new StringBuilder("# What this worker was last started with; flags change it.\n");
    mount.ifPresent(path -> line(text, MOUNT, path.toString()));
    if (!leaderAddresses.isEmpty()) {
      line(
          text,
          LEADER_ADDRESS,
          leaderAddresses.stream().map(HostPort::toString).collect(Collectors.joining(",")));
    }
    DurableFiles.replace(stateDir.resolve(FILE), text.toString(), DurableFiles.OWNER_ONLY.value());
  }

  private static void line(StringBuilder text, String key, String value) {
    text.append(key).append(" = \"");
    value
        .chars()
        .forEach(
            c -> {
              if (c == '"' || c == '\\' || c < ' ' || c == 0x7f) {
                text.append("\\u%04x".formatted(c));
              } else {
                text.append((char) c);
              }
            });
    text.append("\"\n");
  }
}
