package io.hypersync.disk;

import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.abi.InitFlag;
import io.hypersync.worker.fuse.dev.FuseMount;
import io.hypersync.worker.fuse.dev.FuseMountOptions;
import io.hypersync.worker.fuse.session.FuseSession;
import io.hypersync.worker.fuse.session.FuseSessionOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * A disk in memory that loses what was not synced when its power is cut (hypersync.md 0.1.2, 22.3).
 *
 * <p>What survives in addition to synced data is random: writes since the last sync, whole or torn,
 * in any combination, and changes of names as {@link Naming} allows. Data in the kernel's page
 * cache that was never written back counts as written and not synced.
 *
 * <p>Shared mappings work, and O_DIRECT is accepted. Used by one thread, apart from the threads
 * that serve the kernel.
 */
public final class PowerLossDisk implements AutoCloseable {
  private static final Duration END_LIMIT = Duration.ofSeconds(30);
  private static final int READERS = 2;

  /** Survival probabilities of which each power cut takes one. */
  private static final double[] SURVIVALS = {0, 0.1, 0.5, 0.9, 1};

  private static final FuseSessionOptions SESSION =
      FuseSessionOptions.defaults()
          .withReaders(READERS)
          .withFlags(
              EnumSet.of(
                  InitFlag.ASYNC_READ,
                  InitFlag.BIG_WRITES,
                  InitFlag.ASYNC_DIO,
                  InitFlag.PARALLEL_DIROPS,
                  InitFlag.MAX_PAGES));

  private final Path point;
  private final DiskHandler handler;
  private FuseSession session;

  private PowerLossDisk(Path point, DiskHandler handler) throws IOException {
    this.point = point;
    this.handler = handler;
    this.session = attach();
  }

  /** Mounts an empty disk, which honours all syncs, on an empty directory. */
  public static PowerLossDisk mount(Path point, Naming naming) throws IOException {
    return new PowerLossDisk(point, new DiskHandler(new DiskImage(naming)));
  }

  /** Sets how names become durable from now on. */
  public void setNaming(Naming naming) {
    handler.setNaming(naming);
  }

  /** Sets which syncs the disk ignores from now on; none if empty. */
  public void lie(Lie... lies) {
    handler.setLies(Set.of(lies));
  }

  /** Number of requests of a kind since the power was last turned on. */
  public long requests(FuseOpcode opcode) {
    return session.counters().requests().getOrDefault(opcode, 0L);
  }

  /** From now until the next power cut every call on the disk fails with EIO, except statfs(2). */
  public void fail() {
    handler.fail();
  }

  /**
   * Cuts the power and turns it on again. No process may have anything open on the disk: those that
   * used it must have been killed.
   *
   * @param random decides what survives, and with which probability
   * @throws IllegalStateException if the disk is still in use
   */
  public void cutPower(RandomGenerator random) throws IOException, InterruptedException {
    cutPower(random, SURVIVALS[random.nextInt(SURVIVALS.length)]);
  }

  /** The same, with the probability from 0 to 1 that a change which was not synced survives. */
  public void cutPower(RandomGenerator random, double survival)
      throws IOException, InterruptedException {
    detach();
    handler.losePower(random, survival);
    session = attach();
  }

  /** Unmounts the disk, even if it is in use. */
  @Override
  public void close() throws IOException {
    session.close();
  }

  private FuseSession attach() throws IOException {
    return FuseSession.start(
        FuseMount.mount(point, FuseMountOptions.workspace("forgetful-disk")), SESSION, handler);
  }

  private void detach() throws IOException, InterruptedException {
    FuseMount.unmount(point);
    if (session.awaitEnd(END_LIMIT).isEmpty()) {
      throw new IllegalStateException("somebody still uses " + point);
    }
    session.close();
  }
}
