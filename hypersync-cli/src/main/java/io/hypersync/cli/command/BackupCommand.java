package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.render.BackupReport;
import io.hypersync.leader.archive.BackupDirectory;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.text.ShellWords;
import io.hypersync.worker.fuse.dev.FilesystemType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hypersync backup}: has the leader copy a state of the workspace into a directory. */
@Command(
    name = "backup",
    description = {
      "Have the leader copy a whole state of the workspace into a directory, or look at what is there.",
      "",
      "A second backup into the same directory copies only what is new. One that was interrupted is"
          + " gone on with by the next. The leader writes, so the directory must be on its host, and"
          + " the leader must run. A new workspace begins with a backup: ./hypersync init <dir>"
          + " --from <backup dir>."
    },
    synopsisHeading = "Usage: ",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync backup /mnt/backup/team",
      "  ./hypersync backup /mnt/backup/team --at before-the-rewrite --json",
      "  ./hypersync backup --list /mnt/backup/team",
      "  ./hypersync backup --verify /mnt/backup/team",
      "  ./hypersync backup --status"
    })
final class BackupCommand implements Callable<Integer> {
  /** Exit code if a check has found something that is missing or damaged. */
  static final int DAMAGED = 3;

  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final long POLL_MS = 200;

  /** A backup may take hours: its progress is told less and less often. */
  private static final long MOST_POLLS_BETWEEN_LINES = 150;

  @Mixin private final Screen screen = new Screen();
  @Mixin private final LeaderSelection leader = new LeaderSelection();

  @Parameters(
      arity = "0..1",
      paramLabel = "<dir>",
      description = "The backup's directory; it is made if it is not there.")
  private @Nullable Path directory;

  @Option(
      names = "--at",
      paramLabel = "<snapshot>",
      description =
          "Which snapshot: its name, its index, or a time (2026-01-31T09:00:00Z, 2h), for the newest"
              + " one of that time or before. Default: the newest state.")
  private @Nullable String at;

  @Option(
      names = "--repair",
      description =
          "Read what the backup has already of the state, and copy again what is damaged.")
  private boolean repair;

  @Option(
      names = "--rate",
      paramLabel = "<size>",
      description = "How much to read in a second at most (default: 64MiB).")
  private @Nullable String rate;

  @Option(names = "--list", description = "Show what the directory has; needs no leader.")
  private boolean list;

  @Option(
      names = "--verify",
      description = "Read all that the directory has, and compare every hash; needs no leader.")
  private boolean verify;

  @Option(
      names = "--status",
      description = "Show how far the leader's backup is, and the last ones.")
  private boolean status;

  @Override
  public Integer call() {
    requireOneThing();
    if (status) {
      JsonNode answer = ask(leader.client(LIMIT), "status");
      screen.show(answer, () -> BackupReport.status(answer));
      return 0;
    }
    Path wanted = required().toAbsolutePath().normalize();
    if (list) {
      JsonNode contents = BackupTrees.contents(wanted, BackupDirectory.contents(wanted));
      screen.show(contents, () -> BackupReport.list(contents));
      return 0;
    }
    if (verify) {
      JsonNode found = BackupTrees.verified(wanted, screen::tell);
      screen.show(found, () -> BackupReport.verified(found));
      return found.path("bad").asLong() > 0 || !found.path("unreadable").isEmpty() ? DAMAGED : 0;
    }
    requireUsable(wanted);
    JsonNode done = backedUp(wanted);
    screen.show(done, () -> BackupReport.done(done));
    return 0;
  }

  private void requireOneThing() {
    if (Stream.of(list, verify, status).filter(each -> each).count() > 1) {
      throw new UserError(
          "backup: --list, --verify and --status exclude each other", "", UserError.USAGE);
    }
    boolean isRun = !list && !verify && !status;
    if (!isRun && (at != null || repair || rate != null)) {
      throw new UserError(
          "backup: --at, --repair and --rate are for a backup that is made", "", UserError.USAGE);
    }
    if (status && directory != null) {
      throw new UserError("backup --status takes no directory", "", UserError.USAGE);
    }
  }

  private Path required() {
    if (directory == null) {
      throw new UserError(
          "backup: into which directory?",
          "Such as ./hypersync backup /mnt/backup/team, on another disk.",
          UserError.USAGE);
    }
    return directory;
  }

  private static void requireUsable(Path wanted) {
    FilesystemType type = FilesystemType.of(wanted);
    if (type.verdict() == FilesystemType.Verdict.USELESS) {
      throw new UserError(
          "a backup cannot be in " + wanted + ", on " + type.name() + ": " + type.why(),
          "Give a directory on a disk with ext4, xfs or btrfs.");
    }
  }

  private JsonNode backedUp(Path wanted) {
    ObjectNode request =
        JsonNodeFactory.instance
            .objectNode()
            .put("do", "run")
            .put("dir", wanted.toString())
            .put("repair", repair);
    if (at != null) {
      request.put("at", at);
    }
    if (rate != null) {
      request.put("bytes_per_second", Arguments.parse("--rate", Settings.SCRUB_RATE, rate));
    }
    AdminClient client = leader.client(LIMIT);
    return awaited(client, client.call("backup", request), wanted);
  }

  private JsonNode awaited(AdminClient client, JsonNode asked, Path wanted) {
    String look = "./hypersync backup --status" + leader.again();
    screen.tell("backing up into " + wanted + "; ^C leaves it running, then see: " + look);
    long lines = 1;
    for (long polls = 0; ; polls++) {
      JsonNode now = ask(client, "status");
      if (!now.path("epoch").equals(asked.path("epoch"))) {
        throw new UserError(
            "the leader was started again, and the backup has ended with it",
            "Repeat it, it goes on with what is there: ./hypersync backup "
                + ShellWords.quoted(wanted)
                + leader.again());
      }
      for (JsonNode run : now.path("runs")) {
        if (run.path("number").equals(asked.path("number"))) {
          return succeeded(run);
        }
      }
      if (polls >= lines && now.path("current").isObject()) {
        screen.tell(BackupReport.progress(now.path("current")));
        lines = polls + Math.clamp(polls, 1, MOST_POLLS_BETWEEN_LINES);
      }
      try {
        Thread.sleep(POLL_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new UserError("interrupted; the leader goes on", "See: " + look);
      }
    }
  }

  /** A backup that is over. */
  static JsonNode succeeded(JsonNode run) {
    if (!run.path("failure").isNull()) {
      throw new UserError(
          "the backup was given up: " + run.path("failure").asText(), run.path("hint").asText());
    }
    return run;
  }

  private static JsonNode ask(AdminClient client, String what) {
    return client.call("backup", JsonNodeFactory.instance.objectNode().put("do", what));
  }
}
