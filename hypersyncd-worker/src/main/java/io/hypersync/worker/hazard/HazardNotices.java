package io.hypersync.worker.hazard;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.Hazard;
import io.hypersync.model.hazard.HazardReport;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.runtime.agent.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The latest hazards that this worker has seen (hypersync.md 11.2). Each worker applies each entry,
 * and an entry has its hazards in it, so both agents' workers know them as soon as they show the
 * entry; no message is needed. Bounded, whatever the entries say. Single-threaded.
 */
public final class HazardNotices {
  /** How many are kept. */
  static final int MOST = 1_000;

  /** About how much heap they take together, in bytes. */
  static final int MOST_BYTES = 4 << 20;

  /** How many lines there are in the log in {@link #LINES_NS}. */
  static final int MOST_LINES = 10;

  private static final long LINES_NS = 60_000_000_000L;

  private final WorkerId self;
  private final Clock clock;
  private final Predicate<String> worksHere;
  private final Consumer<HazardNotice> lines;
  private final Consumer<Long> restOfLines;
  private final ArrayDeque<HazardNotice> latest = new ArrayDeque<>();
  private long bytes;
  private long seen;
  private long here;
  private long senseless;
  private long linesSinceNs;
  private int linesNow;
  private long linesLeftOut;

  /**
   * None were seen yet.
   *
   * @param self this worker
   * @param worksHere whether an agent of this name has changed something on this worker lately
   * @param lines gets what is for the log: a few of those that concern this worker
   * @param restOfLines gets how many of those were not for the log, for lack of room
   */
  public HazardNotices(
      WorkerId self,
      Clock clock,
      Predicate<String> worksHere,
      Consumer<HazardNotice> lines,
      Consumer<Long> restOfLines) {
    this.self = self;
    this.clock = clock;
    this.worksHere = worksHere;
    this.lines = lines;
    this.restOfLines = restOfLines;
    this.linesSinceNs = clock.monotonicNs();
  }

  /**
   * An entry has become visible.
   *
   * @param isNews whether it is of this moment, and not one of many that the worker catches up with
   */
  public void shown(LogEntry entry, boolean isNews) {
    if (!HazardReport.hasHazards(entry.hazard())) {
      return;
    }
    List<Hazard> hazards;
    try {
      hazards = HazardReport.decode(entry.hazard());
    } catch (DecodeException e) { // of a later version: the entry counts all the same
      senseless++;
      return;
    }
    Author author = new Author(entry.agent(), entry.origin());
    HazardNotice notice =
        new HazardNotice(
            entry.index(),
            entry.committedAtNs(),
            clock.epochNs(),
            author,
            entry.op().getClass().getSimpleName(),
            hazards,
            isHere(author) || hazards.stream().anyMatch(this::isHere));
    seen++;
    keep(notice);
    if (notice.isHere()) {
      here++;
      if (isNews) {
        write(notice);
      }
    }
  }

  private boolean isHere(Hazard hazard) {
    return switch (hazard) {
      case Hazard.Overlap overlap -> isHere(overlap.other());
      case Hazard.Reserved reserved -> worksHere.test(reserved.holder().agent());
      case Hazard.Advice _ -> false; // it is for the author
    };
  }

  private boolean isHere(Author who) {
    return who.worker().equals(self) || (!who.agent().isEmpty() && worksHere.test(who.agent()));
  }

  private void keep(HazardNotice notice) {
    latest.addLast(notice);
    bytes += notice.weight();
    while (latest.size() > MOST || (bytes > MOST_BYTES && latest.size() > 1)) {
      bytes -= latest.removeFirst().weight();
    }
  }

  private void write(HazardNotice notice) {
    long nowNs = clock.monotonicNs();
    if (nowNs - linesSinceNs >= LINES_NS) {
      if (linesLeftOut > 0) {
        restOfLines.accept(linesLeftOut);
      }
      linesSinceNs = nowNs;
      linesNow = 0;
      linesLeftOut = 0;
    }
    if (linesNow < MOST_LINES) {
      linesNow++;
      lines.accept(notice);
    } else {
      linesLeftOut++;
    }
  }

  /**
   * The newest of those that are kept, oldest first.
   *
   * @param onlyHere whether only those that concern this worker
   */
  public List<HazardNotice> newest(int count, boolean onlyHere) {
    ArrayDeque<HazardNotice> found = new ArrayDeque<>();
    var back = latest.descendingIterator();
    while (back.hasNext() && found.size() < count) {
      HazardNotice notice = back.next();
      if (notice.isHere() || !onlyHere) {
        found.addFirst(notice);
      }
    }
    return List.copyOf(found);
  }

  /** Those behind this entry that are kept, oldest first. */
  public List<HazardNotice> after(long index) {
    List<HazardNotice> found = new ArrayList<>();
    var back = latest.descendingIterator();
    while (back.hasNext()) {
      HazardNotice notice = back.next();
      if (notice.index() <= index) {
        break;
      }
      found.addFirst(notice);
    }
    return found;
  }

  /** How many entries with hazards were seen since the start. */
  public long seen() {
    return seen;
  }

  /** How many of them concern this worker. */
  public long here() {
    return here;
  }

  /** How many reports could not be read, which a later version has written. */
  public long senseless() {
    return senseless;
  }
}
