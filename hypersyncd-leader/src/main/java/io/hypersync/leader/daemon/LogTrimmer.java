package io.hypersync.leader.daemon;

import io.hypersync.leader.oplog.LogSegment;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.leader.port.LogTrimPort;
import io.hypersync.leader.retention.LogRetention;
import io.hypersync.leader.retention.LogRetention.Needs;
import io.hypersync.leader.retention.LogRetention.Segment;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.log.LogEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Trims the log on a thread of its own. */
final class LogTrimmer implements LogTrimPort, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LogTrimmer.class);

  private final OpLog log;
  private final LogRetention retention;
  private final Runnable wantSnapshot;
  private final AtomicBoolean busy = new AtomicBoolean();
  private final AtomicLong goneForSize = new AtomicLong();
  private volatile boolean enabled;

  /** Times of the first entries of segments, by index; on the thread only. */
  private final Map<Long, Long> times = new HashMap<>();

  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("leader-log-trimmer").daemon().factory());

  /**
   * Does nothing before {@link #enable}.
   *
   * @param wantSnapshot called on another thread when a snapshot should be taken soon
   */
  LogTrimmer(OpLog log, LogRetention retention, Runnable wantSnapshot) {
    this.log = log;
    this.retention = retention;
    this.wantSnapshot = wantSnapshot;
  }

  /** Nothing but entries is needed of the log from now on. Any thread may call it. */
  void enable() {
    enabled = true;
  }

  @Override
  public void trim(long headIndex, long headTimeNs, Needs needs) {
    if (!enabled || !busy.compareAndSet(false, true)) {
      return; // the call before is still under way
    }
    try {
      thread.execute(
          () -> {
            try {
              trimNow(headIndex, headTimeNs, needs);
            } catch (IOException e) {
              LOG.warn("the log is not trimmed: {}", FileProblems.describe(e));
            } catch (OpLogFailedException e) {
              LOG.debug("the leader stops", e);
            } catch (RuntimeException | DecodeException e) {
              LOG.error("the log is not trimmed", e);
            } finally {
              busy.set(false);
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("the leader stops", e);
    }
  }

  private void trimNow(long headIndex, long headTimeNs, Needs needs)
      throws IOException, DecodeException {
    List<LogSegment> all = log.segments();
    List<Segment> full = new ArrayList<>();
    for (int i = 0; i + 1 < all.size(); i++) {
      LogSegment segment = all.get(i);
      // The first entry of the next segment is not older than the last one of this.
      long next = all.get(i + 1).firstIndex();
      long timeNs = next > headIndex ? headTimeNs : time(next);
      full.add(new Segment(segment.lastIndex(), timeNs, segment.bytes()));
    }
    long newest = all.isEmpty() ? 0 : all.getLast().bytes();
    if (retention.wantsSnapshot(full, needs)) {
      wantSnapshot.run();
    }
    long through = retention.through(full, newest, headIndex, headTimeNs, needs);
    if (through < log.firstIndex()) {
      return;
    }
    long before = log.firstIndex();
    long first = log.trim(through);
    long otherwise = retention.ofAnySize().through(full, newest, headIndex, headTimeNs, needs) + 1;
    long forSize = Math.max(0, first - Math.max(before, otherwise));
    goneForSize.addAndGet(forSize);
    times.keySet().removeIf(index -> index < first);
    LOG.info(
        LogEvent.LOG_TRIMMED.marker().with("first", first),
        "the log begins at entry {} now: older ones are in a snapshot{}",
        first,
        forSize == 0
            ? ""
            : "; "
                + forSize
                + " of them would have been kept if hypersync.log.max_bytes were larger");
  }

  /**
   * How many entries have gone since the start only because the log was larger than {@code
   * hypersync.log.max_bytes}. Any thread may ask.
   */
  long goneForSize() {
    return goneForSize.get();
  }

  private long time(long index) throws IOException, DecodeException {
    Long known = times.get(index);
    if (known == null) {
      known = LogEntryCodec.decode(log.read(index)).committedAtNs();
      times.put(index, known);
    }
    return known;
  }

  /** Waits for what is under way. */
  @Override
  public void close() {
    thread.close();
  }
}
