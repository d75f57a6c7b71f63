package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.failover.MemberScript;
import io.hypersync.cli.runtime.LeaderPlan;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.coordination.putex.PutexTiming;
import io.hypersync.leader.standby.Waited;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.text.ShellWords;
import io.hypersync.wire.pki.EnrolmentToken;
import io.hypersync.wire.pki.PkiException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hypersync failover}: writes the script of a host that leads, or follows who leads. */
@Command(
    name = "failover",
    subcommands = FailoverCommand.CheckCommand.class,
    description = {
      "Write the script with which this host leads the workspace, or follows the host that does:"
          + " ./hypersync putex decides which one leads, and calls it. Run it on each host.",
      "",
      "When the leader's host fails, a standby that is complete is promoted and led. The host that"
          + " has led before follows as a standby when it is back. Options behind -- are those of"
          + " ./hypersync leader."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync failover --dir /srv/team --token /srv/team/tokens/host-a.token \\",
      "      --store nats://10.0.0.9:4222",
      "  /srv/team/failover/member run      # on each host; as a service",
      "  ./hypersync putex status           # who leads"
    })
final class FailoverCommand implements Callable<Integer> {
  private static final long NS_PER_MS = 1_000_000L;

  /** R of the process mutex: a health check starts a process. */
  private static final long RENEWAL_MS = 2_000;

  private static final int FAILURES = 3;
  private static final int CONFIRMATIONS = 5;
  private static final String ACCEPT_LOSS = "--accept-loss";

  @Mixin private final Screen screen = new Screen();
  @Mixin private final ConfigurationOptions configurationOptions = new ConfigurationOptions();
  @Mixin private final LeaderFolders folders = new LeaderFolders();

  @Option(
      names = "--token",
      paramLabel = "<file>",
      description = "The token of this host as a standby, made by ./hypersync token; needed.")
  private @Nullable Path token;

  @Option(
      names = "--store",
      paramLabel = "<address>",
      description = "Where the lock is, as for ./hypersync putex; needed.")
  private @Nullable String store;

  @Option(
      names = "--name",
      paramLabel = "<service>",
      description = "The lock's name, the same on all hosts (default: the workspace's name).")
  private @Nullable String name;

  @Option(
      names = "--member",
      paramLabel = "<name>",
      description = "What this host writes into the lock (default: the worker of the token).")
  private @Nullable String member;

  @Option(
      names = {"-R", "--renewal"},
      paramLabel = "<ms>",
      description = "R of the process mutex (default: ${DEFAULT-VALUE}).")
  private long renewalMs = RENEWAL_MS;

  @Option(
      names = {"-F", "--failures"},
      paramLabel = "<count>",
      description = "F of the process mutex (default: ${DEFAULT-VALUE}).")
  private int failures = FAILURES;

  @Option(
      names = {"-C", "--confirmations"},
      paramLabel = "<count>",
      description = "C of the process mutex (default: ${DEFAULT-VALUE}).")
  private int confirmations = CONFIRMATIONS;

  @Option(
      names = "--start-limit",
      paramLabel = "<seconds>",
      description =
          "How long a leader may take until it answers for the first time (default:"
              + " ${DEFAULT-VALUE}).")
  private int startSeconds = 120;

  @Option(
      names = ACCEPT_LOSS,
      description =
          "Promote the standby of this host although the leader that is lost has, or may have,"
              + " acknowledged something without it. With sync_standby = 1 and degrade = alone"
              + " it may have each time, so that nobody leads without this.")
  private boolean acceptsLoss;

  @Option(
      names = "--out",
      paramLabel = "<dir>",
      description = "Where to write the script (default: failover in the workspace's folder).")
  private @Nullable Path out;

  @Option(
      names = "--command",
      paramLabel = "<file>",
      defaultValue = "${env:HYPERSYNC_LAUNCHER:-hypersync}",
      description = "The hypersync that the script runs (default: this one).")
  private String command = "";

  @Parameters(paramLabel = "<option of leader>", description = "Such as --bind 10.0.0.1:7890.")
  private List<String> leaderOptions = new ArrayList<>();

  @Override
  public Integer call() {
    WorkspaceDirectory workspace = folders.open(configurationOptions);
    Configuration configuration = configurationOptions.read(workspace.configFile());
    Path tokenFile = needed("--token", token).toAbsolutePath().normalize();
    String lock = needed("--store", store);
    EnrolmentToken enrolment = enrolment(tokenFile);
    Path folder = out == null ? workspace.root().resolve("failover") : out.toAbsolutePath();
    Path script = folder.resolve("member");
    MemberScript written =
        new MemberScript(
            name == null ? workspace.name().text() : name,
            command,
            workspace.root(),
            LeaderPlan.stateDir(workspace, configuration),
            tokenFile,
            leaderOptions,
            acceptsLoss ? List.of(ACCEPT_LOSS) : List.of(),
            putexOptions(enrolment, lock),
            startSeconds,
            stopSeconds());
    try {
      DurableFiles.createDirectories(folder, DurableFiles.OWNER_ONLY_DIRECTORY);
      DurableFiles.replace(script, written.text(), PosixFilePermissions.fromString("rwx------"));
    } catch (IOException e) {
      throw new UserError(
          "cannot write " + script + ": " + FileProblems.describe(e), FileProblems.hint(e, ""));
    }
    ObjectNode result =
        JsonNodeFactory.instance
            .objectNode()
            .put("script", script.toString())
            .put("service", written.name())
            .put("alone", enrolment.leaders().size() == 1);
    screen.show(result, () -> text(script, enrolment));
    return 0;
  }

  /** Not by the parser, which would ask for them before a subcommand, too. */
  private static <T> T needed(String option, @Nullable T value) {
    if (value == null) {
      throw new UserError(
          option + " is missing", "See: ./hypersync help failover", UserError.USAGE);
    }
    return value;
  }

  private List<String> putexOptions(EnrolmentToken enrolment, String lock) {
    try {
      PutexTiming timing =
          new PutexTiming(Math.multiplyExact(renewalMs, NS_PER_MS), failures, confirmations);
      return List.of(
          "--store",
          lock,
          "--token",
          member == null ? enrolment.worker().name() : member,
          "-R",
          Long.toString(timing.renewalNs() / NS_PER_MS),
          "-F",
          Integer.toString(failures),
          "-C",
          Integer.toString(confirmations));
    } catch (IllegalArgumentException | ArithmeticException wrong) {
      throw new UserError(String.valueOf(wrong.getMessage()), "", UserError.USAGE);
    }
  }

  /** Half of the time that the service has to stop, in whole seconds; then it is killed. */
  private int stopSeconds() {
    return (int) (renewalMs * confirmations / 2_000);
  }

  private static String text(Path script, EnrolmentToken enrolment) {
    return "Wrote "
        + script
        + ".\nOn each host, as a service:\n  "
        + ShellWords.quoted(script)
        + " run\n"
        + (enrolment.leaders().size() == 1
            ? "warning: the token names one address of the leader. Make it with one for each host:"
                + " ./hypersync token <name> --leader-address <a> --leader-address <b>\n"
            : "");
  }

  private static EnrolmentToken enrolment(Path file) {
    try {
      return EnrolmentToken.read(file);
    } catch (PkiException e) {
      throw new UserError(
          "cannot use the token: " + e.getMessage(),
          "Make one on the leader's host: ./hypersync token <name> --dir <workspace folder>");
    }
  }

  /** {@code hypersync failover check}: the health check of a member. */
  @Command(
      name = "check",
      description = {
        "Say whether the leader of this host answers (active), or its standby could lead (standby)."
            + " The exit code is 1 if not."
      },
      footerHeading = "%nExamples:%n",
      footer = "  ./hypersync failover check standby --dir /srv/team --token host-a.token")
  static final class CheckCommand implements Callable<Integer> {
    private static final Duration LIMIT = Duration.ofSeconds(4);

    @Mixin private final ConfigurationOptions configurationOptions = new ConfigurationOptions();
    @Mixin private final LeaderFolders folders = new LeaderFolders();

    @Parameters(paramLabel = "active|standby", description = "Which role is to be looked at.")
    private String role = "";

    @Option(
        names = "--token",
        paramLabel = "<file>",
        required = true,
        description = "The token of this host as a standby.")
    private @Nullable Path token;

    @Option(
        names = ACCEPT_LOSS,
        description = "Whether it could lead although it may lack what was acknowledged.")
    private boolean acceptsLoss;

    @Override
    public Integer call() {
      WorkspaceDirectory workspace = folders.open(configurationOptions);
      RunDirectory sockets = RunDirectory.of(System.getenv());
      switch (role) {
        case "active" -> require(status(sockets.leaderSocket(workspace.id())), "leader");
        case "standby" -> {
          EnrolmentToken enrolment = enrolment(Objects.requireNonNull(token));
          JsonNode status = status(sockets.standbySocket(workspace.id(), enrolment.worker()));
          require(status, "standby");
          if (!status.path("complete").asBoolean()) {
            throw new UserError("the standby is not complete: it could not lead", "");
          }
          String loss = status.path("loss").asText();
          if (!acceptsLoss && Waited.Loss.of(loss).needsConsent()) {
            throw new UserError(
                "the standby may lack what was acknowledged (" + loss + "): it is not promoted",
                "To have it promoted all the same: ./hypersync failover --accept-loss ...");
          }
        }
        default ->
            throw new UserError(
                "expected active or standby, got \"" + role + '"', "", UserError.USAGE);
      }
      return 0;
    }

    private static JsonNode status(Path socket) {
      if (Files.exists(socket)
          && new AdminClient(socket, LIMIT).ask("status")
              instanceof AdminClient.Reply.Result(var status)) {
        return status;
      }
      return JsonNodeFactory.instance.objectNode();
    }

    private static void require(JsonNode status, String role) {
      if (!status.path("role").asText().equals(role)) {
        throw new UserError("no " + role + " answers on this host", "");
      }
    }
  }
}
