package io.hypersync.worker.daemon;

import io.hypersync.runtime.text.HostPorts;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The addresses at which the leader may be: the current one, until it is of no use, then the next.
 * Whoever answers there has to show a leader's certificate of this workspace, so none of them is
 * trusted for being in the list. Used on the transport's thread.
 */
final class LeaderAddresses implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderAddresses.class);

  /** So long a name may take, if there is another address to go on with. */
  private static final long LOOKUP_LIMIT_MS = 2_000;

  private final List<InetSocketAddress> addresses;
  private final List<LeaderName> names;

  /** Which names are being looked up. */
  private final boolean[] isAsked;

  private int current;

  /** How many were of no use, one after the other. */
  private int inVain;

  LeaderAddresses(List<InetSocketAddress> addresses) {
    this(addresses, addresses.stream().map(LeaderName::of).toList());
  }

  LeaderAddresses(List<InetSocketAddress> addresses, List<LeaderName> names) {
    this.addresses = List.copyOf(addresses);
    this.names = List.copyOf(names);
    this.isAsked = new boolean[names.size()];
  }

  /** The current one, as it was given. */
  String text() {
    return HostPorts.of(addresses.get(current));
  }

  /** All of them, as they were given. */
  List<String> texts() {
    return addresses.stream().map(HostPorts::of).toList();
  }

  int size() {
    return addresses.size();
  }

  /**
   * Looks up the current one and returns at once. If there are others, it is unresolved after two
   * seconds: a name service that hangs does not keep anybody from them.
   *
   * @param executor runs the answer; the caller is on its thread
   */
  void lookUp(ScheduledExecutorService executor, Consumer<InetSocketAddress> answer) {
    int asked = current;
    LeaderName name = names.get(asked);
    if (size() == 1) {
      name.lookUp(executor, answer);
      return;
    }
    if (isAsked[asked]) { // for longer than the limit
      answer.accept(addresses.get(asked));
      return;
    }
    isAsked[asked] = true;
    boolean[] isAnswered = new boolean[1];
    Consumer<InetSocketAddress> once =
        found -> {
          if (!isAnswered[0]) {
            isAnswered[0] = true;
            answer.accept(found);
          }
        };
    name.lookUp(
        executor,
        found -> {
          isAsked[asked] = false;
          once.accept(found);
        });
    try {
      ScheduledFuture<?> _ =
          executor.schedule(
              () -> once.accept(addresses.get(asked)), LOOKUP_LIMIT_MS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("stopped meanwhile", e);
    }
  }

  /**
   * The current one is of no use: the next one is the current one from now on.
   *
   * @return whether it is one that was not tried since the last {@link #settled}, or since all were
   *     tried in vain: then it is to be tried at once
   */
  boolean next() {
    current = (current + 1) % size();
    inVain++;
    if (inVain >= size()) {
      inVain = 0;
      return false;
    }
    return true;
  }

  /** Whoever leads is at the current one. */
  void settled() {
    inVain = 0;
  }

  /** Ends lookups; one that is under way gets no answer. */
  @Override
  public void close() {
    names.forEach(LeaderName::close);
  }
}
