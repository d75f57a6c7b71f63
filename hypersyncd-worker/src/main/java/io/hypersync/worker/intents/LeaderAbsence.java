package io.hypersync.worker.intents;

import io.hypersync.worker.fuse.protocol.RequestId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Lets new mutations wait for a leader that has just been lost, for the time that {@code
 * partition_grace} sets (hypersync.md 6.4). They are neither accepted nor sent: their callers are
 * still in the call, and the same decision is made again when the leader is back, or when the time
 * is over. Single-threaded, except {@link #isRunning} and {@link #graceNs}, which any thread may
 * call.
 */
public final class LeaderAbsence {
  /** Most calls that wait at a time; more are refused at once. */
  static final int MAX_CALLS = 1_024;

  /** Most bytes that they want to write, all together; more are refused at once. */
  static final long MAX_BYTES = 64L << 20;

  /** Changed on the agent's thread. */
  private volatile long graceNs;

  private final Map<RequestId, Waiting> waiting = new LinkedHashMap<>();
  private final List<Waiting> nameless = new ArrayList<>();
  private long bytes;
  private long sinceNs;
  private long lengthNs;
  private volatile boolean running;

  private record Waiting(WaitingCall call, long bytes) {}

  /**
   * Creates it with a leader that has never been there: nothing waits for its first connection.
   *
   * @param graceNs how long calls wait, from the moment on in which the leader was lost; 0 for not
   *     at all
   */
  public LeaderAbsence(long graceNs) {
    this.graceNs = graceNs;
  }

  /** For how long calls wait, in nanoseconds; any thread. */
  public long graceNs() {
    return graceNs;
  }

  /** Another grace, from the next loss of the leader on. */
  public void grace(long changedNs) {
    graceNs = changedNs;
  }

  /** Whether calls wait for the leader now, instead of failing; any thread. */
  public boolean isRunning() {
    return running;
  }

  /** How many calls wait. */
  public int size() {
    return waiting.size() + nameless.size();
  }

  /** The leader that was there is lost: the grace begins. */
  public void lost(long nowNs) {
    begin(nowNs, graceNs);
  }

  /**
   * This process has taken a mount over, and may not write yet: what the process before has left
   * waits, and the grace does not count.
   *
   * @param limitNs how long calls wait
   */
  public void takenOver(long nowNs, long limitNs) {
    begin(nowNs, limitNs);
  }

  private void begin(long nowNs, long forNs) {
    sinceNs = nowNs;
    lengthNs = forNs;
    running = forNs > 0;
  }

  /** Nothing waits any more: the leader is back, or will not be waited for. Calls are ready. */
  public void end() {
    running = false;
    List<Waiting> all = new ArrayList<>(waiting.values());
    all.addAll(nameless);
    waiting.clear();
    nameless.clear();
    bytes = 0;
    all.forEach(each -> each.call.ready().run());
  }

  /** Ends the grace once it is over: the calls are ready, and find no leader. */
  public void tick(long nowNs) {
    if (running && nowNs - sinceNs >= lengthNs) {
      end();
    }
  }

  /**
   * Has a call wait.
   *
   * @param size how many bytes it wants to write
   * @return whether it waits; if not, nothing has been run
   */
  public boolean await(WaitingCall call, long size) {
    if (!running || size() >= MAX_CALLS || bytes + size > MAX_BYTES) {
      return false;
    }
    Waiting added = new Waiting(call, size);
    if (call.unique().isUninterruptible()) {
      nameless.add(added);
    } else {
      waiting.put(call.unique(), added);
    }
    bytes += size;
    return true;
  }

  /** Whether a request waits here. */
  public boolean isWaiting(RequestId unique) {
    return waiting.containsKey(unique);
  }

  /**
   * The caller of a request is about to end: its wait ends.
   *
   * @return whether it waited here
   */
  public boolean interrupt(RequestId unique) {
    Waiting ended = waiting.remove(unique);
    if (ended == null) {
      return false;
    }
    bytes -= ended.bytes;
    ended.call.interrupted().run();
    return true;
  }
}
