package io.hypersync.leader.leadership;

import io.hypersync.leader.leadership.ClaimContent.Free;
import io.hypersync.leader.leadership.ClaimContent.Held;
import io.hypersync.leader.leadership.ClaimContent.Malformed;
import io.hypersync.runtime.agent.Clock;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One process's part in who leads a workspace on this host. It observes until it can take the
 * claim; leads, and refreshes the claim; and is over when it has lost or released it. Another
 * attempt is another object.
 *
 * <p>Any thread may ask {@link #isLeader}; the other methods are called by whoever drives it, and
 * by admin commands. All decisions are made under the lock of this object, and while no other
 * process uses the claim ({@link ClaimStore}).
 *
 * <p>Why two never act at once: a leader acts on a refresh for {@link ClaimRules#STALE_NS} from the
 * moment before it wrote it. Others take the claim when they have seen it unchanged for longer,
 * from a moment after that. So whoever was stopped meanwhile (a signal, a disk, a suspended
 * machine) does not trust its claim when it goes on, and reads the file before it acts. A thread
 * that is stopped between the question and the deed is not covered by this; the lock of the state
 * directory is, which the kernel holds for the process as long as it lives.
 */
public final class Leadership implements LeaderGate {
  /** How often {@link #refresh} is to be called, in ns. */
  public static final long REFRESH_NS = ClaimRules.REFRESH_NS;

  private final String instance;
  private final long pid;
  private final ClaimStore store;
  private final HostProcesses processes;
  private final Clock clock;
  private final ClaimRules rules;
  private final long notBeforeNs;

  private volatile Phase phase = Phase.OBSERVING;

  /** Until then others leave the claim alone; written before {@link #phase} is, and under lock. */
  private volatile long trustedUntilNs;

  // Guarded by this object.
  private @Nullable ClaimContent seen;
  private long seenSinceNs;
  private @Nullable Claim own;
  private boolean asks;
  private String problem = "";
  private @Nullable String lostBecause;
  private @Nullable Consumer<String> whenLost;

  /** Where a process is in this. */
  public enum Phase {
    /** Another process leads, or may do so. */
    OBSERVING,
    /** This process leads. */
    LEADING,
    /** This process has led; it does nothing any more. */
    OVER
  }

  /**
   * What is known, for status reports.
   *
   * @param content what the claim file said last; null before the first look
   * @param problem why the file cannot be used; empty if it can
   */
  public record View(
      Phase phase, String instance, long pid, @Nullable ClaimContent content, String problem) {}

  /**
   * Begins to observe.
   *
   * @param instance names this process: no other one may have the name
   * @param notBeforeNs the claim is not taken before this moment of the monotonic clock: by a
   *     process that has just given it away
   */
  public Leadership(
      String instance,
      long pid,
      ClaimStore store,
      HostProcesses processes,
      Clock clock,
      long notBeforeNs) {
    this(instance, pid, store, processes, clock, notBeforeNs, new ClaimRules());
  }

  Leadership(
      String instance,
      long pid,
      ClaimStore store,
      HostProcesses processes,
      Clock clock,
      long notBeforeNs,
      ClaimRules rules) {
    this.instance = instance;
    this.pid = pid;
    this.store = store;
    this.processes = processes;
    this.clock = clock;
    this.notBeforeNs = notBeforeNs;
    this.rules = rules;
  }

  @Override
  public boolean isLeader() {
    if (phase != Phase.LEADING) {
      return false;
    }
    // Read after the phase, so it is the one of this leadership or a later one.
    return rules.isTrusted(clock.monotonicNs(), trustedUntilNs) || refresh() == Phase.LEADING;
  }

  /**
   * One turn: takes the claim if that is possible, or refreshes it. To be called at once, and then
   * every {@link #REFRESH_NS}.
   */
  public Phase refresh() {
    Consumer<String> listener = null;
    String reason = "";
    Phase now;
    synchronized (this) {
      long nowNs = clock.monotonicNs();
      try {
        turn(nowNs);
        problem = "";
      } catch (ClaimException e) {
        problem = e.message();
        if (phase == Phase.LEADING && !rules.isTrusted(nowNs, trustedUntilNs)) {
          over("its claim cannot be refreshed: " + problem);
        }
      }
      now = phase;
      if (now == Phase.OVER && lostBecause != null && whenLost != null) {
        listener = whenLost;
        reason = lostBecause;
        whenLost = null;
      }
    }
    if (listener != null) {
      listener.accept(reason);
    }
    return now;
  }

  private void turn(long nowNs) throws ClaimException {
    switch (phase) {
      case OVER -> {}
      case OBSERVING -> {
        ClaimContent there = store.exchange(found -> observed(found, nowNs));
        if (there instanceof Held(Claim claim) && claim.equals(own)) {
          trustedUntilNs = nowNs + ClaimRules.STALE_NS;
          phase = Phase.LEADING;
        }
        see(there, nowNs);
      }
      case LEADING -> {
        ClaimContent there = store.exchange(found -> kept(found, nowNs));
        if (there instanceof Held(Claim claim) && own != null && claim.equals(own.refreshed())) {
          own = claim;
          trustedUntilNs = nowNs + ClaimRules.STALE_NS;
        } else if (there instanceof Held(Claim claim) && claim.isOf(instance, pid)) {
          over("instance " + claim.wantedBy() + " has asked for the claim");
        } else if (there instanceof Held(Claim claim)) {
          over("instance " + claim.instance() + ", pid " + claim.pid() + ", has taken the claim");
        } else {
          over("its claim is gone, and was not refreshed in time");
        }
        see(there, nowNs);
      }
    }
  }

  /** What an observer writes. */
  private Optional<ClaimContent> observed(ClaimContent found, long nowNs) {
    see(found, nowNs);
    if (nowNs - notBeforeNs >= 0
        && rules.verdict(found, instance, pid, nowNs - seenSinceNs, processes)
            == ClaimRules.Verdict.TAKE) {
      own = new Claim(instance, pid, clock.epochNs() / 1_000_000, 0, "");
      return Optional.of(new Held(own));
    }
    if (asks && found instanceof Held(Claim claim) && !claim.wantedBy().equals(instance)) {
      return Optional.of(new Held(claim.wantedBy(instance)));
    }
    return Optional.empty();
  }

  /** What the leader writes. */
  private Optional<ClaimContent> kept(ClaimContent found, long nowNs) {
    Claim mine = own;
    if (mine == null) {
      return Optional.empty();
    }
    boolean isKept =
        found instanceof Held(Claim claim)
            // The very claim that was written last: nobody has led since, however late this is. A
            // write that has failed may be there all the same.
            ? claim.equals(mine) || claim.equals(mine.refreshed())
            : rules.leadsWithout(found, rules.isTrusted(nowNs, trustedUntilNs));
    return isKept ? Optional.of(new Held(mine.refreshed())) : Optional.empty();
  }

  private void see(ClaimContent content, long nowNs) {
    if (!isSame(content, seen)) {
      seen = content;
      seenSinceNs = nowNs;
    }
  }

  /** Who asks for a claim does not refresh it. */
  private static boolean isSame(ClaimContent one, @Nullable ClaimContent other) {
    return (one instanceof Held(Claim claim) && other instanceof Held(Claim before))
        ? claim.wantedBy("").equals(before.wantedBy(""))
        : one.equals(other);
  }

  private void over(String why) {
    phase = Phase.OVER;
    lostBecause = why;
  }

  /**
   * Asks the leader for the claim: it stops when it refreshes the claim, and this process takes it.
   * Does nothing if this process leads, or has led.
   */
  public synchronized void ask() {
    asks = true;
  }

  /**
   * Ends it: empties the claim file if the claim is this process's, and never removes it, so that
   * nobody locks a file that is not there. To be called when nothing acts any more.
   *
   * @throws ClaimException if it cannot be written; others take the claim when this process ends
   */
  public synchronized void release() throws ClaimException {
    phase = Phase.OVER;
    if (own != null) {
      var _ =
          store.exchange(
              found ->
                  rules.mayRelease(found, instance, pid)
                      ? Optional.of(new Free())
                      : Optional.empty());
      own = null;
    }
  }

  @Override
  public void onLost(Consumer<String> then) {
    String already;
    synchronized (this) {
      already = phase == Phase.OVER ? lostBecause : null;
      whenLost = already == null ? then : null;
    }
    if (already != null) {
      then.accept(already);
    }
  }

  /** Why leadership was lost; empty if it was not, or was released. */
  public synchronized Optional<String> lostBecause() {
    return Optional.ofNullable(lostBecause);
  }

  /** Where this process is, as of its last look; any thread. */
  public Phase phase() {
    return phase;
  }

  /** What is known. */
  public synchronized View view() {
    return new View(phase, instance, pid, seen, problem);
  }

  /** A few words about what is there, for a person; names are as they were written. */
  public static String describe(@Nullable ClaimContent content) {
    return switch (content) {
      case null -> "not looked at yet";
      case Free _ -> "nobody";
      case Malformed _ -> "unreadable";
      case Held(Claim claim) -> "instance " + claim.instance() + ", pid " + claim.pid();
    };
  }
}
