package io.hypersync.coordination.daemon;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.coordination.putex.MutexWatcher;
import io.hypersync.coordination.putex.Outcome;
import io.hypersync.coordination.putex.ProcessMutex;
import io.hypersync.coordination.putex.PutexTiming;
import io.hypersync.coordination.putex.State;
import io.hypersync.coordination.putex.Step;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.agent.Clock;
import java.time.Instant;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an agent logs, and what it says of itself. Its thread writes; {@link #status} may be asked
 * by any.
 *
 * <p>A change of the role is logged, and each problem when it begins, once a minute while it lasts,
 * and when it is over. Every arrow of the diagram is logged at debug level.
 */
final class PutexJournal implements MutexWatcher {
  private static final Logger LOG = LoggerFactory.getLogger(PutexJournal.class);
  private static final long NS_PER_MS = 1_000_000L;
  private static final long REMINDER_NS = 60_000_000_000L;
  private static final long PAUSE_NS = 5_000_000_000L;
  private static final int MAX_TOKEN_CHARS = 100;

  /** What an agent is. */
  private enum Role {
    /** It has not done a whole stroke. */
    STARTING,
    /** Another agent has the lock, and this one would take it. */
    STANDBY,
    /** It has the lock, and waits for the one before it to have stopped. */
    CONFIRMING,
    /** Its service runs. */
    ACTIVE,
    /** Its health check fails. */
    UNHEALTHY,
    /** The store does not answer. */
    UNSURE,
    /** It has ended. */
    LEFT
  }

  private final PutexOptions options;
  private final Clock clock;

  // What follows is written by the agent's thread, and read under the lock.
  private Role role = Role.STARTING;
  private Instant since = Instant.now();
  private State state = State.GET_LOCK;
  private boolean mayRun;
  private boolean held;
  private long trustedUntilNs;
  private String holder = "";
  private long revision;
  private long checkNs;
  private String checkFailure = "";
  private boolean checked;
  private boolean storeAnswers = true;
  private String problem = "";
  private String problemOf = "";
  private int takeovers;
  private int starts;
  private int slowChecks;
  private int expired;

  private long stepNs;
  private String toldProblem = "";
  private long toldNs;

  PutexJournal(PutexOptions options, Clock clock) {
    this.options = options;
    this.clock = clock;
    this.stepNs = clock.monotonicNs();
    PutexTiming timing = options.timing();
    LOG.info(
        "service {} of {}: key {} in {}, R {} ms, F {}, C {}",
        Printable.line(options.name()),
        Printable.line(options.token()),
        Printable.line(options.key()),
        Printable.line(options.storeName()),
        timing.renewalNs() / NS_PER_MS,
        timing.failures(),
        timing.confirmations());
  }

  @Override
  public synchronized void moved(State from, State to, String why) {
    LOG.debug("{} -> {} {}", from, to, why);
    state = to;
    switch (to) {
      case CONFIRM_WAIT -> {
        if (from == State.WRITE) {
          takeovers++;
          LOG.info("takes the lock; the service is started when the one before had time to stop");
        }
      }
      case SUNNY_START -> {
        if (!mayRun) {
          starts++;
          LOG.info("has the lock, and starts the service");
        }
      }
      case ABORT_KILL -> {
        if (mayRun) {
          LOG.warn("gives up, and stops the service: {}", why);
        }
      }
      case WAIT_KILL -> {
        if (mayRun) {
          LOG.warn("has lost the lock, and stops the service");
        }
      }
      case ABORT_BLANK, LEAVE_BLANK -> LOG.info("the service is stopped; frees the lock");
      case LEAVE_KILL -> LOG.info("ends, and stops the service");
      default -> {}
    }
  }

  @Override
  public synchronized void slowCheck(long tookNs) {
    slowChecks++;
    LOG.warn(
        "the health check took {} ms, which is longer than R ({} ms); longer than {} ms is a failure",
        tookNs / NS_PER_MS,
        options.timing().renewalNs() / NS_PER_MS,
        options.timing().checkLimitNs() / NS_PER_MS);
  }

  @Override
  public void tokenInUse() {
    LOG.error(
        "another agent writes the token {}: give each host its own (--token)",
        Printable.line(options.token(), MAX_TOKEN_CHARS));
  }

  /** A step was done, and the mutex knows. */
  synchronized void done(Step step, Outcome outcome, ProcessMutex mutex, int expiredNow) {
    long now = clock.monotonicNs();
    switch (outcome) {
      case Outcome.Found found -> {
        holder = found.token();
        revision = found.revision();
      }
      case Outcome.Absent _ -> {
        holder = "";
        revision = 0;
      }
      case Outcome.Written written -> {
        holder = ((Step.Write) step).token();
        revision = written.revision();
      }
      default -> {}
    }
    if (kind(step).equals("store")) {
      storeAnswers = !(outcome instanceof Outcome.Unknown);
    }
    if (step instanceof Step.Check) {
      checked = true;
      checkNs = now - stepNs;
      checkFailure = outcome instanceof Outcome.Failed failed ? failed.why() : "";
    }
    expired = expiredNow;
    mayRun = mutex.mayRun();
    held = mutex.isHeld();
    trustedUntilNs = mutex.trustedUntilNs();
    stepNs = now;
    tell(step, outcome, now);
    become(roleNow());
  }

  /** The agent has ended. */
  synchronized void left(boolean mayStillRun) {
    if (mayStillRun) {
      LOG.error("the service could not be stopped; its switch goes on trying. Look at it");
    }
    become(Role.LEFT);
  }

  private Role roleNow() {
    if (mayRun) {
      return Role.ACTIVE;
    }
    if (held) {
      return Role.CONFIRMING;
    }
    if (!storeAnswers) {
      return Role.UNSURE;
    }
    if (!checkFailure.isEmpty()) {
      return Role.UNHEALTHY;
    }
    return checked ? Role.STANDBY : Role.STARTING;
  }

  private void become(Role next) {
    if (next == role) {
      return;
    }
    LOG.info(
        "is {} now, and was {}; the lock is {}",
        lower(next),
        lower(role),
        holder.isEmpty() ? "free" : "held by " + Printable.line(holder, MAX_TOKEN_CHARS));
    role = next;
    since = Instant.now();
  }

  /** Two problems in turns are told now and then, and not each time. */
  private void tell(Step step, Outcome outcome, long now) {
    String why =
        switch (outcome) {
          case Outcome.Unknown unknown -> unknown.why();
          case Outcome.Failed failed -> failed.why();
          default -> "";
        };
    if (!why.isEmpty()) {
      long quietNs = why.equals(toldProblem) ? REMINDER_NS : PAUSE_NS;
      if (toldProblem.isEmpty() || now - toldNs >= quietNs) {
        LOG.warn("{}", why);
        toldProblem = why;
        toldNs = now;
      }
      problem = why;
      problemOf = kind(step);
    } else if (!problem.isEmpty() && problemOf.equals(kind(step))) {
      LOG.info("that is over: {}", problem);
      problem = "";
      toldProblem = "";
    }
  }

  /** What a step is about: when another one of its kind goes well, its problem is over. */
  private static String kind(Step step) {
    return switch (step) {
      case Step.Read _ -> "store";
      case Step.Write _ -> "store";
      case Step.Check _ -> "check";
      case Step.Start _ -> "start";
      case Step.Stop _ -> "stop";
      case Step.Wait _ -> "";
      case Step.End _ -> "";
    };
  }

  /** What it says of itself, with the keys of docs/json.md. */
  synchronized ObjectNode status() {
    PutexTiming timing = options.timing();
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    tree.put("daemon", "putex");
    tree.put("name", options.name());
    tree.put("token", options.token());
    tree.put("key", options.key());
    tree.put("store", options.storeName());
    tree.put("role", lower(role));
    tree.put("since", since.toString());
    tree.put("state", lower(state));
    tree.put("service_may_run", mayRun);
    tree.put("holder", holder);
    tree.put("revision", revision);
    tree.put(
        "trusted_ms", mayRun ? Math.max(0, (trustedUntilNs - clock.monotonicNs()) / NS_PER_MS) : 0);
    tree.put("renewal_ms", timing.renewalNs() / NS_PER_MS);
    tree.put("failures", timing.failures());
    tree.put("confirmations", timing.confirmations());
    tree.put("check_ms", checkNs / NS_PER_MS);
    tree.put("check_failure", checkFailure);
    tree.put("problem", problem);
    tree.put("takeovers", takeovers);
    tree.put("starts", starts);
    tree.put("slow_checks", slowChecks);
    tree.put("stopped_by_switch", expired);
    return tree;
  }

  private static String lower(Enum<?> name) {
    return name.name().toLowerCase(Locale.ROOT);
  }
}
