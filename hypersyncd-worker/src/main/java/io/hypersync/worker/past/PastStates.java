package io.hypersync.worker.past;

import io.hypersync.model.hash.Hash;
import io.hypersync.wire.message.LeaderMessage.PastState;
import io.hypersync.wire.message.LeaderMessage.PastStateRefused;
import io.hypersync.wire.message.WorkerMessage.PastStateRelease;
import io.hypersync.wire.message.WorkerMessage.PastStateRequest;
import io.hypersync.worker.port.LeaderLink;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the leader hold states of the past for the mounts of this worker, and asks for them again
 * after each reconnect. On the agent's thread.
 */
public final class PastStates {
  private static final Logger LOG = LoggerFactory.getLogger(PastStates.class);

  private final LeaderLink link;

  /** Who waits for an answer, by request. */
  private final Map<Long, Consumer<Answer>> asking = new HashMap<>();

  /** What is asked for again since the last Welcome, by request: the index of a state held here. */
  private final Map<Long, Long> askedAgain = new HashMap<>();

  private final TreeMap<Long, Held> held = new TreeMap<>();
  private LongConsumer noLongerHeld = _ -> {};
  private long lastRequest;
  private boolean isSupported;

  /** What the leader says. */
  public sealed interface Answer {
    /**
     * The leader holds the state until {@link PastStates#release}.
     *
     * @param index of its last entry
     */
    record Found(long index, Hash root, byte[] manifest) implements Answer {}

    /** It does not. */
    record Refused(String message, String hint) implements Answer {}
  }

  private static final class Held {
    private final Hash root;
    private final byte[] manifest;

    /** How many mounts there are. */
    private int mounts = 1;

    Held(PastState state) {
      this.root = state.root();
      this.manifest = state.manifest();
    }
  }

  /**
   * Nothing is held yet.
   *
   * @param firstRequest requests get the numbers behind it; random, so that answers to an earlier
   *     run are not taken for those to this one
   */
  public PastStates(LeaderLink link, long firstRequest) {
    this.link = link;
    this.lastRequest = firstRequest;
  }

  /**
   * Asks for a state.
   *
   * @param moment a snapshot's name, an index, a time, how long ago, or {@code head}; 1 to 255
   *     bytes
   * @param isEstablished whether the leader is in touch
   * @param asker is told once
   */
  public void ask(String moment, boolean isEstablished, Consumer<Answer> asker) {
    if (!isEstablished) {
      asker.accept(lost());
    } else if (!isSupported) {
      asker.accept(
          new Answer.Refused(
              "the leader is of a version that stores no states of the past",
              "Update HyperSync on the leader's host."));
    } else {
      lastRequest++;
      asking.put(lastRequest, asker);
      link.send(new PastStateRequest(lastRequest, moment));
    }
  }

  private static Answer lost() {
    return new Answer.Refused(
        "this worker is not in touch with its leader", "See: ./hypersync status");
  }

  /** The leader has found the state that was asked for. */
  public void found(PastState state) {
    Held known = held.get(state.index());
    Consumer<Answer> asker = asking.remove(state.requestId());
    askedAgain.remove(state.requestId());
    if (asker == null) { // again, or nobody waits any more
      if (known == null) {
        link.send(new PastStateRelease(state.index()));
      } else if (!known.root.equals(state.root())) {
        LOG.error(
            "the leader has another state of entry {} than the one that is mounted here: what is"
                + " not read yet may be missing",
            state.index());
      }
      return;
    }
    if (known == null) {
      held.put(state.index(), new Held(state));
    } else {
      known.mounts++;
    }
    asker.accept(new Answer.Found(state.index(), state.root(), state.manifest()));
  }

  /** The leader cannot hold a state. */
  public void refused(PastStateRefused refused) {
    Consumer<Answer> asker = asking.remove(refused.requestId());
    if (asker != null) {
      asker.accept(new Answer.Refused(refused.message(), refused.hint()));
      return;
    }
    Long index = askedAgain.remove(refused.requestId());
    Held known = index == null ? null : held.get(index);
    if (known == null) {
      return;
    }
    LOG.warn(
        "the leader holds the state of entry {} no more, so what was not read yet may be missing: {}",
        index,
        refused.message());
    noLongerHeld.accept(index);
  }

  /**
   * Tells of a state that is held here and that the leader, asked for it again after a lost
   * connection, holds no more.
   *
   * @param listener told of the index; may release it
   */
  public void onNoLongerHeld(LongConsumer listener) {
    noLongerHeld = listener;
  }

  /** A mount of a state has ended. */
  public void release(long index) {
    Held known = held.get(index);
    if (known != null && --known.mounts == 0) {
      held.remove(index);
      link.send(new PastStateRelease(index));
    }
  }

  /**
   * The leader has said Welcome: it may be another run, which holds nothing yet.
   *
   * @param supported whether it holds states of the past
   */
  public void welcomed(boolean supported) {
    isSupported = supported;
    if (supported) {
      for (long index : held.keySet()) {
        lastRequest++;
        askedAgain.put(lastRequest, index);
        link.send(new PastStateRequest(lastRequest, Long.toString(index)));
      }
    }
  }

  /** The leader is away: nobody waits for it. */
  public void leaderLost() {
    List<Consumer<Answer>> all = List.copyOf(asking.values());
    asking.clear();
    askedAgain.clear();
    all.forEach(asker -> asker.accept(lost()));
  }

  /** The manifests of all states that are mounted: for collections of this worker's chunks. */
  public List<byte[]> manifests() {
    return held.values().stream().map(state -> state.manifest).toList();
  }
}
