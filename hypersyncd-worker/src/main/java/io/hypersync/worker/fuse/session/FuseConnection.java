package io.hypersync.worker.fuse.session;

import io.hypersync.worker.fuse.abi.InitFlag;
import java.util.Set;

/**
 * What kernel and daemon agreed on.
 *
 * @param minor the protocol is 7.{@code minor}
 * @param flags what both want
 * @param maxWriteBytes the largest WRITE, and READ
 */
public record FuseConnection(int minor, Set<InitFlag> flags, int maxWriteBytes) {
  /** Keeps a copy of the flags. */
  public FuseConnection {
    flags = Set.copyOf(flags);
  }
}
