package io.hypersync.worker.fuse.dev;

import java.io.IOException;
import java.util.List;

/** The kernel side of one mount, or a test's stand-in for it. */
public interface KernelConnection {
  /**
   * Opens channels that share the mount's queue of requests. Called once.
   *
   * @param count how many, at least 1; fewer are returned where the kernel gives no more
   * @param maxMessageBytes the largest request that must fit
   * @throws IOException when there is not even one
   */
  List<KernelChannel> openChannels(int count, int maxMessageBytes) throws IOException;

  /**
   * Takes the mount down, whoever still uses it. Every {@link KernelChannel#receive} returns null
   * soon after. Does nothing when it is down already.
   *
   * @throws IOException when the mount cannot be taken down
   */
  void disconnect() throws IOException;
}
