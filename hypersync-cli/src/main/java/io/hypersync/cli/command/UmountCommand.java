package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.daemons.MountUsers;
import io.hypersync.cli.daemons.Mounts;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.text.ShellWords;
import io.hypersync.worker.fuse.dev.FolderCover;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code hypersync umount}: stops workers, and detaches the mounts that dead workers left behind.
 */
@Command(
    name = "umount",
    description = {
      "Unmount a workspace: its worker finishes what is under way, unmounts and ends. So do all states"
          + " of its past that are mounted.",
      "A mounted state of the past is unmounted alone.",
      "The mount of a worker that died is taken out of the way."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync umount /ntmfs/ws/team",
      "  ./hypersync umount --all",
      "  ./hypersync umount --force /ntmfs/ws/team   # though processes work in it"
    })
final class UmountCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Mixin private final Screen screen = new Screen();
  @Mixin private final DaemonSelection selection = new DaemonSelection();

  @Option(names = "--all", description = "Every HyperSync mount of this machine.")
  private boolean all;

  @Option(
      names = "--force",
      description =
          "Unmount though processes work in it, whose next access fails, and with it whatever is"
              + " mounted inside.")
  private boolean force;

  @Parameters(
      paramLabel = "<mount>",
      arity = "0..*",
      description = "Where it is mounted; may be left out if there is one mount only.")
  private List<Path> paths = List.of();

  @Override
  public Integer call() {
    Daemons daemons = selection.daemons();
    List<Daemons.Living> workers = daemons.workers();
    ObjectNode result = JsonNodeFactory.instance.objectNode();
    ArrayNode unmounted = result.putArray("unmounted");
    @Nullable UserError first = null;
    ArrayNode left = result.putArray("left");
    List<Path> mounts = wanted();
    for (Path mount : mounts) {
      try {
        List<Path> inside = Mounts.inside(mount);
        boolean wasAlive = unmount(mount, inside, workers, daemons);
        ObjectNode entry =
            unmounted.addObject().put("mount", mount.toString()).put("worker_was_alive", wasAlive);
        ArrayNode taken = entry.putArray("taken_along");
        inside.forEach(path -> taken.add(path.toString()));
      } catch (UserError e) {
        if (mounts.size() == 1) {
          throw e;
        }
        // A mount that cannot be unmounted does not keep the others from being unmounted.
        left.addObject()
            .put("mount", mount.toString())
            .put("error", e.message())
            .put("hint", e.hint());
        first = first == null ? e : first;
      }
    }
    screen.show(result, () -> lines(unmounted, UmountCommand::done));
    if (!screen.isJson() && !left.isEmpty()) {
      screen.tell(lines(left, UmountCommand::notDone).stripTrailing());
    }
    return first == null ? 0 : first.exitCode();
  }

  private static String lines(ArrayNode entries, Function<JsonNode, String> line) {
    return entries.valueStream().map(line).collect(Collectors.joining());
  }

  private static String done(JsonNode entry) {
    return "Unmounted "
        + Printable.line(entry.path("mount").asText())
        + (entry.path("worker_was_alive").asBoolean()
            ? ""
            : ", which a dead worker had left behind")
        + "\n"
        + entry
            .path("taken_along")
            .valueStream()
            .map(
                inside ->
                    "  and with it "
                        + Printable.line(inside.asText())
                        + ", which was mounted inside\n")
            .collect(Collectors.joining());
  }

  private static String notDone(JsonNode entry) {
    return "Left: "
        + Printable.line(entry.path("error").asText())
        + "\n"
        + Printable.lines(entry.path("hint").asText()).indent(2);
  }

  /** Unmounts one mount; returns whether its worker was alive. */
  private boolean unmount(
      Path mount, List<Path> inside, List<Daemons.Living> workers, Daemons daemons) {
    Optional<Daemons.Living> owner =
        workers.stream()
            .filter(worker -> mount.toString().equals(worker.status().path("mount").asText()))
            .findFirst();
    refuseIfMountedInside(mount, inside);
    Optional<Daemons.Living> server = ofThePast(mount, workers);
    refuseIfUsed(mount, owner.or(() -> server));
    if (owner.isPresent()) {
      for (Path past : pasts(owner.get())) {
        refuseIfUsed(past, owner);
      }
    }
    if (server.isPresent()) {
      var _ =
          new AdminClient(server.get().socket(), LIMIT)
              .call(
                  "mount",
                  JsonNodeFactory.instance
                      .objectNode()
                      .put("do", "remove")
                      .put("path", mount.toString()));
      return true;
    }
    if (owner.isPresent()) {
      new AdminClient(owner.get().socket(), LIMIT)
          .call("stop", JsonNodeFactory.instance.objectNode());
    } else {
      clearAway(mount);
      daemons.forgetDeadWorkers();
    }
    return owner.isPresent();
  }

  /** The worker that serves a state of the past there. */
  private static Optional<Daemons.Living> ofThePast(Path mount, List<Daemons.Living> workers) {
    return workers.stream().filter(worker -> pasts(worker).contains(mount)).findFirst();
  }

  /** Where a worker has mounted states of the past. */
  private static List<Path> pasts(Daemons.Living worker) {
    return worker
        .status()
        .path("past_mounts")
        .valueStream()
        .map(past -> Path.of(past.path("mount").asText()))
        .toList();
  }

  /** Those of the past come first: they end with their worker. */
  private List<Path> wanted() {
    List<Path> pasts = Mounts.ofThePast();
    List<Path> workspaces =
        Mounts.all().stream().filter(mount -> !pasts.contains(mount)).distinct().toList();
    List<Path> mounts = Stream.concat(pasts.stream(), workspaces.stream()).distinct().toList();
    if (all) {
      if (!paths.isEmpty()) {
        throw new UserError("--all and a mount at once", "Give one of them.", UserError.USAGE);
      }
      return mounts;
    }
    if (paths.isEmpty()) {
      if (workspaces.size() == 1) {
        return workspaces;
      }
      throw new UserError(
          mounts.isEmpty()
              ? "no workspace is mounted on this machine"
              : "which mount? There are " + mounts.size(),
          mounts.isEmpty()
              ? "See: ./hypersync status"
              : "Give one of these, or --all:\n"
                  + mounts.stream().map(Path::toString).collect(Collectors.joining("\n")),
          UserError.USAGE);
    }
    List<Path> wanted =
        paths.stream().map(path -> path.toAbsolutePath().normalize()).distinct().toList();
    for (Path path : wanted) {
      if (!mounts.contains(path) && !isFreed(path)) {
        throw new UserError(
            "no workspace is mounted at " + path,
            mounts.isEmpty()
                ? "None is mounted on this machine."
                : "These are:\n"
                    + mounts.stream().map(Path::toString).collect(Collectors.joining("\n")));
      }
    }
    return wanted.stream().filter(mounts::contains).toList();
  }

  /**
   * Returns whether the path was a bare mount folder left immutable by a worker that was killed
   * before it mounted; if so, the folder is an ordinary one again.
   */
  private boolean isFreed(Path path) {
    try {
      boolean cleared = FolderCover.clear(path);
      if (cleared) {
        screen.tell(path + " is a folder like others again; a killed worker had left it immutable");
      }
      return cleared;
    } catch (IOException failure) {
      throw new UserError(
          "cannot free " + path + ": " + FileProblems.describe(failure), "Run this as root.");
    }
  }

  private void refuseIfMountedInside(Path mount, List<Path> inside) {
    if (!force && !inside.isEmpty()) {
      throw new UserError(
          inside.getFirst()
              + " is mounted inside "
              + mount
              + (inside.size() == 1 ? "" : ", and " + (inside.size() - 1) + " more"),
          "Unmount it first: umount "
              + ShellWords.quoted(inside.getLast())
              + "\nor take along all that is mounted inside: --force");
    }
  }

  private void refuseIfUsed(Path mount, Optional<Daemons.Living> owner) {
    Set<Long> own =
        owner.map(worker -> Set.of(worker.status().path("pid").asLong())).orElse(Set.of());
    if (!force) {
      MountUsers.refuse(mount, own);
    }
  }

  /**
   * Detaches a mount without an admin socket. Refuses if its daemon is alive, because detaching
   * would take the mount away from a running worker.
   */
  private void clearAway(Path mount) {
    switch (Mounts.probe(mount)) {
      case DEAD -> detach(mount);
      case ALIVE ->
          throw new UserError(
              "the worker of " + mount + " is alive, but has no admin socket where this looked",
              "If it was started with another HYPERSYNC_RUN_DIR, give the same: --run-dir <dir>");
      case HANGING -> {
        if (!force) {
          throw new UserError(
              "the worker of " + mount + " does not answer",
              "Look at its log. To take the mount away in any case: --force");
        }
        detach(mount);
      }
    }
  }

  /**
   * Detaches with {@code umount -f}. A worker that was killed while it sent a notification about a
   * name can leave calls behind that block each other; only aborting the kernel's connection ends
   * them.
   */
  private static void detach(Path mount) {
    try {
      Process umount =
          new ProcessBuilder("umount", "-f", "-l", mount.toString())
              .redirectErrorStream(true)
              .start();
      String said =
          new String(umount.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      if (umount.waitFor() != 0) {
        throw new UserError("cannot detach " + mount + ": " + said, "Run this as root.");
      }
    } catch (IOException failure) {
      throw new UserError("cannot run umount: " + FileProblems.describe(failure), "");
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new UserError("interrupted while " + mount + " was being detached", "");
    }
  }
}
