package io.hypersync.leader.notice;

import io.hypersync.leader.presence.PresenceEvent;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.Notice;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.BiConsumer;

/**
 * What workers are told that no entry of the log tells. Each session has its numbers. A notice is
 * sent at once if the worker is connected, and is kept until a later Hello says that the worker has
 * it: a message that was sent may be lost with its connection. So each arrives once and in order,
 * the worker dropping what it knows, as long as the session goes on and there is room.
 *
 * <p>A start of the leader forgets what was kept; numbers go on behind what a worker has seen.
 *
 * <p>On the agent's thread. Bounded: a queue for each presence lease.
 */
public final class Notices {
  private final Clock clock;
  private final BiConsumer<WorkerId, LeaderMessage> port;
  private final Map<WorkerId, Told> sessions = new LinkedHashMap<>();
  private long posted;
  private long dropped;

  private static final class Told {
    final NoticeQueue queue = new NoticeQueue();

    /** Whether the worker has its Welcome, behind which notices may be sent. */
    boolean isWelcome;
  }

  /**
   * Begins without sessions.
   *
   * @param port sends a message; it is lost if the worker is not connected
   */
  public Notices(Clock clock, BiConsumer<WorkerId, LeaderMessage> port) {
    this.clock = clock;
    this.port = port;
  }

  /** Follows the leases, and tells others who has come and gone. */
  public void happened(PresenceEvent event) {
    switch (event.kind()) {
      case WORKER_JOINED -> {
        tellOthers(Notice.Kind.WORKER_JOINED, event);
        sessions.put(event.worker(), new Told());
      }
      case WORKER_LEFT -> {
        Told over = sessions.remove(event.worker());
        dropped += over == null ? 0 : over.queue.dropped() + over.queue.unsent();
        tellOthers(Notice.Kind.WORKER_LEFT, event);
      }
      case LINK_RESUMED -> sessions.putIfAbsent(event.worker(), new Told()); // of an earlier run
      case LINK_LOST -> {
        Told told = sessions.get(event.worker());
        if (told != null) {
          told.isWelcome = false;
        }
      }
      case SESSION_REPLACED, STANDBY_SYNCHRONOUS, STANDBY_LEFT -> {}
    }
  }

  private void tellOthers(Notice.Kind kind, PresenceEvent event) {
    String text =
        "from " + event.address() + (event.reason().isEmpty() ? "" : ": ") + event.reason();
    sessions.forEach(
        (worker, told) -> {
          if (!worker.equals(event.worker())) {
            post(worker, told, kind, event.worker(), text);
          }
        });
  }

  /**
   * A worker was sent its Welcome: what it has not seen follows.
   *
   * @param seen the newest that it has taken in this session, as its Hello says; 0 if that is not
   *     known
   */
  public void welcomed(WorkerId worker, long seen) {
    Told told = sessions.get(worker);
    if (told != null) {
      told.queue.seen(seen);
      told.isWelcome = true;
      told.queue.send().forEach(notice -> port.accept(worker, notice));
    }
  }

  /**
   * Tells a worker something about itself.
   *
   * @param text for a person; its first {@link Notice#MAX_TEXT} characters are told
   * @return its number; empty if there is no such worker, as far as this leader knows
   */
  public OptionalLong post(WorkerId worker, Notice.Kind kind, String text) {
    Told told = sessions.get(worker);
    return told == null
        ? OptionalLong.empty()
        : OptionalLong.of(post(worker, told, kind, worker, text));
  }

  private long post(WorkerId worker, Told told, Notice.Kind kind, WorkerId about, String text) {
    posted++;
    Notice notice = told.queue.add(clock.epochNs(), kind, about, text);
    if (told.isWelcome) {
      var _ = told.queue.send();
      port.accept(worker, notice);
    }
    return notice.number();
  }

  /** Whether a worker is told at once, and not when it comes back. */
  public boolean isTold(WorkerId worker) {
    Told told = sessions.get(worker);
    return told != null && told.isWelcome;
  }

  /** How many notices there were since the start. */
  public long posted() {
    return posted;
  }

  /** How many wait for workers to come back. */
  public long waiting() {
    return sessions.values().stream().mapToLong(told -> told.queue.unsent()).sum();
  }

  /** How many were never sent: there was no room, or their session ended. */
  public long dropped() {
    return dropped + sessions.values().stream().mapToLong(told -> told.queue.dropped()).sum();
  }
}
