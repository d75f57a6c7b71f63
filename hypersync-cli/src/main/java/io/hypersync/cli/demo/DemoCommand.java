package io.hypersync.cli.demo;

import io.hypersync.cli.workspace.NewIds;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hypersync demo}: checks what the demo needs, runs it and cleans up, also after Ctrl-C. */
@Command(
    name = "demo",
    description = {
      "Start a leader and two workers, clone a repository through one mount and read it through the"
          + " other, edit, show the latencies, and clean up. Needs root and git.",
      "With --agents six scripted agents work on both mounts instead, and two of them collide: shows"
          + " the hazards, who did what, an undo, and what there is afterwards."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync demo",
      "  ./hypersync demo --keep                      # and leave it running",
      "  ./hypersync demo --repository /src/linux",
      "  ./hypersync demo --agents                    # six agents, two of which collide"
    })
public final class DemoCommand implements Callable<Integer> {
  /** The exit code with which shells report a process ended by Ctrl-C. */
  private static final int ENDED_BY_SIGNAL = 130;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--keep", description = "Leave it running, and say how to use and stop it.")
  private boolean keep;

  @Option(names = "--agents", description = "Show agents that collide, in place of a repository.")
  private boolean agents;

  @Option(
      names = "--repository",
      paramLabel = "<dir>",
      description = "What to clone (default: this project, or a generated one).")
  private @Nullable Path repository;

  @Override
  public Integer call() throws InterruptedException {
    if (agents && repository != null) {
      throw new UserError(
          "--agents and --repository at once", "Give one of them.", UserError.USAGE);
    }
    refuseIfImpossible();
    Path parent = Path.of(System.getProperty("java.io.tmpdir"));
    try {
      return run(parent);
    } catch (IOException failure) {
      throw new UserError(
          "the demo cannot read or write one of its files: " + FileProblems.describe(failure),
          "It makes its folder in "
              + parent
              + ", which must be writable and have room. To have it elsewhere:\n"
              + "HYPERSYNC_JAVA_OPTS=-Djava.io.tmpdir=<dir> ./hypersync demo");
    }
  }

  private int run(Path parent) throws IOException, InterruptedException {
    Narrator narrator = new Narrator(spec.commandLine().getOut());
    try (Cleanup cleanup = new Cleanup(narrator)) {
      // Ctrl-C ends the JVM without leaving this block; the hook cleans up then.
      Runtime.getRuntime().addShutdownHook(new Thread(cleanup::undo, "demo-cleanup"));
      DemoFolder folder = DemoFolder.create(parent);
      cleanup.add("remove " + folder.root(), folder::delete);
      Demo demo = new Demo(narrator, cleanup, folder, RunDirectory.of(System.getenv()));
      Demo.Cast cast;
      try {
        cast =
            demo.start(
                NewIds.workspace(),
                Demo.PLAYERS,
                Demo.Extras.NONE.withMainHost(Demo.PLAYERS.getFirst()));
        if (agents) {
          new AgentsDemo(narrator, cleanup, folder, cast).play();
        } else {
          demo.play(cast, source());
        }
        demo.report(cast);
      } catch (UserError | IOException failure) {
        if (cleanup.hasBegun()) {
          // The shutdown hook stopped the daemons, so the failure needs no report.
          return ENDED_BY_SIGNAL;
        }
        throw failure;
      }
      if (keep) {
        cleanup.forget();
        narrator.say("it goes on running, as asked");
        narrator.quote(howToGoOn(folder, cast), Integer.MAX_VALUE);
      } else {
        cleanup.undo();
        narrator.say("done");
      }
    }
    return 0;
  }

  private static String howToGoOn(DemoFolder folder, Demo.Cast cast) {
    return """
    mount A    %s
    mount B    %s
    logs       %s
    look       ./hypersync status
               ./hypersync log --tail 20 --workspace %s
    stop       ./hypersync umount %s %s
               kill %d
               rm -r %s
    """
        .formatted(
            folder.mount("a"),
            folder.mount("b"),
            folder.log("leader").getParent(),
            cast.workspace().id().toString().substring(0, 8),
            folder.mount("a"),
            folder.mount("b"),
            cast.leader().pid(),
            folder.root());
  }

  /** Returns the given repository, or else this project if it is a repository with a commit. */
  private Optional<Path> source() {
    if (repository != null) {
      return Optional.of(repository.toAbsolutePath().normalize());
    }
    String launcher = System.getenv("HYPERSYNC_LAUNCHER");
    if (launcher == null) {
      return Optional.empty();
    }
    Path project = Path.of(launcher).toAbsolutePath().getParent();
    try {
      new Tool(Map.of()).run(project, "git", "rev-parse", "--verify", "HEAD");
      return Optional.of(project);
    } catch (UserError noRepository) {
      return Optional.empty();
    }
  }

  private static void refuseIfImpossible() {
    if (!Files.isWritable(Path.of("/dev/fuse"))) {
      throw new UserError(
          "the demo mounts filesystems, and /dev/fuse cannot be opened",
          "Run it as root, on a machine with FUSE (modprobe fuse; in a container: --device"
              + " /dev/fuse --cap-add SYS_ADMIN).");
    }
    for (String tool : List.of("git", "setsid")) {
      new Tool(Map.of()).run(Path.of("/"), tool, "--version");
    }
  }
}
