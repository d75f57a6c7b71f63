package io.hypersync.leader.daemon.mail;

import io.hypersync.leader.leadership.LeaderGate;
import io.hypersync.leader.mail.AgentMailOptions;
import io.hypersync.leader.mail.CallOutcome;
import io.hypersync.leader.mail.LoggedHazards;
import io.hypersync.leader.mail.MailCall;
import io.hypersync.leader.mail.MailCursor;
import io.hypersync.leader.mail.MailDesk;
import io.hypersync.leader.mail.MailStatus;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hazard.HazardReport;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mails hazards on a thread of its own (hypersync.md 11.2). Commits never wait for it: the event
 * loop hands entries with hazards over to a queue, and what has no room there is counted and not
 * mailed. An entry is mailed when it is durable. After a start the log is read from where the mails
 * of the run before have ended.
 */
public final class MailThread implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MailThread.class);

  private static final int MOST_QUEUED = 1_000;
  private static final long MOST_QUEUED_BYTES = 4L << 20;
  private static final long TURN_MS = 50;
  private static final long MS = 1_000_000;

  /** Between two looks at what is written down while nothing is sent. */
  private static final long WRITE_NS = 10_000 * MS;

  /** At most one line of the log in this time about a server that comes and goes. */
  private static final long LINE_NS = 600_000 * MS;

  /** Size of one read of the log. */
  private static final int SLICE_BYTES = 256 << 10;

  /** How far back the log is read at a start. */
  private static final long MOST_ENTRIES = 100_000;

  private final AgentMailOptions options;
  private final OpLog log;
  private final long recoveredIndex;
  private final AgentMailClient client;
  private final MailFiles files;
  private final Clock clock;
  private final LeaderGate gate;
  private final Thread thread;
  private final ArrayBlockingQueue<LoggedHazards> queue = new ArrayBlockingQueue<>(MOST_QUEUED);
  private final AtomicLong queuedBytes = new AtomicLong();
  private final AtomicLong lost = new AtomicLong();
  private volatile @Nullable MailStatus status;
  private volatile boolean closed;

  // Used on the thread only.
  private @Nullable LoggedHazards notDurable;
  private @Nullable MailCursor written;
  private long writtenNs;
  private long identitiesWritten;
  private boolean isFailing;
  private @Nullable Long lineNs;

  /**
   * Creates the thread without starting it.
   *
   * @param stateDir the leader's, for what it remembers
   * @param recoveredIndex the last entry that {@link #logged} is not told of
   * @param gate nothing is mailed unless this process leads
   */
  public MailThread(
      AgentMailOptions options,
      OpLog log,
      long recoveredIndex,
      AgentMailClient client,
      Path stateDir,
      Clock clock,
      LeaderGate gate) {
    this.options = options;
    this.log = log;
    this.recoveredIndex = recoveredIndex;
    this.client = client;
    this.files = new MailFiles(stateDir);
    this.clock = clock;
    this.gate = gate;
    this.thread = Thread.ofPlatform().daemon().name("leader-mail").unstarted(this::run);
  }

  /** Starts mailing. */
  public void start() {
    thread.start();
  }

  /** An entry with hazards was logged; on the leader's event loop, in order. */
  public void logged(LogEntry entry) {
    LoggedHazards hazards = LoggedHazards.of(entry);
    int bytes = hazards.report().length;
    if (queuedBytes.addAndGet(bytes) > MOST_QUEUED_BYTES || !queue.offer(hazards)) {
      queuedBytes.addAndGet(-bytes);
      lost.incrementAndGet();
    }
  }

  /** How it goes; null before it has begun. Any thread. */
  public @Nullable MailStatus status() {
    return status;
  }

  /** Stops it; waits for what it writes down, and for no answer of the server. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      thread.join(2_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      MailCursor cursor = files.cursor();
      MailDesk desk =
          new MailDesk(
              options,
              cursor == null ? MailCursor.at(recoveredIndex) : cursor,
              files.identities(options.url()));
      written = cursor;
      catchUp(desk, cursor == null ? recoveredIndex : cursor.through());
      told(writeIfChanged(desk)); // where this workspace's mails begin, even if it is killed soon
      try {
        while (!closed) {
          turn(desk);
        }
      } finally {
        writeAtEnd(desk);
      }
    } catch (InterruptedException stopped) {
      LOG.debug("no more mails");
    } catch (RuntimeException e) {
      LOG.error("hazards are mailed no more until the leader's next start", e);
    }
  }

  /** Reads what was logged in earlier runs and not mailed. */
  private void catchUp(MailDesk desk, long through) {
    long next = Math.max(through + 1, Math.max(log.firstIndex(), recoveredIndex - MOST_ENTRIES));
    try {
      while (next <= recoveredIndex && !closed) {
        List<byte[]> slice = new ArrayList<>();
        next += log.read(next, SLICE_BYTES, (_, payload) -> slice.add(payload));
        for (byte[] payload : slice) {
          LogEntry entry = LogEntryCodec.decode(payload);
          if (entry.index() <= recoveredIndex && HazardReport.hasHazards(entry.hazard())) {
            desk.logged(LoggedHazards.of(entry), clock.monotonicNs());
          }
        }
      }
    } catch (IOException | DecodeException | IndexOutOfBoundsException e) {
      LOG.warn("hazards of before entry {} are perhaps not mailed: {}", next, e.getMessage());
    }
  }

  private void turn(MailDesk desk) throws InterruptedException {
    take(desk);
    long nowNs = clock.monotonicNs();
    MailCall call = gate.isLeader() ? desk.next(nowNs) : null;
    if (call == null) {
      if (nowNs - writtenNs >= WRITE_NS) {
        writeIfChanged(desk);
      }
      status = desk.status(nowNs);
      return;
    }
    String problem = call.isLetter() ? writeIfChanged(desk) : "";
    if (!problem.isEmpty()) {
      desk.notWritten(problem, nowNs);
      told(problem);
    } else {
      CallOutcome outcome = client.tool(call.tool(), call.arguments());
      desk.answered(call, outcome, clock.monotonicNs());
      writeIdentities(desk);
      told(
          switch (outcome) {
            case CallOutcome.NotDone(String why) -> why;
            case CallOutcome.Unsure(String why) -> why;
            case CallOutcome.Refused _, CallOutcome.Answered _ -> "";
          });
    }
    status = desk.status(clock.monotonicNs());
  }

  /** Takes what is durable from the queue; waits a moment if there is nothing. */
  private void take(MailDesk desk) throws InterruptedException {
    desk.lost(lost.getAndSet(0));
    LoggedHazards first = notDurable;
    if (first == null) {
      first = queue.poll(TURN_MS, TimeUnit.MILLISECONDS);
    } else if (first.index() > log.durableIndex()) {
      Thread.sleep(1);
    }
    while (first != null && first.index() <= log.durableIndex()) {
      queuedBytes.addAndGet(-first.report().length);
      desk.logged(first, clock.monotonicNs());
      first = queue.poll();
    }
    notDurable = first;
  }

  /** Writes down what needs no mail any more; returns why that failed, else nothing. */
  private String writeIfChanged(MailDesk desk) {
    MailCursor now = desk.cursor();
    writtenNs = clock.monotonicNs();
    if (now.equals(written)) {
      return "";
    }
    try {
      files.write(now);
      written = now;
      return "";
    } catch (IOException e) {
      return "cannot write down what was mailed: " + FileProblems.describe(e);
    }
  }

  private void writeIdentities(MailDesk desk) {
    if (desk.changes() == identitiesWritten) {
      return;
    }
    try {
      files.write(options.url(), desk.identities());
      identitiesWritten = desk.changes();
    } catch (IOException e) {
      LOG.warn(
          "cannot write down who the leader is in Agent Mail, so it registers again after its next"
              + " start: {}",
          FileProblems.describe(e));
    }
  }

  /** The interruption that ends the thread would end what it writes, too. */
  private void writeAtEnd(MailDesk desk) {
    boolean wasInterrupted = Thread.interrupted();
    String problem = writeIfChanged(desk);
    if (!problem.isEmpty()) {
      LOG.warn("hazards may be mailed twice: {}", problem);
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void told(String problem) {
    boolean fails = !problem.isEmpty();
    if (fails == isFailing) {
      return;
    }
    isFailing = fails;
    long nowNs = clock.monotonicNs();
    Long last = lineNs;
    if (fails && (last == null || nowNs - last >= LINE_NS)) {
      lineNs = nowNs;
      LOG.warn("hazards are not mailed for now, {}: {}", options.url(), problem);
    }
  }
}
