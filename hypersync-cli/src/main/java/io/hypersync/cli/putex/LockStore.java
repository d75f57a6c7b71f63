package io.hypersync.cli.putex;

import io.hypersync.coordination.cas.CasStore;
import io.hypersync.coordination.cas.file.FileCasStore;
import io.hypersync.coordination.cas.nats.NatsCasStore;
import io.hypersync.coordination.cas.nats.NatsOptions;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.Clock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A store as an address names it.
 *
 * @param store what it is
 * @param name for people, without secrets
 */
public record LockStore(CasStore store, String name) implements AutoCloseable {
  private static final String NATS = "nats://";
  private static final String TLS = "tls://";
  private static final String FILE = "file:";

  /**
   * Finds it; nothing is asked yet.
   *
   * @param address {@code nats://host:port}, several with commas between, or {@code file:<dir>}
   * @param bucket of NATS
   * @param credentials a file for NATS
   * @param createBucket whether a bucket that is missing is made
   * @param limit how long a call may take
   * @throws UserError if there is no such store
   */
  public static LockStore of(
      String address,
      String bucket,
      Optional<Path> credentials,
      boolean createBucket,
      Duration limit) {
    if (address.startsWith(FILE)) {
      Path directory = Path.of(address.substring(FILE.length())).toAbsolutePath();
      return new LockStore(new FileCasStore(directory, Clock.SYSTEM), FILE + directory);
    }
    List<String> servers = List.of(address.split(",", -1));
    if (!servers.stream().allMatch(one -> one.startsWith(NATS) || one.startsWith(TLS))) {
      throw new UserError(
          "--store: expected nats://<host:port> or file:<dir>",
          "For example: --store nats://10.0.0.1:4222, or HYPERSYNC_PUTEX_STORE in the environment.",
          UserError.USAGE);
    }
    credentials
        .filter(file -> !Files.isReadable(file))
        .ifPresent(
            file -> {
              throw new UserError(
                  "--credentials: " + file + " cannot be read", "", UserError.USAGE);
            });
    try {
      NatsCasStore store =
          new NatsCasStore(new NatsOptions(servers, bucket, credentials, createBucket, limit));
      return new LockStore(store, store.name());
    } catch (IllegalArgumentException wrong) {
      throw new UserError("--bucket: " + wrong.getMessage(), "", UserError.USAGE);
    }
  }

  @Override
  public void close() {
    if (store instanceof NatsCasStore nats) {
      nats.close();
    }
  }
}
