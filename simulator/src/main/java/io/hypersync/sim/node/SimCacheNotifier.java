package io.hypersync.sim.node;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.state.FsState;
import io.hypersync.sim.world.Host;
import io.hypersync.sim.world.Prng;
import io.hypersync.worker.coherence.CachedName;
import io.hypersync.worker.coherence.Growth;
import io.hypersync.worker.coherence.MovedDirectory;
import io.hypersync.worker.coherence.PageRange;
import io.hypersync.worker.port.CacheNotifier;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A kernel that completes invalidations after a random delay. */
final class SimCacheNotifier implements CacheNotifier {
  private static final long SHORT_NS = 200_000;
  private static final long LONG_NS = 50_000_000;

  private final Host host;
  private final Prng prng;
  private final LongConsumer dropped;

  SimCacheNotifier(Host host, Prng prng, LongConsumer dropped) {
    this.host = host;
    this.prng = prng;
    this.dropped = dropped;
  }

  @Override
  public boolean dropAttributes(InodeNo inode) {
    return !prng.oneIn(20);
  }

  @Override
  public void dropNames(long ticket, List<CachedName> dropping, List<CachedName> expiring) {
    later(ticket);
  }

  @Override
  public void loosenNames(long ticket, List<InodeNo> inodes, boolean missing) {
    later(ticket);
  }

  @Override
  public void dropContents(
      long ticket, List<InodeNo> attributes, List<PageRange> pages, @Nullable Growth growth) {
    later(ticket);
  }

  @Override
  public void followMoves(long ticket, List<MovedDirectory> moved) {
    later(ticket);
  }

  @Override
  public void refreshOwner(long ticket, InodeNo inode) {
    later(ticket);
  }

  @Override
  public void expireAll(long ticket) {
    later(ticket);
  }

  @Override
  public void followAll(long ticket, FsState before, FsState after) {
    later(ticket);
  }

  @Override
  public void dropListing(long ticket, InodeNo inode) {
    later(ticket);
  }

  @Override
  public void prune(List<InodeNo> inodes) {}

  private void later(long ticket) {
    long delayNs = prng.between(0, prng.oneIn(10) ? LONG_NS : SHORT_NS);
    host.after(delayNs, "", () -> host.execute(() -> dropped.accept(ticket)));
  }
}
