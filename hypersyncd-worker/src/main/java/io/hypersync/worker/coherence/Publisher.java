package io.hypersync.worker.coherence;

import io.hypersync.model.invariant.Invariant;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.worker.port.ApplyListener;
import io.hypersync.worker.port.CacheNotifier;
import io.hypersync.worker.replica.Published;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
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
 * when it takes long, k becomes visible before, and what can be done without the lock is done.
 *
 * <p>Names that are still right are left alone, and a directory that has moved is not taken out of
 * the kernel's cache: the kernel is had to look it up at its new place, so that processes in it and
 * filesystems mounted below move along.
 *
 * <p>A call of this machine has its own names put right by the kernel, but only when the caller
 * runs again. So after such an entry nothing newer becomes visible until the kernel is through: it
 * says so itself, or another call has the directory locked, which proves it ({@link
 * DirectoryLocks}).
 *
 * <p>Single-threaded; {@link #view()} may be read by any thread.
 */
public final class Publisher {
  /**
   * How long the kernel may take with names while calls of this machine are unanswered: what holds
   * it up may be one that waits for the very step.
   */
  private static final long PATIENCE_NS = 50_000_000;

  /** The same while none is: then it is held up by nobody who waits for this worker's agent. */
  private static final long LONG_PATIENCE_NS = 500_000_000;

  /** So many drops of names may be on their way with nobody waiting for them; each has a thread. */
  public static final int MAX_OVERTAKEN = 128;

  /** For so long an append of this machine may have been on its way when another's came first. */
  private static final long OVERTAKEN_NS = 5_000_000_000L;

  /** So many files that others have made longer are remembered. */
  private static final int MAX_GROWN = 4_096;

  private final KernelCaches caches;
  private final CacheNotifier notifier;
  private final LocalCalls calls;
  private final ApplyListener shown;
  private final ApplyListener done;
  private final ArrayDeque<Step> steps = new ArrayDeque<>();

  /** Drops of names whose end nobody waits for any more: the way they go is still taken. */
  private final Set<Long> overtaken = new HashSet<>();

  /** When other machines last made files longer, in that order. */
  private final Map<Long, Long> grownElsewhere = new LinkedHashMap<>();

  /** Drops of listings that are under way: of which directory. */
  private final Map<Long, Long> droppedListings = new HashMap<>();

  /** Missing names that have come to be in directories whose listing is being read. */
  private final List<CachedName> behindReaders = new ArrayList<>(0);

  private long tickets;
  private @Nullable Wait wait;
  private long namesLate;
  private volatile View view;
  private volatile long settled;

  /** An entry that is applied. */
  private record Step(LogEntry entry, Effects effects, Published before, Published after) {}

  /** Where a step stands that has to wait. */
  private enum Phase {
    /** The kernel forgets what the step contradicts; then it is shown. */
    BEFORE,
    /**
     * It is shown; the kernel drops the pages that it changes, and follows what has become longer,
     * has moved or has another owner; then a caller here is told.
     */
    FOLLOW,
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

    /** Names that the kernel has to come to: to drop them, or to find what has moved there. */
    private final List<CachedName> names;

    /** Names which the kernel changes itself when the caller is told. */
    private final List<CachedName> ownNames;

    /** Missing names that wait until nobody reads the listing of their directory. */
    private List<CachedName> behindReaders = List.of();

    private long sinceNs;
    private long namesTicket;
    private final Set<Long> listingTickets = new HashSet<>(0);

    /** What waits for no call that waits for a commit. */
    private final Set<Long> promptTickets = new HashSet<>(2);

    Wait(Step step, Phase phase, List<CachedName> names, List<CachedName> ownNames, long sinceNs) {
      this.step = step;
      this.phase = phase;
      this.names = names;
      this.ownNames = ownNames;
      this.sinceNs = sinceNs;
    }

    boolean isOver() {
      return namesTicket == 0
          && promptTickets.isEmpty()
          && listingTickets.isEmpty()
          && behindReaders.isEmpty();
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

  /**
   * How often an entry became visible before the kernel was through with names that it contradicts,
   * or with directories that it moves.
   */
  public long namesLate() {
    return namesLate;
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
      dropBehindReaders(listing);
    }
    Wait waiting = wait;
    if (waiting != null) {
      waiting.namesTicket = waiting.namesTicket == ticket ? 0 : waiting.namesTicket;
      waiting.promptTickets.remove(ticket);
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
          case FOLLOW -> finish(waiting.step, waiting.ownNames, nowNs);
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
    boolean removed = !own && effects.removedDirectories().stream().anyMatch(caches::isKnown);
    List<CachedName> cached = new ArrayList<>(0);
    for (CachedName name : effects.names()) {
      if (caches.takeName(name) || removed) {
        cached.add(name);
      }
    }
    if (own && !cached.isEmpty()) {
      Effects.movedTo(step.entry.op(), effects).forEach(caches::noteName);
    }
    List<CachedName> ownNames = own && !cached.isEmpty() ? effects.names() : List.of();
    List<CachedName> names = own ? List.of() : cached;
    List<CachedName> behind = List.of();
    if (comeToBe(names, step)
        && names.stream().anyMatch(name -> isBeingRead(name.directory(), listings))) {
      // To drop a name the kernel waits for whoever is reading the directory, and has all others
      // wait meanwhile, who may need what the reader waits for.
      behind = names;
      names = List.of();
    }
    if (names.isEmpty()
        && behind.isEmpty()
        && unknown.isEmpty()
        && pages.isEmpty()
        && listings.isEmpty()) {
      show(step, ownNames, nowNs);
      return 1;
    }
    Wait waiting = new Wait(step, Phase.BEFORE, names, ownNames, nowNs);
    waiting.behindReaders = behind;
    if (!unknown.isEmpty() || !pages.isEmpty()) {
      notifier.dropContents(prompt(waiting), unknown, pages, null);
    }
    for (long listing : listings) {
      long ticket = ++tickets;
      waiting.listingTickets.add(ticket);
      droppedListings.put(ticket, listing);
      notifier.dropListing(ticket, listing);
    }
    dropNames(waiting, names);
    wait = waiting;
    return 0;
  }

  private long prompt(Wait waiting) {
    long ticket = ++tickets;
    waiting.promptTickets.add(ticket);
    return ticket;
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
    Effects effects = step.effects;
    boolean own = calls.isWaiting(step.entry.intent());
    // What a call of this machine has changed its kernel knows when the caller runs again, but for
    // where an append went which another machine's has overtaken.
    Growth growth = own && !wasOvertaken(step, nowNs) ? null : effects.growth();
    if (!own && growth != null) {
      grownElsewhere.remove(growth.inode()); // to the end of the order
      grownElsewhere.put(growth.inode(), nowNs);
    }
    View shownView = new View(step.after, Effects.ofNames(ownNames));
    // The view comes first: who makes the file known from now on tells its new length.
    view = growth == null ? shownView : shownView.whileGrowing(growth.inode());
    Growth followed = growth != null && caches.isKnown(growth.inode()) ? growth : null;
    if (growth != null && followed == null) {
      view = shownView;
    }
    shown.applied(step.entry, step.before.state(), step.after.state());
    PageRange changed = effects.changedPages();
    List<PageRange> pages =
        changed != null && caches.mayHavePages(changed.inode()) ? List.of(changed) : List.of();
    List<MovedDirectory> moved =
        own
            ? List.of()
            : effects.movedDirectories().stream()
                .filter(directory -> caches.isKnown(directory.inode()))
                .toList();
    boolean owned =
        !own && effects.changesOwner() && effects.attributes().stream().anyMatch(caches::isKnown);
    if (pages.isEmpty() && followed == null && moved.isEmpty() && !owned) {
      finish(step, ownNames, nowNs);
      return;
    }
    Wait waiting = new Wait(step, Phase.FOLLOW, effects.names(), ownNames, nowNs);
    if (!pages.isEmpty() || followed != null) {
      notifier.dropContents(prompt(waiting), List.of(), pages, followed);
    }
    if (owned) {
      notifier.refreshOwner(prompt(waiting), effects.attributes().getFirst());
    }
    if (!moved.isEmpty()) {
      waiting.namesTicket = ++tickets;
      notifier.followMoves(waiting.namesTicket, moved);
    }
    wait = waiting;
  }

  /**
   * Whether an append of this machine may have been put behind one of another machine that its
   * kernel had not heard of: it then takes the file for too short.
   */
  private boolean wasOvertaken(Step step, long nowNs) {
    var oldest = grownElsewhere.values().iterator();
    while (oldest.hasNext()
        && (nowNs - oldest.next() > OVERTAKEN_NS || grownElsewhere.size() > MAX_GROWN)) {
      oldest.remove();
    }
    Growth growth = step.effects.growth();
    return growth != null
        && step.entry.op() instanceof FsOp.Write write
        && write.mode() == WriteMode.APPEND
        && grownElsewhere.containsKey(growth.inode());
  }

  /** A caller here may be told. */
  private void finish(Step step, List<CachedName> ownNames, long nowNs) {
    Invariant.SUCCESS_IS_VISIBLE.check(step.entry.index() <= view.published().index());
    if (ownNames.isEmpty()) {
      done.applied(step.entry, step.before.state(), step.after.state());
      settle(step);
      return;
    }
    boolean tellsNow = calls.isWaiting(step.entry.intent());
    done.applied(step.entry, step.before.state(), step.after.state());
    Phase phase = tellsNow ? Phase.OWN_NAMES : Phase.NAMES_LEFT_OLD;
    Wait waiting = new Wait(step, phase, ownNames, ownNames, nowNs);
    waiting.namesTicket = ++tickets;
    notifier.dropNames(waiting.namesTicket, List.of(), ownNames);
    wait = waiting;
  }

  private void settle(Step step) {
    view = new View(step.after, Effects.NONE);
    settled = step.after.index();
  }

  private void dropNames(Wait waiting, List<CachedName> names) {
    if (names.isEmpty()) {
      return;
    }
    List<CachedName> dropped = new ArrayList<>(names.size());
    List<CachedName> expired = new ArrayList<>(0);
    for (CachedName name : names) {
      (staysSomewhere(name, waiting.step) ? expired : dropped).add(name);
    }
    waiting.namesTicket = ++tickets;
    notifier.dropNames(waiting.namesTicket, dropped, expired);
  }

  /** Whether the name leads to a directory that will be looked up at another place, or here. */
  private static boolean staysSomewhere(CachedName name, Step step) {
    Node before = target(step.before.state(), name);
    Node after = target(step.after.state(), name);
    return before != null
        && (step.effects.moves(before.id()) || (after != null && after.id().equals(before.id())));
  }

  private static @Nullable Node target(FsState state, CachedName name) {
    Node directory = state.node(name.parent());
    return directory == null ? null : state.lookup(directory, name.name());
  }

  private boolean isOver(Wait waiting, long nowNs) {
    if (!waiting.behindReaders.isEmpty() && waiting.listingTickets.isEmpty()) {
      List<CachedName> behind = waiting.behindReaders;
      waiting.behindReaders = List.of();
      if (behind.stream().anyMatch(name -> isBeingRead(name.directory(), List.of()))) {
        behindReaders.addAll(behind); // the reader is held up
        namesLate++;
        notifier.loosenNames(prompt(waiting), List.of(), true);
      } else {
        waiting.sinceNs = nowNs;
        dropNames(waiting, behind);
      }
    }
    if (waiting.namesTicket != 0) {
      boolean own = waiting.phase == Phase.OWN_NAMES;
      if (isHeld(waiting) || (own && isLetGo(waiting))) {
        overtake(waiting, own);
      } else {
        boolean mayBeHeld = calls.isAnyWaiting() || overtaken.size() >= MAX_OVERTAKEN;
        long patienceNs = mayBeHeld ? PATIENCE_NS : LONG_PATIENCE_NS;
        if (nowNs - waiting.sinceNs >= patienceNs) {
          overtake(waiting, false);
        }
      }
    }
    return waiting.isOver();
  }

  /**
   * Nobody waits any more for the kernel to come to these names. It does so nevertheless, when the
   * way is free; coming late it takes from the kernel, at worst, what it may keep.
   *
   * @param through whether the kernel is known to have put its own names right
   */
  private void overtake(Wait waiting, boolean through) {
    overtaken.add(waiting.namesTicket);
    waiting.namesTicket = 0;
    if (through) {
      return;
    }
    namesLate++;
    if (waiting.phase != Phase.BEFORE && waiting.phase != Phase.NAMES_LEFT_OLD) {
      return;
    }
    List<Long> targets = new ArrayList<>(waiting.names.size());
    boolean missing = false;
    for (CachedName name : waiting.names) {
      Node target = target(waiting.step.before.state(), name);
      missing |= target == null;
      if (target != null && caches.isKnown(target.inode().value())) {
        targets.add(target.inode().value());
      }
    }
    if (missing || !targets.isEmpty()) {
      notifier.loosenNames(prompt(waiting), targets, missing);
    }
  }

  /** Of the names in a directory whose listing nobody reads any more. */
  private void dropBehindReaders(long directory) {
    if (behindReaders.isEmpty() || isBeingRead(directory, List.of())) {
      return;
    }
    List<CachedName> names =
        behindReaders.stream().filter(name -> name.directory() == directory).toList();
    if (!names.isEmpty()) {
      behindReaders.removeAll(names);
      long ticket = ++tickets;
      overtaken.add(ticket);
      notifier.dropNames(ticket, names, List.of());
    }
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
}
