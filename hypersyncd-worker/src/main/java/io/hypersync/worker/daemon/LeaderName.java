package io.hypersync.worker.daemon;

import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the leader's address by its name. A name server that is out of reach, as in the network
 * failure that made the lookup necessary, takes tens of seconds not to answer, and reads of the
 * mount must go on meanwhile (hypersync.md 6.4): so it is asked by a thread of its own.
 */
final class LeaderName {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderName.class);

  private final InetSocketAddress address;
  private final UnaryOperator<InetSocketAddress> resolver;

  /**
   * A name, or an address.
   *
   * @param resolver looks the name up, or returns it unresolved
   */
  LeaderName(InetSocketAddress address, UnaryOperator<InetSocketAddress> resolver) {
    this.address = address;
    this.resolver = resolver;
  }

  /** One that is looked up as the system does. */
  static LeaderName of(InetSocketAddress address) {
    return new LeaderName(
        address, name -> new InetSocketAddress(name.getHostString(), name.getPort()));
  }

  /** As it was given. */
  String text() {
    return address.getHostString();
  }

  /**
   * Looks it up and returns at once.
   *
   * @param executor where the answer goes; one that has ended is none the wiser
   * @param answer takes the address, unresolved if there is no such name
   */
  void lookUp(Executor executor, Consumer<InetSocketAddress> answer) {
    Thread.ofPlatform()
        .name("leader-name")
        .daemon()
        .start(
            () -> {
              InetSocketAddress found = resolver.apply(address);
              try {
                executor.execute(() -> answer.accept(found));
              } catch (RejectedExecutionException e) {
                LOG.debug("stopped meanwhile", e);
              }
            });
  }
}
