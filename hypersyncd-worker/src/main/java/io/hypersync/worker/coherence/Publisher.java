package io.hypersync.worker.coherence;

import io.hypersync.model.log.LogEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.worker.port.ApplyListener;
import io.hypersync.worker.port.CacheNotifier;
import io.hypersync.worker.replica.Published;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes applied entries visible, one after another, each only when the kernel has nothing cached
 * any more that it contradicts. So what a process sees through this mount, from the daemon or from
 * the kernel's caches, is S_v of one v that only grows (hypersync.md 5.2(2), 6.3.2(3)); the whole
 * argument is in docs/kernel-caching.md.
 *
 * <p>For entry k: the view becomes S_{k-1} with everything that k changes marked as not to be kept;
 * the kernel drops it; the view becomes S_k. Names can be dropped only when no call of this machine
 * is changing the directory, and such a call may itself wait for k to become visible: then, and
 * when it takes long, all names of the mount are distrusted instead, which waits for nobody.
 *
 * <p>A call of this machine has its own names put right by the kernel, but only when the caller
 * runs again. So after such an entry nothing newer becomes visible until the kernel is through: it
 * says so itself, or another call has the directory locked, which proves it ({@link
 * DirectoryLocks}).
 *
 * <p>Single-threaded; {@link #view()} may be read by any thread.
 */
public final class Publisher {
  /** How long names may take to be dropped before all are distrusted. */
  private static final long PATIENCE_NS = 5_000_000;

  /** So many drops of names may be on their way with nobody waiting for them; each has a thread. */
  public static final int MAX_OVERTAKEN = 128;

  private final KernelCaches caches;
  private final CacheNotifier notifier;
  private final LocalCalls calls;
  private final ApplyListener shown;
  private final ApplyListener done;
  private final ArrayDeque<Step> steps = new ArrayDeque<>();

  /** Drops of names whose end nobody waits for any more: the way they go is still taken. */
  private final Set<Long> overtaken = new HashSet<>();

  /** Drops of listings that are under way: of which directory. */
  private final Map<Long, Long> droppedListings = new HashMap<>();

  private long tickets;
  private @Nullable Wait wait;
  private long namesDistrusted;
  private volatile View view;
  private volatile long settled;

  /** An entry that is applied. */
  private record Step(LogEntry entry, Effects effects, Published before, Published after) {}

  /** Where a step stands that has to wait. */
  private enum Phase {
    /** The kernel forgets what the step contradicts; then it is shown. */
    BEFORE,
    /** It is shown; the kernel drops the pages that it changes; then a caller here is told. */
    PAGES,
    /** A caller here is told; the kernel puts the names right; then the next step is taken. */
    OWN_NAMES,
    /**
     * The same for a caller who was told before that nobody knows: the kernel leaves its names as
     * they were, and they are wrong until it drops them.
     */
    NAMES_LEFT_OLD
  }

  private static final class Wait {
    private final Step step;
    private final Phase phase;
    private final List<CachedName> names;

    /** Names which the kernel changes itself when the caller is told. */
    private final List<CachedName> ownNames;

    private final long untilNs;
    private long namesTicket;
    private long contentsTicket;
    private final Set<Long> listingTickets = new HashSet<>(0);

    Wait(Step step, Phase phase, List<CachedName> names, List<CachedName> ownNames, long untilNs) {
      this.step = step;
      this.phase = phase;
      this.names = names;
      this.ownNames = ownNames;
      this.untilNs = untilNs;
    }

    boolean isOver() {
      return namesTicket == 0 && contentsTicket == 0 && listingTickets.isEmpty();
    }
  }

  /**
   * Nothing but the initial state is visible.
   *
   * @param shown hears of every entry that has become visible
   * @param done hears of it when a caller here may be told
   */
  public Publisher(
      Published initial,
      KernelCaches caches,
      CacheNotifier notifier,
      LocalCalls calls,
      ApplyListener shown,
      ApplyListener done) {
    this.settled = initial.index();
    this.view = new View(initial, Effects.NONE);
    this.caches = caches;
    this.notifier = notifier;
    this.calls = calls;
    this.shown = shown;
    this.done = done;
  }

  /** What requests are answered from; any thread. */
  public View view() {
    return view;
  }

  /**
   * The newest entry of which the kernel knows, too, all that it has to: whoever acts on having
   * seen it, or waits for it, goes by this one. At most one behind the view; any thread.
   */
  public long settled() {
    return settled;
  }

  /** How many entries are applied and not yet visible. */
  public int backlog() {
    return steps.size() + (wait == null ? 0 : 1);
  }

  /** How often all names of the mount had to be looked up again. */
  public long namesDistrusted() {
    return namesDistrusted;
  }

  /** The replica has applied an entry. */
  public void applied(LogEntry entry, Published before, Published after) {
    Effects effects = Effects.of(entry.op(), before.state(), after.state());
    steps.addLast(new Step(entry, effects, before, after));
  }

  /** The notifier has done what this ticket stands for. */
  public void dropped(long ticket) {
    overtaken.remove(ticket);
    Long listing = droppedListings.remove(ticket);
    if (listing != null) {
      caches.listingDropped(listing);
    }
    Wait waiting = wait;
    if (waiting != null) {
      waiting.namesTicket = waiting.namesTicket == ticket ? 0 : waiting.namesTicket;
      waiting.contentsTicket = waiting.contentsTicket == ticket ? 0 : waiting.contentsTicket;
      waiting.listingTickets.remove(ticket);
    }
  }

  /**
   * The drop of a listing is in the kernel's hands and waits for a process that is reading it, for
   * who knows how long. Nobody waits for that: no other handle gets the copy before it is dropped,
   * and the one whose call that is gets what it asked for before (docs/kernel-caching.md).
   */
  public void heldUp(long ticket) {
    Wait waiting = wait;
    if (waiting != null) {
      waiting.listingTickets.remove(ticket);
    }
  }

  /**
   * Makes visible what can be.
   *
   * @return how many entries became visible
   */
  public int publish(long nowNs) {
    int published = 0;
    while (true) {
      Wait waiting = wait;
      if (waiting != null) {
        if (!isOver(waiting, nowNs)) {
          return published;
        }
        wait = null;
        switch (waiting.phase) {
          case BEFORE -> {
            published++;
            show(waiting.step, waiting.ownNames, nowNs);
          }
          case PAGES -> finish(waiting.step, waiting.ownNames, nowNs);
          case OWN_NAMES, NAMES_LEFT_OLD -> settle(waiting.step);
        }
      } else {
        Step step = steps.pollFirst();
        if (step == null) {
          return published;
        }
        published += prepare(step, nowNs);
      }
    }
  }

  /** Has the kernel forget what the step contradicts; shows it at once if that needs no waiting. */
  private int prepare(Step step, long nowNs) {
    Effects effects = step.effects;
    view = new View(step.before, effects); // before the caches are asked: see KernelCaches
    List<Long> unknown = new ArrayList<>(0);
    List<Long> listings = new ArrayList<>(0);
    for (long inode : effects.attributes()) { // among them every directory that changes
      if (caches.takeListing(inode)) {
        listings.add(inode);
      }
      if (caches.takeAttributes(inode) && !notifier.dropAttributes(inode)) {
        unknown.add(inode);
      }
    }
    List<PageRange> pages = new ArrayList<>(0);
    for (long inode : effects.hiddenPages()) {
      if (caches.takePages(inode)) {
        pages.add(PageRange.all(inode));
      }
    }
    boolean own = calls.isWaiting(step.entry.intent());
    if (!own && effects.changesOwner() && effects.attributes().stream().anyMatch(caches::isKnown)) {
      distrust(); // the kernel checks owners by what the last walk to the node has told it
    }
    boolean displaced = !own && effects.displacedDirectories().stream().anyMatch(caches::isKnown);
    List<CachedName> cached = new ArrayList<>(0);
    for (CachedName name : effects.names()) {
      if (caches.takeName(name) || displaced) {
        cached.add(name);
      }
    }
    if (own && !cached.isEmpty()) {
      Effects.movedTo(step.entry.op(), effects).forEach(caches::noteName);
    }
    List<CachedName> ownNames = own && !cached.isEmpty() ? effects.names() : List.of();
    List<CachedName> names = own ? List.of() : cached;
    if (comeToBe(names, step)
        && names.stream().anyMatch(name -> isBeingRead(name.directory(), listings))) {
      // To drop a name the kernel waits for whoever is reading the directory, and has all others
      // wait meanwhile. Of names that are missing it is enough to ask again for all of them: no
      // listing that is just being taken up has one.
      distrust();
      names = List.of();
    }
    if (names.isEmpty() && unknown.isEmpty() && pages.isEmpty() && listings.isEmpty()) {
      show(step, ownNames, nowNs);
      return 1;
    }
    Wait waiting = new Wait(step, Phase.BEFORE, names, ownNames, nowNs + PATIENCE_NS);
    if (!unknown.isEmpty() || !pages.isEmpty()) {
      waiting.contentsTicket = ++tickets;
      notifier.dropContents(waiting.contentsTicket, unknown, pages);
    }
    for (long listing : listings) {
      long ticket = ++tickets;
      waiting.listingTickets.add(ticket);
      droppedListings.put(ticket, listing);
      notifier.dropListing(ticket, listing);
    }
    if (!names.isEmpty()) {
      dropNames(waiting, false);
    }
    wait = waiting;
    return 0;
  }

  /** Whether somebody may be reading the kernel's copy of a listing, whom we do not hear of. */
  private boolean isBeingRead(long directory, List<Long> dropping) {
    return dropping.contains(directory) || droppedListings.containsValue(directory);
  }

  /** Whether none of these names was there before the step. */
  private static boolean comeToBe(List<CachedName> names, Step step) {
    FsState before = step.before.state();
    return !names.isEmpty()
        && names.stream()
            .allMatch(
                name -> {
                  Node parent = before.node(name.parent());
                  return parent != null && before.lookup(parent, name.name()) == null;
                });
  }

  /** The step is visible from here on. */
  private void show(Step step, List<CachedName> ownNames, long nowNs) {
    view = new View(step.after, Effects.ofNames(ownNames));
    shown.applied(step.entry, step.before.state(), step.after.state());
    PageRange changed = step.effects.changedPages();
    if (changed != null && caches.mayHavePages(changed.inode())) {
      Wait waiting = new Wait(step, Phase.PAGES, List.of(), ownNames, nowNs);
      waiting.contentsTicket = ++tickets;
      notifier.dropContents(waiting.contentsTicket, List.of(), List.of(changed));
      wait = waiting;
    } else {
      finish(step, ownNames, nowNs);
    }
  }

  /** A caller here may be told. */
  private void finish(Step step, List<CachedName> ownNames, long nowNs) {
    if (ownNames.isEmpty()) {
      done.applied(step.entry, step.before.state(), step.after.state());
      settle(step);
      return;
    }
    boolean tellsNow = calls.isWaiting(step.entry.intent());
    done.applied(step.entry, step.before.state(), step.after.state());
    Phase phase = tellsNow ? Phase.OWN_NAMES : Phase.NAMES_LEFT_OLD;
    Wait waiting = new Wait(step, phase, ownNames, ownNames, nowNs + PATIENCE_NS);
    dropNames(waiting, true);
    wait = waiting;
  }

  private void settle(Step step) {
    view = new View(step.after, Effects.NONE);
    settled = step.after.index();
  }

  private void dropNames(Wait waiting, boolean expire) {
    long ticket = ++tickets;
    waiting.namesTicket = ticket;
    if (overtaken.size() >= MAX_OVERTAKEN) {
      distrustInstead(waiting); // every thread waits for a directory
    }
    notifier.dropNames(ticket, waiting.names, expire);
  }

  private boolean isOver(Wait waiting, long nowNs) {
    if (waiting.namesTicket != 0) {
      if (waiting.phase == Phase.OWN_NAMES && isLetGo(waiting)) {
        overtake(waiting);
      } else if (nowNs - waiting.untilNs >= 0 || isHeld(waiting)) {
        distrustInstead(waiting);
      }
    }
    return waiting.isOver();
  }

  /**
   * Nobody waits any more for the drop of these names. It is made nevertheless, when the way is
   * free, for a listing with attributes that the kernel is just taking up would count as newer than
   * a distrust. Coming late it takes from the kernel, at worst, what it may keep.
   */
  private void overtake(Wait waiting) {
    overtaken.add(waiting.namesTicket);
    waiting.namesTicket = 0;
  }

  private void distrustInstead(Wait waiting) {
    overtake(waiting);
    distrust();
  }

  /**
   * Whether others have locked every directory in which the kernel had to put names right for the
   * call: each got its lock from that call's caller, when he was through with the names.
   */
  private boolean isLetGo(Wait waiting) {
    for (CachedName name : waiting.names) {
      if (!calls.holds(name.parent(), waiting.step.entry.intent())) {
        return false;
      }
    }
    return true;
  }

  /** Whether a call which may wait for this very step keeps the kernel from dropping the names. */
  private boolean isHeld(Wait waiting) {
    for (CachedName name : waiting.names) {
      if (calls.mayHold(name.parent(), view.published().state(), waiting.step.entry.intent())) {
        return true;
      }
    }
    return false;
  }

  private void distrust() {
    namesDistrusted++;
    caches.namesDistrusted();
    notifier.distrustNames();
  }
}
