package io.hypersync.bench;

import io.hypersync.cli.demo.ChildDaemon;
import io.hypersync.cli.demo.Demo;
import io.hypersync.cli.demo.DemoFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * How soon a new worker is of use, from the start of its process on.
 *
 * @param mountedNs until it had mounted
 * @param listedNs until {@code ls -l} of the workspace's root has ended
 * @param folderNs how long the same then takes for a folder in it
 * @param caughtUpNs until everything that was committed before is applied
 * @param entries how many that is
 * @param memory of the worker then
 */
record FirstList(
    long mountedNs,
    long listedNs,
    long folderNs,
    long caughtUpNs,
    long entries,
    ResidentMemory memory) {
  private static final Duration LIMIT = Duration.ofMinutes(30);

  /**
   * Starts a worker with an empty state directory, and ends it afterwards.
   *
   * @param below a folder in the root; empty for the root alone
   */
  static FirstList measure(
      Demo demo, Demo.Cast cast, DemoFolder folder, String name, Demo.Extras extras, String below)
      throws IOException, InterruptedException {
    long entries = cast.leader().status().path("commit_index").asLong();
    Path mount = folder.mount(name);
    long beganNs = System.nanoTime();
    ChildDaemon worker = demo.join(cast, name, extras);
    var _ = worker.await("mount", status -> status.path("mounted").asBoolean(), LIMIT);
    long mountedNs = System.nanoTime() - beganNs;
    var _ = Command.run("ls", "-l", mount.toString());
    long listedNs = System.nanoTime() - beganNs;
    var _ = Command.run("ls", "-l", mount.resolve(below).toString());
    long folderNs = System.nanoTime() - beganNs - listedNs;
    var _ =
        worker.await("catch up", status -> status.path("applied_index").asLong() >= entries, LIMIT);
    long caughtUpNs = System.nanoTime() - beganNs;
    FirstList found =
        new FirstList(
            mountedNs, listedNs, folderNs, caughtUpNs, entries, ResidentMemory.of(worker.pid()));
    worker.stop();
    return found;
  }
}
