package io.hypersync.worker.daemon;

import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the leader's address by its name. A name server that is out of reach, as in the network
 * failure that made the lookup necessary, takes tens of seconds not to answer, and reads of the
 * mount must go on meanwhile (hypersync.md 6.4): so it is asked by a thread of its own.
 */
final class LeaderName implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderName.class);

  private final InetSocketAddress address;
  private final UnaryOperator<InetSocketAddress> resolver;

  /** Made at the start: in the trouble that makes a lookup necessary there may be no other. */
  private final ThreadPoolExecutor thread =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          Thread.ofPlatform().name("leader-name").daemon().factory());

  /**
   * A name, or an address.
   *
   * @param resolver looks the name up, or returns it unresolved
   */
  LeaderName(InetSocketAddress address, UnaryOperator<InetSocketAddress> resolver) {
    this.address = address;
    this.resolver = resolver;
    thread.prestartCoreThread();
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
    try {
      thread.execute(
          () -> {
            InetSocketAddress found = resolve();
            try {
              executor.execute(() -> answer.accept(found));
            } catch (RejectedExecutionException e) {
              LOG.debug("stopped meanwhile", e);
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("closed meanwhile", e);
    }
  }

  private InetSocketAddress resolve() {
    try {
      return resolver.apply(address);
    } catch (RuntimeException e) {
      LOG.warn("the name {} cannot be looked up", text(), e); // whoever waits must hear of it
      return InetSocketAddress.createUnresolved(text(), address.getPort());
    }
  }

  /** Nothing is looked up any more; what is being looked up is told to nobody. */
  @Override
  public void close() {
    thread.shutdownNow();
  }
}
