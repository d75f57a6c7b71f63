package io.hypersync.worker.daemon;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.model.state.FsState;
import io.hypersync.model.text.Printable;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.wire.message.LeaderMessage.ExpiringLock;
import io.hypersync.wire.message.LeaderMessage.LockExpiryWarning;
import io.hypersync.wire.message.LeaderMessage.Notice;
import io.hypersync.wire.message.LocalPressure;
import io.hypersync.worker.port.Surroundings;
import io.hypersync.worker.profile.NodePaths;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The host that the worker runs on: its load and its agents, and warnings in the log. */
final class Machine implements Surroundings {
  private static final Logger LOG = LoggerFactory.getLogger(Machine.class);

  /** Most locks named in one warning. */
  private static final int NAMED = 5;

  private final PressureGauge gauge;
  private final WorkerStages stages;
  private final IntSupplier agents;
  private final NoticeLog noticeLog = new NoticeLog(Clock.SYSTEM, line -> LOG.warn("{}", line));
  private final AtomicBoolean looking = new AtomicBoolean();

  /**
   * Creates it.
   *
   * @param agents how many agents have changed something lately; {@link LocalPressure#UNKNOWN} if
   *     nobody looks
   */
  Machine(PressureGauge gauge, WorkerStages stages, IntSupplier agents) {
    this.gauge = gauge;
    this.stages = stages;
    this.agents = agents;
  }

  @Override
  public LocalPressure pressure() {
    return gauge.pressure();
  }

  @Override
  public LocalPressure report() {
    LocalPressure host = gauge.pressure();
    return new LocalPressure(
        host.cpuPercent(),
        host.memoryPercent(),
        host.diskPercent(),
        LocalPressure.UNKNOWN,
        stages.commitRttUs(),
        agents.getAsInt());
  }

  /**
   * Finding the paths may take a second, so a thread of its own does it, one at a time; a warning
   * that comes meanwhile is not logged.
   */
  @Override
  public void locksExpire(LockExpiryWarning warning, FsState visible) {
    if (looking.compareAndSet(false, true)) {
      Thread.ofVirtual()
          .name("worker-lock-warning")
          .start(
              () -> {
                try {
                  LOG.warn("{}", describe(warning, visible));
                } catch (PageUnreadableException e) {
                  LOG.warn("{} (no paths: {})", warning, e.getMessage());
                } finally {
                  looking.set(false);
                }
              });
    }
  }

  @Override
  public void noticed(Notice notice) {
    noticeLog.noticed(notice);
  }

  /** The warning for the log: which locks of which files are freed, and when. */
  static String describe(LockExpiryWarning warning, FsState visible) {
    Map<NodeId, String> paths =
        NodePaths.of(
            visible,
            warning.named().stream()
                .limit(NAMED)
                .map(ExpiringLock::node)
                .collect(Collectors.toSet()));
    String named =
        warning.named().stream()
            .limit(NAMED)
            .map(lock -> describe(lock, paths))
            .collect(Collectors.joining(", "));
    int more = warning.locks() - Math.min(NAMED, warning.named().size());
    return "the leader frees "
        + warning.locks()
        + " locks in "
        + warning.graceRemainingMs()
        + " ms unless they are renewed, which is tried now"
        + (named.isEmpty() ? "" : ": " + named)
        + (named.isEmpty() || more <= 0 ? "" : " and " + more + " more");
  }

  private static String describe(ExpiringLock lock, Map<NodeId, String> paths) {
    String path = paths.get(lock.node());
    return (lock.space() == LockSpace.FLOCK ? "flock of " : "fcntl lock of ")
        + (path == null ? "node " + lock.node() : Printable.line("/" + path));
  }
}
