package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.putex.LockStore;
import io.hypersync.cli.render.PutexReport;
import io.hypersync.cli.runtime.DaemonProcess;
import io.hypersync.cli.runtime.Practising;
import io.hypersync.coordination.cas.nats.NatsCasStore;
import io.hypersync.coordination.daemon.PutexDaemon;
import io.hypersync.coordination.daemon.PutexOptions;
import io.hypersync.coordination.daemon.PutexScripts;
import io.hypersync.coordination.putex.PutexTiming;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hypersync putex}: runs a service on at most one of several hosts (process-mutex.md). */
@Command(
    name = "putex",
    subcommands = PutexCommand.StatusCommand.class,
    description = {
      "Run a service on at most one of several hosts, until a signal ends it. Start one agent on each"
          + " host. Logs go to standard error.",
      "",
      "One agent has the lock, renews it, and has its service running. When its health check fails, or"
          + " it is gone, another one takes the lock after R * (F + 1) and starts its service C * R"
          + " later. No clocks are compared.",
      "",
      "Without scripts the service is the unit <service> of systemd. Scripts are texts for bash; they"
          + " see PUTEX_NAME and PUTEX_TOKEN."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync putex routestar --store nats://10.0.0.1:4222 --create-bucket",
      "  ./hypersync putex team --store nats://10.0.0.1:4222 -R 1000 -F 3 -C 5 \\",
      "      --check 'test -e /srv/team/workspace.toml' \\",
      "      --start 'systemctl start --no-block hypersync-leader@team' \\",
      "      --stop 'systemctl stop hypersync-leader@team' --fence '/etc/hypersync/fence-others'",
      "  ./hypersync putex team --store file:/run/hypersync/locks --token first",
      "  ./hypersync putex status --json | jq '.agents[].role'"
    })
final class PutexCommand implements Callable<Integer> {
  /** What is the name of a unit and part of the name of a socket. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9@._:-]{0,59}");

  private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");
  private static final int MAX_TOKEN_BYTES = 255;
  private static final long NS_PER_MS = 1_000_000L;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "<service>",
      description = "The service's name: a unit of systemd, if there are no scripts.")
  private String service = "";

  @Option(
      names = "--store",
      paramLabel = "<address>",
      defaultValue = "${env:HYPERSYNC_PUTEX_STORE:-}",
      description =
          "Where the lock is: nats://host:4222 (more of one cluster with commas between), or"
              + " file:<dir> for agents of one host (default: $HYPERSYNC_PUTEX_STORE).")
  private String address = "";

  @Option(
      names = "--bucket",
      paramLabel = "<name>",
      description = "The bucket of NATS (default: ${DEFAULT-VALUE}).")
  private String bucket = "locks";

  @Option(names = "--create-bucket", description = "Make the bucket if there is none.")
  private boolean createBucket;

  @Option(
      names = "--credentials",
      paramLabel = "<file>",
      description = "Credentials for NATS, as its tools make them.")
  private @Nullable Path credentials;

  @Option(
      names = "--key",
      paramLabel = "<key>",
      description = "The record that is the lock (default: <service>).")
  private @Nullable String key;

  @Option(
      names = "--token",
      paramLabel = "<name>",
      description = "What this agent writes; each agent has another (default: the host's name).")
  private @Nullable String token;

  @Option(
      names = {"-R", "--renewal"},
      paramLabel = "<ms>",
      description = "R: the lock is renewed so often (default: ${DEFAULT-VALUE}).")
  private long renewalMs = 1_000;

  @Option(
      names = {"-F", "--failures"},
      paramLabel = "<count>",
      description =
          "F: the health check may take F * R; the lock is taken when it was not renewed for"
              + " R * (F + 1) (default: ${DEFAULT-VALUE}).")
  private int failures = 3;

  @Option(
      names = {"-C", "--confirmations"},
      paramLabel = "<count>",
      description =
          "C: the service must stop within C * R, and is started so long after a takeover"
              + " (default: ${DEFAULT-VALUE}).")
  private int confirmations = 3;

  @Option(
      names = "--check",
      paramLabel = "<script>",
      description =
          "Succeeds if the service is, or would be, healthy here; $1 is active or standby.")
  private @Nullable String check;

  @Option(
      names = "--start",
      paramLabel = "<script>",
      description = "Starts the service, with every renewal again; it does not wait for it.")
  private @Nullable String start;

  @Option(
      names = "--stop",
      paramLabel = "<script>",
      description = "Stops the service; succeeds only if it does not run any more.")
  private @Nullable String stop;

  @Option(
      names = "--fence",
      paramLabel = "<script>",
      description = "Keeps the other hosts from doing harm; before the service is started.")
  private String fence = "";

  @Option(
      names = "--run-dir",
      paramLabel = "<dir>",
      description = "Where the admin socket is (default: $HYPERSYNC_RUN_DIR, else /run/hypersync).")
  private @Nullable Path runDirectory;

  @Override
  public Integer call() throws InterruptedException {
    if (!NAME.matcher(service).matches()) {
      throw usage("<service>: expected 1 to 60 letters, digits, @ . _ : or -");
    }
    PutexTiming timing = timing();
    String record = key == null ? service : key;
    if (!NatsCasStore.isKey(record)) {
      throw usage(
          "--key: expected letters, digits, - _ / = and single dots, got \"" + record + '"');
    }
    if (address.isEmpty()) {
      throw new UserError(
          "--store is missing: where the agents of " + service + " have their lock",
          "For example: --store nats://10.0.0.1:4222, or HYPERSYNC_PUTEX_STORE in the environment.",
          UserError.USAGE);
    }
    PutexScripts scripts = scripts(timing);
    Duration limit = Duration.ofNanos(timing.renewalNs());
    try (LockStore store =
        LockStore.of(address, bucket, Optional.ofNullable(credentials), createBucket, limit)) {
      new DaemonProcess("putex " + service, run(runDirectory).putexSocket(service), Practising.NOT)
          .run(
              PutexDaemon::start,
              new PutexOptions(
                  service, record, token(), timing, scripts, store.store(), store.name()));
    }
    return 0;
  }

  private PutexTiming timing() {
    try {
      return new PutexTiming(Math.multiplyExact(renewalMs, NS_PER_MS), failures, confirmations);
    } catch (IllegalArgumentException wrong) {
      throw usage(wrong.getMessage());
    } catch (ArithmeticException tooLong) {
      throw usage("R must be 100 ms to 1 h");
    }
  }

  private PutexScripts scripts(PutexTiming timing) {
    if (check == null && start == null && stop == null) {
      PutexScripts unit = PutexScripts.ofUnit(service, Duration.ofNanos(timing.stopLimitNs()));
      return new PutexScripts(unit.check(), unit.start(), unit.stop(), fence);
    }
    if (check == null || start == null || stop == null) {
      throw usage("--check, --start and --stop are given together, or none of them");
    }
    return new PutexScripts(check, start, stop, fence);
  }

  private String token() {
    String name = token;
    if (name == null) {
      try {
        name = Files.readString(HOST_NAME).strip();
      } catch (IOException failure) {
        throw new UserError(
            "the host's name cannot be read: " + failure.getMessage(), "Give a --token.");
      }
    }
    if (name.isEmpty()
        || name.getBytes(StandardCharsets.UTF_8).length > MAX_TOKEN_BYTES
        || name.chars().anyMatch(Character::isISOControl)) {
      throw usage("--token: expected 1 to 255 bytes without control characters");
    }
    return name;
  }

  private static UserError usage(@Nullable String message) {
    return new UserError(String.valueOf(message), "", UserError.USAGE);
  }

  private static RunDirectory run(@Nullable Path directory) {
    return directory == null ? RunDirectory.of(System.getenv()) : new RunDirectory(directory);
  }

  /** {@code hypersync putex status}: what the agents of this host are. */
  @Command(
      name = "status",
      description = "Show the agents of this host: who has the lock, and what is wrong.",
      footerHeading = "%nExamples:%n",
      footer = {
        "  ./hypersync putex status",
        "  ./hypersync putex status routestar --json | jq -r '.agents[0].holder'"
      })
  static final class StatusCommand implements Callable<Integer> {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    @Mixin private final Screen screen = new Screen();

    @Parameters(
        index = "0",
        arity = "0..1",
        paramLabel = "<service>",
        description = "Of which service (default: all).")
    private @Nullable String service;

    @Option(
        names = "--run-dir",
        paramLabel = "<dir>",
        description =
            "Where the admin sockets are (default: $HYPERSYNC_RUN_DIR, else /run/hypersync).")
    private @Nullable Path runDirectory;

    @Override
    public Integer call() {
      ObjectNode tree = JsonNodeFactory.instance.objectNode();
      ArrayNode agents = tree.putArray("agents");
      for (Path socket : run(runDirectory).putexSockets()) {
        if (new AdminClient(socket, LIMIT).ask("status")
                instanceof AdminClient.Reply.Result(var status)
            && (service == null || status.path("name").asText().equals(service))) {
          agents.add(status);
        }
      }
      if (service != null && agents.isEmpty()) {
        throw new UserError(
            "no agent of " + service + " runs on this host",
            "Start one: ./hypersync putex " + service + " --store <address>");
      }
      screen.show(tree, () -> PutexReport.of(tree));
      return 0;
    }
  }
}
