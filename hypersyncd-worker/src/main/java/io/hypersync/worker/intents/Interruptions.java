package io.hypersync.worker.intents;

import io.hypersync.worker.port.Signals;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which waits end with a signal. On a disk a call is not cut short by one that has a handler: git's
 * progress, a window that changes its size, a timer. FUSE cannot say "begin again after the
 * handler" (ERESTARTSYS), only EINTR, which callers of open, mkdir or rename do not expect. So a
 * wait ends only when the signal ends the caller. Waits for locks are another matter: those end
 * with any signal, as fcntl and flock are documented to.
 *
 * <p>The kernel tells of the first signal only, so a caller who has got one is looked at from time
 * to time as long as his call waits: the next one may end him. Single-threaded.
 */
public final class Interruptions {
  /** What a user who presses Ctrl-C does not notice. */
  private static final long LOOK_AGAIN_NS = 100_000_000;

  private final MutationGate gate;
  private final Signals signals;

  /**
   * Requests that wait on although their callers have got a signal, and whose they are. One that
   * does not wait may be on its way from its first mutation to its second, so it is kept until the
   * next look, too.
   */
  private final Map<Long, Integer> waiting = new LinkedHashMap<>();

  private long nextLookNs;

  /** Nobody has got a signal. */
  public Interruptions(MutationGate gate, Signals signals) {
    this.gate = gate;
    this.signals = signals;
  }

  /**
   * The caller of a request has got a signal.
   *
   * @param unique the request's number
   * @param pid the thread that made it
   */
  public void interrupted(long unique, int pid, long nowNs) {
    if (waiting.isEmpty()) {
      nextLookNs = nowNs + LOOK_AGAIN_NS;
    }
    if (!gate.isWaiting(unique) || !isOver(unique, pid)) {
      waiting.put(unique, pid);
    }
  }

  /** Looks at callers who have got a signal, if it is time to. */
  public void tick(long nowNs) {
    if (waiting.isEmpty() || nowNs - nextLookNs < 0) {
      return;
    }
    nextLookNs = nowNs + LOOK_AGAIN_NS;
    waiting.entrySet().removeIf(call -> isOver(call.getKey(), call.getValue()));
  }

  /**
   * Whether the call waits no longer; what the leader has may come back, so that is kept in mind.
   */
  private boolean isOver(long unique, int pid) {
    if (gate.isWaiting(unique) && signals.endCaller(pid)) {
      gate.interrupt(unique);
    }
    return !gate.isWaiting(unique);
  }
}
