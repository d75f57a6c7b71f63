package io.hypersync.leader.past;

import io.hypersync.leader.port.HeldState;
import io.hypersync.leader.port.PastPort;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.PastState;
import io.hypersync.wire.message.LeaderMessage.PastStateRefused;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.WorkerMessage.PastStateRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The states of the past that workers have mounted. Each is stored like a snapshot, in a catalog of
 * its own, and held: what it leads to is alive for collections (hypersync.md 14.2). On the agent's
 * thread.
 *
 * <p><b>How long.</b> Until its worker gives it back, or has begun another run, or has been away
 * for a time. After a start of the leader nobody has asked for a state yet: it is held for that
 * time, too. A worker that comes back asks again for what it has mounted.
 *
 * <p><b>No collection takes what is held.</b> It marks what is in {@link #held} when it takes its
 * roots. While a state is being made it takes no roots ({@link #isMaking}). One that has taken them
 * before the state was begun keeps what is stored or asked for since its store has begun, and
 * everything that the snapshots of that time have. The pages of a state that is being made are
 * stored, asked for, or those of such a snapshot ({@code PageWriter.beside}). A state that is not
 * needed any more counts as held until its record is durably gone. So no later start of the leader
 * finds a record whose pages were taken.
 */
public final class PastHolds {
  /** States that are stored, at most, whoever has mounted them. */
  private static final int MOST = 256;

  /** Requests that wait, at most, whoever has sent them. */
  private static final int MOST_WAITING = 256;

  /** How often it is looked for what has expired, and a removal that has failed is repeated. */
  private static final long LOOK_NS = 5_000_000_000L;

  private static final Comparator<WorkerId> BY_NAME = Comparator.comparing(WorkerId::name);

  private final PastPort port;
  private final long awayNs;
  private final BiConsumer<WorkerId, LeaderMessage> send;
  private final TreeMap<Long, Past> pasts = new TreeMap<>();

  /** The run of each worker that is connected: what it has mounted ends with it. */
  private final Map<WorkerId, ClientId> runs = new HashMap<>();

  /** Workers that are away, and until when what they have mounted is held. */
  private final Map<WorkerId, Long> away = new HashMap<>();

  /** Workers that have come back, and until when they may ask for what they have mounted. */
  private final Map<WorkerId, Long> back = new HashMap<>();

  private final ArrayDeque<Asked> waiting = new ArrayDeque<>();

  /** What the port is making; null if nothing. */
  private @Nullable Asked making;

  private long nextLookNs;

  /**
   * What a leader begins with.
   *
   * @param stored the states whose records it has found
   * @param awayNs how long a state is held for a worker that is away, in nanoseconds
   */
  public record Start(PastPort port, List<Snapshot> stored, long awayNs) {
    /** For leaders that store no states of the past. */
    public static final Start NONE = new Start(PastPort.NONE, List.of(), 0);

    /** Copies the list. */
    public Start {
      stored = List.copyOf(stored);
    }
  }

  private static final class Past {
    private final Snapshot snapshot;

    /** Who has it mounted, each with the run of the worker that has asked. */
    private final Map<WorkerId, ClientId> holders = new TreeMap<>(BY_NAME);

    /** Those of them that have come back and have not asked for it again. */
    private final Set<WorkerId> unasked = new HashSet<>();

    /** If nobody has: until when it is held. */
    private long untilNs;

    private boolean isRemoving;

    Past(Snapshot snapshot, long untilNs) {
      this.snapshot = snapshot;
      this.untilNs = untilNs;
    }
  }

  private record Asked(WorkerId worker, ClientId run, PastStateRequest request) {}

  /**
   * The holds of one run of the leader.
   *
   * @param send sends to a worker, if it is connected
   */
  public PastHolds(Start start, BiConsumer<WorkerId, LeaderMessage> send, long nowNs) {
    this.port = start.port();
    this.awayNs = start.awayNs();
    this.send = send;
    this.nextLookNs = Clock.later(nowNs, LOOK_NS);
    for (Snapshot stored : start.stored()) {
      pasts.put(stored.index(), new Past(stored, Clock.later(nowNs, awayNs)));
    }
  }

  /** A worker that is connected wants to mount a state, or has it mounted. */
  public void requested(WorkerId worker, PastStateRequest request) {
    ClientId run = runs.get(worker);
    if (run == null) {
      return; // it has said no Hello
    }
    Past known = ofIndex(request.moment());
    if (known != null && known.holders.containsKey(worker)) {
      hold(known, worker, run);
      answer(new Asked(worker, run, request), known.snapshot);
      return;
    }
    if (count(worker) >= Protocol.MAX_PAST_STATES) {
      refuse(
          worker,
          request,
          "this worker holds " + Protocol.MAX_PAST_STATES + " states of the past already",
          "Unmount one of them.");
    } else if (waiting.size() >= MOST_WAITING || (known == null && pasts.size() >= MOST)) {
      refuse(worker, request, "too many states of the past are mounted", "Unmount some.");
    } else if (known != null) {
      hold(known, worker, run);
      answer(new Asked(worker, run, request), known.snapshot);
    } else {
      waiting.add(new Asked(worker, run, request));
      next();
    }
  }

  /** The state that is stored, if the moment is its index; null if it must be looked for. */
  private @Nullable Past ofIndex(String moment) {
    for (Past past : pasts.values()) {
      if (Long.toString(past.snapshot.index()).equals(moment)) {
        return past.isRemoving ? null : past;
      }
    }
    return null;
  }

  private long count(WorkerId worker) {
    return pasts.values().stream().filter(past -> past.holders.containsKey(worker)).count()
        + waiting.stream().filter(asked -> asked.worker.equals(worker)).count()
        + (making != null && making.worker.equals(worker) ? 1 : 0);
  }

  private static void hold(Past past, WorkerId worker, ClientId run) {
    past.holders.put(worker, run);
    past.unasked.remove(worker);
  }

  private void next() {
    if (making == null) {
      making = waiting.poll();
      if (making != null) {
        port.make(making.request.moment());
      }
    }
  }

  /**
   * The port has stored the state that was asked for, or it was stored already. It counts as held
   * from now on, though the worker may have gone.
   *
   * @param nowNs monotonic
   */
  public void made(Snapshot snapshot, long nowNs) {
    Past past = pasts.get(snapshot.index());
    if (past == null || past.isRemoving) {
      past = new Past(snapshot, Clock.later(nowNs, awayNs));
      pasts.put(snapshot.index(), past);
    }
    Asked asked = making;
    making = null;
    if (asked != null) {
      hold(past, asked.worker, asked.run);
      answer(asked, past.snapshot);
    }
    List.copyOf(pasts.values()).forEach(each -> removeIfNobodyNeeds(each, nowNs));
    next();
  }

  /** The port could not do so. */
  public void failed(String why, String hint) {
    Asked asked = making;
    making = null;
    if (asked != null) {
      refuse(asked.worker, asked.request, why, hint);
    }
    next();
  }

  private void answer(Asked asked, Snapshot snapshot) {
    try {
      send.accept(
          asked.worker,
          new PastState(
              asked.request.requestId(),
              snapshot.index(),
              Manifest.root(snapshot.manifest()),
              snapshot.manifest()));
    } catch (DecodeException e) {
      refuse(asked.worker, asked.request, "its record is damaged: " + e.getMessage(), "");
    }
  }

  private void refuse(WorkerId worker, PastStateRequest request, String why, String hint) {
    send.accept(worker, new PastStateRefused(request.requestId(), why, hint));
  }

  /** A worker has unmounted a state. */
  public void released(WorkerId worker, long index) {
    Past past = pasts.get(index);
    if (past != null && past.holders.remove(worker) != null) {
      past.unasked.remove(worker);
      past.untilNs = Long.MIN_VALUE;
      removeIfNobodyNeeds(past, 0);
    }
  }

  /**
   * A worker has connected. What an earlier run of it has mounted is not mounted any more. What
   * this run does not ask for again it has given back while the leader did not hear it.
   */
  public void established(WorkerId worker, ClientId run, long nowNs) {
    away.remove(worker);
    runs.put(worker, run);
    waiting.removeIf(asked -> asked.worker.equals(worker)); // it asks again
    for (Past past : List.copyOf(pasts.values())) {
      ClientId holder = past.holders.get(worker);
      if (holder == null) {
        continue;
      }
      if (holder.equals(run)) {
        past.unasked.add(worker);
        back.put(worker, Clock.later(nowNs, awayNs));
      } else {
        released(worker, past.snapshot.index());
      }
    }
  }

  /** A worker has gone, perhaps for a moment. */
  public void left(WorkerId worker, long nowNs) {
    runs.remove(worker);
    back.remove(worker);
    if (pasts.values().stream().anyMatch(past -> past.holders.containsKey(worker))
        || (making != null && making.worker.equals(worker))) {
      away.put(worker, Clock.later(nowNs, awayNs));
    }
  }

  /** Gives up what is held for nobody. */
  public void tick(long nowNs) {
    if (nowNs - nextLookNs < 0) {
      return;
    }
    nextLookNs = Clock.later(nowNs, LOOK_NS);
    for (WorkerId worker : expired(away, nowNs)) {
      List.copyOf(pasts.keySet()).forEach(index -> released(worker, index));
    }
    for (WorkerId worker : expired(back, nowNs)) {
      for (Past past : List.copyOf(pasts.values())) {
        if (past.unasked.contains(worker)) {
          released(worker, past.snapshot.index());
        }
      }
    }
    List.copyOf(pasts.values()).forEach(past -> removeIfNobodyNeeds(past, nowNs));
  }

  /** Takes the workers whose time is over out of the map. */
  private static List<WorkerId> expired(Map<WorkerId, Long> untilNs, long nowNs) {
    List<WorkerId> over = new ArrayList<>();
    untilNs.forEach(
        (worker, until) -> {
          if (nowNs >= until) {
            over.add(worker);
          }
        });
    over.forEach(untilNs::remove);
    return over;
  }

  /** Not while one is being made: it may turn out to be this one. */
  private void removeIfNobodyNeeds(Past past, long nowNs) {
    if (making == null
        && past.holders.isEmpty()
        && !past.isRemoving
        && (past.untilNs == Long.MIN_VALUE || nowNs >= past.untilNs)) {
      past.isRemoving = true;
      port.remove(past.snapshot.index());
    }
  }

  /** The port has removed the record of a state: what only it leads to is dead. */
  public void removed(long index) {
    Past past = pasts.get(index);
    if (past != null && past.isRemoving) {
      pasts.remove(index);
    }
  }

  /** The port could not do so: the state stays held, and it is tried again later. */
  public void notRemoved(long index) {
    Past past = pasts.get(index);
    if (past != null) {
      past.isRemoving = false;
    }
  }

  /** Whether a worker waits for a state that it has asked for. */
  public boolean isAwaited(WorkerId worker) {
    return (making != null && making.worker.equals(worker))
        || waiting.stream().anyMatch(asked -> asked.worker.equals(worker));
  }

  /** Whether a state is being made, which is in no root yet. */
  public boolean isMaking() {
    return making != null;
  }

  /** What is held, the oldest state first. */
  public List<HeldState> held() {
    return pasts.values().stream().map(PastHolds::held).toList();
  }

  private static HeldState held(Past past) {
    Collection<WorkerId> workers = past.holders.keySet();
    return new HeldState(
        past.snapshot, workers.stream().map(WorkerId::name).collect(Collectors.joining(",")));
  }

  /** How many states are held. */
  public int size() {
    return pasts.size();
  }
}
