package io.hypersync.leader.daemon;

import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.port.RootAuditPort;
import io.hypersync.leader.recovery.AuditFinding;
import io.hypersync.leader.recovery.RootAudit;
import io.hypersync.model.state.RestoredStates;
import io.hypersync.model.trie.PageUnreadableException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Replays the log of the running leader for root audits, on a thread of its own. */
final class RootAuditor implements RootAuditPort, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RootAuditor.class);
  private static final int READ_BYTES = 1 << 20;

  private final OpLog log;
  private final RestoredStates restored;
  private final Consumer<Consumer<LeaderAgent>> post;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("leader-root-audit").daemon().factory());
  private volatile boolean closed;

  /**
   * Audits the given log.
   *
   * @param restored reads what entries restore
   * @param post runs a call of the agent on its thread
   */
  RootAuditor(OpLog log, RestoredStates restored, Consumer<Consumer<LeaderAgent>> post) {
    this.log = log;
    this.restored = restored;
    this.post = post;
  }

  @Override
  public void audit(long index, long stateBytes) {
    try {
      thread.execute(() -> replayAndTell(index, stateBytes));
    } catch (RejectedExecutionException e) {
      LOG.debug("the leader stops", e);
    }
  }

  /** Runs the audit and always reports a finding: no further claim is audited until it arrives. */
  private void replayAndTell(long index, long stateBytes) {
    AuditFinding finding = new AuditFinding.Unknown(index, "the replay broke off");
    try {
      finding = HeapBudget.hasRoomFor(stateBytes) ? replay(index) : noRoom(index, stateBytes);
    } catch (PageUnreadableException e) {
      finding =
          new AuditFinding.Unknown(
              index, "a state that an entry restores cannot be read: " + e.getMessage());
    } catch (IOException | RuntimeException e) {
      finding = new AuditFinding.Unknown(index, "the log cannot be read: " + e.getMessage());
    } finally {
      AuditFinding found = finding;
      post.accept(agent -> agent.audited(found));
    }
  }

  /** Replays the log up to an entry, on the calling thread. */
  AuditFinding replay(long index) throws IOException {
    RootAudit audit = new RootAudit(index, restored);
    while (!closed) {
      List<byte[]> entries = new ArrayList<>();
      try {
        int _ = log.read(audit.next(), READ_BYTES, (_, payload) -> entries.add(payload));
      } catch (IndexOutOfBoundsException gone) {
        if (audit.next() >= log.firstIndex()) {
          throw gone;
        }
        return new AuditFinding.Unknown(
            index,
            "a replay needs entry "
                + audit.next()
                + ", and the log begins at entry "
                + log.firstIndex()
                + " by now");
      }
      if (entries.isEmpty()) {
        return new AuditFinding.Unknown(index, "the log ends before it");
      }
      for (byte[] entry : entries) {
        @Nullable AuditFinding finding = audit.take(entry);
        if (finding != null) {
          return finding;
        }
      }
    }
    return new AuditFinding.Unknown(index, "the leader stops");
  }

  private static AuditFinding noRoom(long index, long stateBytes) {
    return new AuditFinding.Unknown(
        index,
        "there is no memory for a second state of "
            + stateBytes
            + " bytes; ./hypersync trace compares the roots, too, once the leader is stopped");
  }

  @Override
  public void close() {
    closed = true;
    thread.close();
  }
}
