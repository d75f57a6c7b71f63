package io.hypersync.leader.hazard;

import io.hypersync.leader.reservation.Reservation;
import io.hypersync.leader.reservation.ReservationTable;
import io.hypersync.leader.reservation.SourceFreshness;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.CallPaths;
import io.hypersync.model.hazard.Holder;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.model.trie.PageUnreadableException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Refuses changes where another agent holds (hypersync.md 10.3), if that is wanted. The leader asks
 * once for each intent, before it is logged; so nothing of a refusal is in the log, and nobody
 * works it out again. Refused is who says another name than that of all holders. Who says no name
 * is not refused: a name that is found too late would refuse an agent its own files. Names are
 * self-asserted, so this keeps agents apart that mean well, and is no protection.
 *
 * <p>Where anything is in doubt nothing is refused: if the source of reservations is stale, if the
 * path of the call is not known, if a page cannot be read. Single-threaded.
 */
public final class Enforcement {
  /** How many refusals are remembered for reports. */
  private static final int REMEMBERED = 20;

  private final WorkerId leader;
  private final ArrayDeque<Refusal> latest = new ArrayDeque<>();
  private ReservationTable known = ReservationTable.EMPTY;
  private @Nullable Long checkedNs;
  private boolean isOn;
  private long refused;

  /**
   * A change that was refused.
   *
   * @param timeNs when, in nanoseconds since 1970
   * @param path as the call has named it
   */
  public record Refusal(long timeNs, Author author, byte[] path, Holder holder) {}

  /** Whether changes are refused. */
  public enum State {
    /** They never are. */
    OFF,
    /** They are. */
    ON,
    /** They would be if the source were fresh. */
    SUSPENDED;

    /** In reports: the name in lower case. */
    public String text() {
      return switch (this) {
        case OFF -> "off";
        case ON -> "on";
        case SUSPENDED -> "suspended";
      };
    }
  }

  /**
   * Refuses nothing.
   *
   * @param leader the origin of what the leader does itself, which is never refused
   */
  public Enforcement(WorkerId leader) {
    this.leader = leader;
  }

  /** Whether changes are refused, if what is known is fresh. */
  public boolean isOn() {
    return isOn;
  }

  /** From now on changes are refused. */
  public void turnOn() {
    isOn = true;
  }

  /**
   * Sets which reservations are known from now on.
   *
   * @param goodNs when the source was looked at last, on the monotonic clock; null if never
   */
  public void reservations(ReservationTable table, @Nullable Long goodNs) {
    known = table;
    checkedNs = goodNs;
  }

  /** Whether changes are refused at this time of the monotonic clock. */
  public State state(long nowNs) {
    if (!isOn) {
      return State.OFF;
    }
    Long checked = checkedNs;
    return checked != null && nowNs - checked < SourceFreshness.STALE_NS
        ? State.ON
        : State.SUSPENDED;
  }

  /**
   * Whether an op must not be done.
   *
   * @param op as it would be logged
   * @param paths what the call has named
   * @param before the state before it
   * @param after the state after it
   * @param timeNs of its entry, which says which reservations hold
   * @param nowNs of the monotonic clock, which says whether the source is fresh
   */
  public boolean refuses(
      FsOp op,
      Author author,
      CallPaths paths,
      FsState before,
      FsState after,
      long timeNs,
      long nowNs) {
    if (!isOn
        || known.isEmpty()
        || author.agent().isEmpty()
        || author.worker().equals(leader)
        || state(nowNs) != State.ON) {
      return false;
    }
    try {
      for (Changes.Change change : Changes.of(op, paths, true, before, after)) {
        Holder holder = opponent(change, author, timeNs);
        if (holder != null) {
          refused++;
          latest.addLast(new Refusal(timeNs, author, change.path(), holder));
          if (latest.size() > REMEMBERED) {
            latest.removeFirst();
          }
          return true;
        }
      }
      return false;
    } catch (PageUnreadableException e) {
      return false;
    }
  }

  /** Who holds the place of the change alone, while its author holds it not; null if nobody. */
  private @Nullable Holder opponent(Changes.Change change, Author author, long timeNs) {
    if (change.path().length == 0 || !change.isNamed() || CheckedPath.isExempt(change.path())) {
      return null;
    }
    List<Holder> holders =
        known
            .covering(
                new String(change.path(), StandardCharsets.UTF_8), change.isDirectory(), timeNs)
            .stream()
            .map(Reservation::holder)
            .toList();
    if (holders.stream().anyMatch(holder -> holder.is(author.agent()))) {
      return null;
    }
    return holders.stream().filter(Holder::exclusive).findFirst().orElse(null);
  }

  /** How many changes were refused since the leader's start. */
  public long refused() {
    return refused;
  }

  /** The latest refusals, oldest first. */
  public List<Refusal> latest() {
    return List.copyOf(latest);
  }
}
