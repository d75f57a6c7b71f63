package io.hypersync.sim.disk;

import io.hypersync.leader.oplog.CommittedBatch;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.leader.oplog.OpLogListener;
import io.hypersync.leader.oplog.RecoveryListener;
import io.hypersync.leader.standby.StandbyDisk;
import io.hypersync.leader.standby.StandbyFile;
import io.hypersync.model.hash.Hash;
import io.hypersync.sim.world.Host;
import io.hypersync.sim.world.Prng;
import io.hypersync.wire.message.Revocation;
import java.io.IOException;
import java.util.List;
import java.util.function.LongFunction;

/** The disk of a simulated standby, during one of its runs: one that a leader can lead. */
public final class SimStandbyDisk implements StandbyDisk {
  private final LeaderDisk disk;
  private final Host host;
  private final Prng prng;
  private final long slowestSyncNs;
  private final LongFunction<List<byte[]>> first;

  /**
   * The disk of a run.
   *
   * @param slowestSyncNs upper bound of the duration of a sync, in nanoseconds
   * @param first so many entries of the log, from the first one on
   */
  public SimStandbyDisk(
      LeaderDisk disk, Host host, Prng prng, long slowestSyncNs, LongFunction<List<byte[]>> first) {
    this.disk = disk;
    this.host = host;
    this.prng = prng;
    this.slowestSyncNs = slowestSyncNs;
    this.first = first;
  }

  @Override
  public OpLog open(RecoveryListener kept, OpLogListener listener) throws IOException {
    return new SimOpLog(
        disk,
        disk.open(kept),
        host,
        prng.split(),
        slowestSyncNs,
        new SimOpLog.Events(
            _ -> {},
            () -> listener.onDurable(new CommittedBatch(disk.durableLog().size(), 1, 0, 0, false)),
            why ->
                listener.onFailure(
                    new OpLogFailedException(String.valueOf(why.getMessage()), why))));
  }

  /** Nobody looks at it any more, here. */
  @Override
  public void putAside() {}

  @Override
  public void begin(long firstIndex) throws IOException {
    disk.begin(first.apply(firstIndex - 1));
  }

  @Override
  public boolean hasChunk(Hash chunk) {
    return disk.chunks().contains(chunk);
  }

  @Override
  public void syncChunks() throws IOException {
    disk.chunks().sync();
  }

  @Override
  public long collectedThrough() {
    return disk.collected().through();
  }

  @Override
  public void raiseCollected(long index) throws IOException {
    disk.collected().raise(index);
  }

  @Override
  public void mark(StandbyFile mark) {
    disk.mark(mark);
  }

  @Override
  public void keepRevoked(List<Revocation> all) {
    // the simulated leader revokes nothing
  }

  @Override
  public void pause() {
    throw new IllegalStateException("nothing happens meanwhile: the standby is too far behind");
  }

  @Override
  public String name() {
    return "a simulated disk";
  }
}
