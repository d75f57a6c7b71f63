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
 * Looks up the leader's address by its name, on a thread of its own: with the network down, a
 * lookup takes tens of seconds to fail, and reads of the mount must go on meanwhile (hypersync.md
 * 6.4).
 */
final class LeaderName implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderName.class);

  private final InetSocketAddress address;
  private final UnaryOperator<InetSocketAddress> resolver;

  /** Started early: in the failure that makes a lookup necessary, no thread may be available. */
  private final ThreadPoolExecutor thread =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          Thread.ofPlatform().name("leader-name").daemon().factory());

  /**
   * Looks up a host name, or passes an address through.
   *
   * @param resolver resolves the name, or returns it unresolved
   */
  LeaderName(InetSocketAddress address, UnaryOperator<InetSocketAddress> resolver) {
    this.address = address;
    this.resolver = resolver;
    thread.prestartCoreThread();
  }

  /** Uses the system's resolver. */
  static LeaderName of(InetSocketAddress address) {
    return new LeaderName(
        address, name -> new InetSocketAddress(name.getHostString(), name.getPort()));
  }

  /** The host as it was given, name or address. */
  String text() {
    return address.getHostString();
  }

  /**
   * Starts a lookup and returns at once.
   *
   * @param executor runs the answer; if it has been shut down, the answer is dropped
   * @param answer gets the address, unresolved if the name does not resolve
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
      LOG.warn("the name {} cannot be looked up", text(), e); // who waits still gets an answer
      return InetSocketAddress.createUnresolved(text(), address.getPort());
    }
  }

  /** Ends lookups; one that is under way gets no answer. */
  @Override
  public void close() {
    thread.shutdownNow();
  }
}
