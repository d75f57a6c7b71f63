package io.hypersync.bench;

import io.hypersync.cli.config.Settings;
import io.hypersync.cli.demo.ChildDaemon;
import io.hypersync.cli.demo.Cleanup;
import io.hypersync.cli.demo.Demo;
import io.hypersync.cli.demo.DemoFolder;
import io.hypersync.cli.demo.Narrator;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.worker.FuseBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Sets up other filesystems on the leader's disk. One that this machine cannot provide is left out,
 * with a message.
 */
final class BaselineFilesystems {
  private static final String FUSE_BACKEND =
      Settings.WORKER_FUSE_BACKEND.key() + "=" + FuseBackend.JNR.text();

  private final Narrator narrator;
  private final Cleanup cleanup;
  private final Path root;
  private final long imageBytes;
  private final List<MeasuredFilesystem> places = new ArrayList<>();
  private final List<String> leftOut = new ArrayList<>();

  /**
   * Starts without any.
   *
   * @param root a directory on the leader's disk for all of them
   */
  BaselineFilesystems(Narrator narrator, Cleanup cleanup, Path root) {
    this(narrator, cleanup, root, DirsyncImage.USUAL_BYTES);
  }

  /** The same with another size of the ext4 image. */
  BaselineFilesystems(Narrator narrator, Cleanup cleanup, Path root, long imageBytes) {
    this.narrator = narrator;
    this.cleanup = cleanup;
    this.root = root;
    this.imageBytes = imageBytes;
  }

  /** Returns the filesystems that were set up. */
  List<MeasuredFilesystem> places() {
    return List.copyOf(places);
  }

  /** Returns a line for each that could not be set up: the reason, or how to get it. */
  List<String> leftOut() {
    return List.copyOf(leftOut);
  }

  /**
   * Sets up the disk itself and other filesystems on it.
   *
   * @param script sets up a networked filesystem, if one is wanted
   */
  void addAll(Set<MeasuredFilesystem.Kind> kinds, Optional<Path> script)
      throws IOException, InterruptedException {
    add(MeasuredFilesystem.Kind.PLAIN);
    for (MeasuredFilesystem.Kind kind : kinds) {
      if (!kind.isOurs()) {
        add(kind);
      }
    }
    if (script.isPresent()) {
      addPeer(script.get());
    }
  }

  /** Sets up one filesystem. */
  void add(MeasuredFilesystem.Kind kind) throws IOException, InterruptedException {
    Path folder = Files.createDirectories(root.resolve(kind.label()));
    switch (kind) {
      case HYPERSYNC, MAIN_HOST, JNR, PEER ->
          throw new IllegalArgumentException(kind + " is set up elsewhere");
      case PLAIN, UNSYNCED -> place(kind, folder);
      case DIRSYNC -> mountDirsync(folder);
      case BINDFS -> mountBindfs(folder);
    }
  }

  /**
   * Sets up a networked filesystem by a script. The script is called with {@code up} or {@code
   * down} and a directory that it may use; the last line of its output for {@code up} is the mount
   * point. Called with {@code daemons}, it names the processes whose time is measured.
   *
   * @throws UserError with the script's output if it fails
   */
  void addPeer(Path script) throws InterruptedException {
    try {
      Path folder = Files.createDirectories(root.resolve(MeasuredFilesystem.Kind.PEER.label()));
      narrator.say("setting up %s", script.getFileName());
      // Registered before {@code up}: a half finished setup must be taken down, too.
      cleanup.add(
          "take down " + script.getFileName(),
          () -> Command.run(script.toString(), "down", folder.toString()));
      List<String> said = Command.run(script.toString(), "up", folder.toString()).lines().toList();
      MeasuredFilesystem peer =
          new MeasuredFilesystem(
              MeasuredFilesystem.Kind.PEER, Path.of(said.getLast()).resolve("bench"));
      places.add(peer.servedBy(daemons(script, folder)));
    } catch (IOException failure) {
      throw new UserError(
          "cannot set up " + script.getFileName(), String.valueOf(failure.getMessage()));
    }
  }

  /** Asks the script for {@code daemons}: a line with name and process id for each. */
  private static Map<String, Long> daemons(Path script, Path folder)
      throws IOException, InterruptedException {
    Map<String, Long> daemons = new LinkedHashMap<>();
    for (String line :
        Command.run(script.toString(), "daemons", folder.toString()).lines().toList()) {
      int space = line.lastIndexOf(' ');
      try {
        daemons.put(
            line.substring(0, Math.max(space, 0)), Long.parseLong(line.substring(space + 1)));
      } catch (NumberFormatException e) {
        throw new IOException("\"daemons\" says what is no process: " + line, e);
      }
    }
    return daemons;
  }

  /** Measures other mounts of the workspace, too, if they are wanted. */
  void addOurs(Set<MeasuredFilesystem.Kind> wanted, Demo demo, Demo.Cast cast, DemoFolder folder)
      throws IOException, InterruptedException {
    if (wanted.contains(MeasuredFilesystem.Kind.MAIN_HOST)) {
      String name = MeasuredFilesystem.Kind.MAIN_HOST.label();
      Path root = folder.mount(name).resolve("bench-" + name);
      places.addFirst(
          new MeasuredFilesystem(MeasuredFilesystem.Kind.MAIN_HOST, root, EndToEnd.daemons(cast)));
    }
    if (wanted.contains(MeasuredFilesystem.Kind.JNR)) {
      addJnr(demo, cast, folder);
    }
  }

  /**
   * How the workspace is to be started.
   *
   * @param wanted what is to be measured
   */
  static Demo.Extras extras(Set<MeasuredFilesystem.Kind> wanted) {
    return wanted.contains(MeasuredFilesystem.Kind.MAIN_HOST)
        ? Demo.Extras.NONE.withMainHost(MeasuredFilesystem.Kind.MAIN_HOST.label())
        : Demo.Extras.NONE;
  }

  /** Starts one more worker of a workspace, whose mount goes through libfuse 2. */
  private void addJnr(Demo demo, Demo.Cast cast, DemoFolder folder)
      throws IOException, InterruptedException {
    String name = MeasuredFilesystem.Kind.JNR.label();
    try {
      ChildDaemon worker =
          demo.join(cast, name, Demo.Extras.settings(List.of(), List.of(FUSE_BACKEND)));
      var _ = worker.await("reach the leader", status -> status.path("mounted").asBoolean());
      narrator.say("worker %s is ready: its mount goes through libfuse 2", name);
      Path root = folder.mount(name).resolve("bench-" + name);
      Map<String, Long> daemons = EndToEnd.daemons(cast);
      daemons.put("worker " + name, worker.pid());
      places.add(new MeasuredFilesystem(MeasuredFilesystem.Kind.JNR, root, daemons));
    } catch (UserError failure) {
      leaveOut("jnr", failure.getMessage() + " (apt-get install libfuse2)");
    }
  }

  private void mountDirsync(Path folder) throws InterruptedException {
    Path image = root.resolve("dirsync.img");
    Path mount = folder.resolve("mount");
    try {
      Files.createDirectories(mount);
      narrator.say("writing an ext4 to be mounted sync,dirsync");
      new DirsyncImage(image, imageBytes).make(narrator);
      Command.run("mount", "-o", "loop,sync,dirsync", image.toString(), mount.toString());
      cleanup.add("unmount " + mount, () -> Command.run("umount", mount.toString()));
      place(MeasuredFilesystem.Kind.DIRSYNC, mount);
    } catch (IOException failure) {
      leaveOut("ext4 mounted sync,dirsync", String.valueOf(failure.getMessage()));
    }
  }

  private void mountBindfs(Path folder) throws IOException, InterruptedException {
    if (!Command.exists("bindfs")) {
      leaveOut("bindfs", "it is not installed (apt-get install bindfs)");
      return;
    }
    Path source = Files.createDirectories(folder.resolve("source"));
    Path mount = Files.createDirectories(folder.resolve("mount"));
    try {
      Command.run("bindfs", "--multithreaded", source.toString(), mount.toString());
      cleanup.add("unmount " + mount, () -> Command.run("umount", mount.toString()));
      place(MeasuredFilesystem.Kind.BINDFS, mount);
    } catch (IOException failure) {
      leaveOut("bindfs", String.valueOf(failure.getMessage()));
    }
  }

  private void place(MeasuredFilesystem.Kind kind, Path mounted) {
    places.add(new MeasuredFilesystem(kind, mounted.resolve("bench")));
  }

  private void leaveOut(String what, String why) {
    String line = what + " is left out: " + why;
    narrator.say("%s", line);
    leftOut.add(line);
  }
}
