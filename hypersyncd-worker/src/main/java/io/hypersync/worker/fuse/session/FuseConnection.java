package io.hypersync.worker.fuse.session;

import io.hypersync.worker.fuse.abi.InitFlag;
import java.util.Set;

/**
 * What kernel and daemon have negotiated.
 *
 * @param minor the protocol version is 7.{@code minor}
 * @param flags the flags that both sides want
 * @param maxWriteBytes the largest WRITE, and READ
 */
public record FuseConnection(int minor, Set<InitFlag> flags, int maxWriteBytes) {
  public FuseConnection {
    flags = Set.copyOf(flags);
  }
}
