package io.hypersync.worker.fuse.dev;

import java.io.IOException;
import java.util.List;

/** The kernel's end of one mount, or a fake of it in tests. */
public interface KernelConnection {
  /**
   * Opens channels that share the mount's request queue. To be called once.
   *
   * @param count how many, at least 1; fewer may be returned
   * @param maxMessageBytes the largest request that must fit
   * @throws IOException if not even one can be opened
   */
  List<KernelChannel> openChannels(int count, int maxMessageBytes) throws IOException;

  /**
   * Takes the mount down, even if it is in use. Every {@link KernelChannel#receive} returns null
   * soon after. Does nothing if it is down already.
   *
   * @throws IOException if the mount cannot be taken down
   */
  void disconnect() throws IOException;
}
