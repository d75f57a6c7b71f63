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
 * <p>What survives besides what was synced is chance: every write since, or half of one, in any
 * combination, and every change of a name as {@link Naming} allows. What is in the kernel's page
 * cache and was never written back counts as written and not synced.
 *
 * <p>Shared mappings work; O_DIRECT is accepted. Single-threaded, but for what the kernel asks.
 */
public final class ForgetfulDisk implements AutoCloseable {
  private static final Duration END_LIMIT = Duration.ofSeconds(30);
  private static final int READERS = 2;

  /** How likely what was not synced survives, in one power cut or another. */
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

  private ForgetfulDisk(Path point, DiskHandler handler) throws IOException {
    this.point = point;
    this.handler = handler;
    this.session = attach();
  }

  /** An empty disk that keeps what it promises, mounted on an empty directory. */
  public static ForgetfulDisk mount(Path point, Naming naming) throws IOException {
    return new ForgetfulDisk(point, new DiskHandler(new DiskImage(naming)));
  }

  /** From now on names become durable like this. */
  public void setNaming(Naming naming) {
    handler.setNaming(naming);
  }

  /** From now on it only pretends to do these. */
  public void lie(Lie... lies) {
    handler.setLies(Set.of(lies));
  }

  /** How many requests of a kind came since the power was on. */
  public long requests(FuseOpcode opcode) {
    return session.counters().requests().getOrDefault(opcode, 0L);
  }

  /** From now on, until the power has been cut, every call on it ends with EIO, but statfs(2). */
  public void fail() {
    handler.fail();
  }

  /**
   * Cuts the power, and turns it on again. Nobody may have anything open on the disk: who used it
   * has been killed.
   *
   * @param random what survives, and how likely
   */
  public void cutPower(RandomGenerator random) throws IOException, InterruptedException {
    cutPower(random, SURVIVALS[random.nextInt(SURVIVALS.length)]);
  }

  /** The same, where a change that was not synced survives with that chance, 0 to 1. */
  public void cutPower(RandomGenerator random, double survival)
      throws IOException, InterruptedException {
    detach();
    handler.losePower(random, survival);
    session = attach();
  }

  /** Unmounts it, whoever uses it. */
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
    if (!session.awaitEnd(END_LIMIT)) {
      throw new IllegalStateException("somebody still uses " + point);
    }
    session.close();
  }
}
