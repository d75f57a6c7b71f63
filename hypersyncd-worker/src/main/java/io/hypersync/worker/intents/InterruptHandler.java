package io.hypersync.worker.intents;

import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.port.Signals;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Decides which waiting calls end when their caller receives a signal. On a local disk, a signal
 * that has a handler does not cut a call short: think of git's progress timer, or a change of a
 * window's size. FUSE cannot have a call restarted after the handler (ERESTARTSYS); it has only
 * EINTR, which callers of open, mkdir or rename do not expect. So a wait ends only when the signal
 * ends the caller. Waits for locks are handled elsewhere: they end with any signal, as documented
 * for fcntl and flock.
 *
 * <p>The kernel reports only the first signal of a call. So a caller that has received one is
 * checked again periodically while its call waits: the next signal may end it. Single-threaded.
 */
public final class InterruptHandler {
  /** The interval of these checks; too short for a user who presses Ctrl-C to notice. */
  private static final long LOOK_AGAIN_NS = 100_000_000;

  private final MutationGate gate;
  private final Signals signals;

  /**
   * Requests that go on waiting although their callers have received a signal, and the threads that
   * made them. A request that is not waiting may be between its first mutation and its second, so
   * it is kept until the next check, too.
   */
  private final Map<RequestId, Integer> waiting = new LinkedHashMap<>();

  private long nextLookNs;

  public InterruptHandler(MutationGate gate, Signals signals) {
    this.gate = gate;
    this.signals = signals;
  }

  /**
   * The caller of a request has received a signal.
   *
   * @param unique the request's number
   * @param pid the thread that made it
   */
  public void interrupted(RequestId unique, int pid, long nowNs) {
    if (waiting.isEmpty()) {
      nextLookNs = nowNs + LOOK_AGAIN_NS;
    }
    if (!gate.isWaiting(unique) || !isOver(unique, pid)) {
      waiting.put(unique, pid);
    }
  }

  /** Checks the callers that have received a signal, if that is due. */
  public void tick(long nowNs) {
    if (waiting.isEmpty() || nowNs - nextLookNs < 0) {
      return;
    }
    nextLookNs = nowNs + LOOK_AGAIN_NS;
    waiting.entrySet().removeIf(call -> isOver(call.getKey(), call.getValue()));
  }

  /**
   * Ends the call if its caller is ending and the call can be given up. Returns whether it waits no
   * longer. A mutation that was sent to the leader goes on; the leader may still refuse it for now,
   * and then it can be given up, so such a call stays in {@link #waiting}.
   */
  private boolean isOver(RequestId unique, int pid) {
    if (gate.isWaiting(unique) && signals.endCaller(pid)) {
      gate.interrupt(unique);
    }
    return !gate.isWaiting(unique);
  }
}
