package io.hypersync.worker.coherence;

import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.invariant.Invariant;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.worker.port.ApplyListener;
import io.hypersync.worker.port.CacheNotifier;
import io.hypersync.worker.replica.IndexedState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes applied entries visible one after another, each only when the kernel has nothing cached any
 * more that the entry contradicts. So what a process sees through this mount, from the daemon or
 * from the kernel's caches, is S_v of one v that only grows (hypersync.md 5.2(2), 6.3.2(3)); the
 * whole argument is in docs/kernel-caching.md.
 *
 * <p>For entry k: the view becomes S_{k-1} with everything that k changes marked as not cacheable;
 * the kernel drops it; the view becomes S_k. The kernel can drop a name only while no call of this
 * host is changing the directory, and such a call may itself wait for k to become visible. In that
 * case, and when dropping takes too long, k becomes visible first, and the invalidations that need
 * no directory lock are done.
 *
 * <p>A whole state can take the place of another one: that of a snapshot, when this worker was away
 * for too long. Then everything that the kernel has is invalidated in the same two steps.
 *
 * <p>Names that stay right are left alone. A directory that has moved is not taken out of the
 * kernel's cache: the kernel is made to look it up at its new place, so that it stays the working
 * directory of processes, and filesystems mounted below move along.
 *
 * <p>The names that a call of this host changes are updated by the kernel itself, but only when the
 * caller runs again. So after such an entry nothing newer becomes visible until the kernel has
 * updated them: either a notification about these names has completed, or another call has the
 * directory locked, which proves it ({@link DirectoryLocks}).
 *
 * <p>Single-threaded, on the agent's thread; {@link #view()} and {@link #settled()} may be read by
 * any thread.
 */
public final class VisibilityGate {
  /**
   * The longest wait for the kernel to invalidate names while calls of this host are unanswered:
   * the call that delays it may be one that waits for this very entry.
   */
  private static final long PATIENCE_NS = 50_000_000;

  /**
   * The longest wait while no call is unanswered: whoever delays the kernel then does not wait for
   * this worker's agent.
   */
  private static final long LONG_PATIENCE_NS = 500_000_000;

  /**
   * The most invalidations of names that may be in progress with nobody waiting for them; each
   * occupies a thread.
   */
  public static final int MAX_DETACHED = 128;

  /**
   * How long an append of this host may have been in flight when one of another host was ordered
   * before it.
   */
  private static final long OVERTAKEN_NS = 5_000_000_000L;

  /** Of a step that no call has made. */
  private static final IntentId NO_INTENT = new IntentId(new ClientId(0, 0), 1);

  /** The most inodes that {@link #grownElsewhere} holds. */
  private static final int MAX_GROWN = 4_096;

  private final KernelCaches caches;
  private final CacheNotifier notifier;
  private final LocalCalls calls;
  private final ApplyListener shown;
  private final Done done;
  private final ArrayDeque<Step> steps = new ArrayDeque<>();

  /**
   * Tickets of invalidations of names that nobody waits for any more; the kernel still carries them
   * out.
   */
  private final Set<Long> detached = new HashSet<>();

  /**
   * Inodes of files that other hosts have made longer, and when each last grew (monotonic); oldest
   * first.
   */
  private final Map<InodeNo, Long> grownElsewhere = new LinkedHashMap<>();

  /** Listings that are being dropped: ticket and inode of the directory. */
  private final Map<Long, InodeNo> droppedListings = new HashMap<>();

  /**
   * Names that were missing and now exist, in directories whose cached listing a process is
   * reading; they are dropped once nobody reads it.
   */
  private final List<CachedName> behindReaders = new ArrayList<>(0);

  private long tickets;
  private @Nullable Wait wait;
  private long namesLate;
  private boolean awaitsAcks;
  private volatile View view;
  private volatile long settled;

  /**
   * An applied entry with its effects and the states around it.
   *
   * @param entry null if the state of a snapshot takes the place of an older one
   */
  private record Step(
      @Nullable LogEntry entry,
      Invalidations invalidations,
      IndexedState before,
      IndexedState after) {
    /** Whether a caller of this host waits for it. */
    boolean isAwaited(LocalCalls calls) {
      return entry != null && calls.isWaiting(entry.intent());
    }

    IntentId intent() {
      return entry == null ? NO_INTENT : entry.intent();
    }

    @SuppressWarnings("ReferenceEquality") // a mark, not a value
    boolean isEverything() {
      return invalidations == Invalidations.EVERYTHING;
    }
  }

  /** Called for every entry once its caller may be answered, if that is on this host. */
  @FunctionalInterface
  public interface Done {
    /** The entry is visible, and the kernel has nothing that contradicts it. */
    void done(LogEntry entry, FsState after);
  }

  /** What a step waits for. */
  private enum Phase {
    /** The kernel is invalidating what the step contradicts; then the step becomes visible. */
    BEFORE,
    /**
     * The step is visible. The kernel drops the pages that the entry changes, and takes over a new
     * size, a new place of a directory or a new owner; then the caller is answered, if it is on
     * this host.
     */
    FOLLOW,
    /**
     * The caller, on this host, has been answered. The kernel is updating the caller's names; then
     * the step is settled.
     */
    OWN_NAMES,
    /**
     * Like {@link #OWN_NAMES}, but the caller was answered before, with an unknown outcome (EIO):
     * the kernel left its names as they were, and they are wrong until it drops them.
     */
    NAMES_LEFT_OLD
  }

  private static final class Wait {
    private final Step step;
    private final Phase phase;

    /**
     * Names in whose directories the kernel has work to complete: dropping or expiring the names,
     * or finding directories that have moved there.
     */
    private final List<CachedName> names;

    /** Names that the kernel updates itself once the caller is answered. */
    private final List<CachedName> ownNames;

    /**
     * Names that were missing and now exist; they are dropped when nobody reads the cached listing
     * of their directory.
     */
    private List<CachedName> behindReaders = List.of();

    private long sinceNs;
    private long namesTicket;
    private final Set<Long> listingTickets = new HashSet<>(0);

    /** Tickets of invalidations that wait for no call which waits for a commit. */
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
   * Creates a visibility gate that shows the initial state.
   *
   * @param shown called for everything once it is visible
   * @param done called for every entry once its caller may be answered, if that is on this host
   */
  public VisibilityGate(
      IndexedState initial,
      KernelCaches caches,
      CacheNotifier notifier,
      LocalCalls calls,
      ApplyListener shown,
      Done done) {
    this.settled = initial.index();
    this.view = new View(initial, Invalidations.NONE);
    this.caches = caches;
    this.notifier = notifier;
    this.calls = calls;
    this.shown = shown;
    this.done = done;
  }

  /** The view from which requests are answered. Any thread. */
  public View view() {
    return view;
  }

  /**
   * The newest entry whose invalidations the kernel has completed, or that is no longer waited for
   * ({@link #namesLate}). Barriers, and whoever acts on having seen an entry, go by this index. At
   * most one behind the view. Any thread.
   */
  public long settled() {
    return settled;
  }

  /**
   * Sets whether acks come only when other workers show the entry, too, and will come. Then an
   * entry of a caller that has no ack yet stays unsettled for as long as that takes: the kernel
   * gets the caller's names right only when the caller is answered. Others wait for this worker to
   * settle later entries, never this one, so nobody waits in a circle (decision 054).
   */
  public void awaitAcks(boolean will) {
    awaitsAcks = will;
  }

  /** The number of entries that are applied and not yet settled. */
  public int backlog() {
    return steps.size() + (wait == null ? 0 : 1);
  }

  /**
   * The number of times that waiting for the kernel was given up: an entry became visible before
   * the kernel had invalidated the names that it contradicts, or was settled before the kernel had
   * found the directories that it moves.
   */
  public long namesLate() {
    return namesLate;
  }

  /** Tells of all entries that are not settled yet; those that are not visible are among them. */
  public void forEachWaiting(Consumer<LogEntry> entry) {
    if (wait != null) {
      tell(wait.step, entry);
    }
    steps.forEach(step -> tell(step, entry));
  }

  private static void tell(Step step, Consumer<LogEntry> receiver) {
    if (step.entry != null) {
      receiver.accept(step.entry);
    }
  }

  /**
   * Prepares an entry that the replica has applied.
   *
   * @return queues it; {@link #publish} then makes it visible
   * @throws PageUnreadableException if a part of a state is needed for that and cannot be read
   */
  public Runnable applied(LogEntry entry, IndexedState before, IndexedState after) {
    Invalidations invalidations = Invalidations.of(entry.op(), before.state(), after.state());
    Step step = new Step(entry, invalidations, before, after);
    for (CachedName name : invalidations.names()) { // looked up again below, from memory then
      name.target(before.state());
      name.target(after.state());
    }
    return () -> steps.addLast(step);
  }

  /**
   * The state of a snapshot takes the place of the newest one that was applied. {@link #publish}
   * makes it visible, after all entries that were applied before.
   *
   * @param before the newest state that was applied
   */
  public void replaced(IndexedState before, IndexedState after) {
    steps.addLast(new Step(null, Invalidations.EVERYTHING, before, after));
  }

  /** The notifier has completed the notification with this ticket. */
  public void dropped(long ticket) {
    detached.remove(ticket);
    InodeNo listing = droppedListings.remove(ticket);
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
   * The kernel has started to drop a listing and waits for a process that is reading it, for an
   * unknown time. The visibility gate stops waiting: no other handle gets the cached listing before
   * it is dropped, and the reader's call gets what it asked for before the entry
   * (docs/kernel-caching.md).
   */
  public void heldUp(long ticket) {
    Wait waiting = wait;
    if (waiting != null) {
      waiting.listingTickets.remove(ticket);
    }
  }

  /**
   * Makes entries visible until one has to wait for the kernel. Never blocks.
   *
   * @return the number of entries that became visible
   */
  public int publish(long nowNs) {
    int madeVisible = 0;
    while (true) {
      Wait waiting = wait;
      if (waiting != null) {
        if (!isOver(waiting, nowNs)) {
          return madeVisible;
        }
        wait = null;
        switch (waiting.phase) {
          case BEFORE -> {
            madeVisible++;
            show(waiting.step, waiting.ownNames, nowNs);
          }
          case FOLLOW -> finish(waiting.step, waiting.ownNames, nowNs);
          case OWN_NAMES, NAMES_LEFT_OLD -> settle(waiting.step);
        }
      } else {
        Step step = steps.pollFirst();
        if (step == null) {
          return madeVisible;
        }
        madeVisible += prepare(step, nowNs);
      }
    }
  }

  /**
   * Starts the invalidations that must precede the step; shows the step at once if there are none.
   *
   * @return the number of entries that became visible, 0 or 1
   */
  private int prepare(Step step, long nowNs) {
    Invalidations invalidations = step.invalidations;
    view = new View(step.before, invalidations); // before the caches are asked: see KernelCaches
    if (step.isEverything()) {
      prepareAll(step, nowNs);
      return 0;
    }
    List<InodeNo> unknown = new ArrayList<>(0);
    List<InodeNo> listings = new ArrayList<>(0);
    for (InodeNo inode : invalidations.attributes()) { // among them every directory that changes
      if (caches.takeListing(inode)) {
        listings.add(inode);
      }
      if (caches.takeAttributes(inode) && !notifier.dropAttributes(inode)) {
        unknown.add(inode);
      }
    }
    List<PageRange> pages = new ArrayList<>(0);
    for (InodeNo inode : invalidations.hiddenPages()) {
      if (caches.takePages(inode)) {
        pages.add(PageRange.all(inode));
      }
    }
    boolean own = step.isAwaited(calls);
    boolean removed = !own && invalidations.removedDirectories().stream().anyMatch(caches::isKnown);
    List<CachedName> cached = new ArrayList<>(0);
    for (CachedName name : invalidations.names()) {
      if (caches.takeName(name) || removed) {
        cached.add(name);
      }
    }
    if (own && step.entry != null && !cached.isEmpty()) {
      Invalidations.movedTo(step.entry.op(), invalidations).forEach(caches::noteName);
    }
    List<CachedName> ownNames = own && !cached.isEmpty() ? invalidations.names() : List.of();
    List<CachedName> names = own ? List.of() : cached;
    List<CachedName> behind = List.of();
    if (comeToBe(names, step)
        && names.stream().anyMatch(name -> isBeingRead(name.directory(), listings))) {
      // To drop a name, the kernel waits for the process that is reading the directory, and makes
      // every later lookup there wait as well, even one that the reader depends on.
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
    for (InodeNo listing : listings) {
      long ticket = ++tickets;
      waiting.listingTickets.add(ticket);
      droppedListings.put(ticket, listing);
      notifier.dropListing(ticket, listing);
    }
    dropNames(waiting, names);
    wait = waiting;
    return 0;
  }

  /**
   * Starts the invalidation of everything that the kernel has. From now on it is allowed to cache
   * nothing, so nothing is added to what the notifier finds.
   */
  private void prepareAll(Step step, long nowNs) {
    Wait waiting = new Wait(step, Phase.BEFORE, List.of(), List.of(), nowNs);
    notifier.expireAll(prompt(waiting));
    wait = waiting;
  }

  private long prompt(Wait waiting) {
    long ticket = ++tickets;
    waiting.promptTickets.add(ticket);
    return ticket;
  }

  /**
   * Whether a process may be reading the kernel's cached listing; such reads send no request here.
   */
  private boolean isBeingRead(InodeNo directory, List<InodeNo> dropping) {
    return dropping.contains(directory) || droppedListings.containsValue(directory);
  }

  /** Whether all of these names were missing before the step; false for an empty list. */
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

  /** Makes the step visible and starts the invalidations that follow it. */
  private void show(Step step, List<CachedName> ownNames, long nowNs) {
    if (step.isEverything()) {
      showAll(step, nowNs);
      return;
    }
    Invalidations invalidations = step.invalidations;
    boolean own = step.isAwaited(calls);
    // The kernel updates the size itself when a caller of this host runs again, except after an
    // append that was ordered behind one of another host.
    Growth growth = own && !wasOvertaken(step, nowNs) ? null : invalidations.growth();
    if (!own && growth != null) {
      grownElsewhere.remove(growth.inode()); // to the end of the order
      grownElsewhere.put(growth.inode(), nowNs);
    }
    View shownView = new View(step.after, Invalidations.ofNames(ownNames));
    // The view is changed before isKnown is asked: a reply that introduces the inode to the kernel
    // from now on carries the new size.
    view = growth == null ? shownView : shownView.whileGrowing(growth.inode());
    Growth followed = growth != null && caches.isKnown(growth.inode()) ? growth : null;
    if (growth != null && followed == null) {
      view = shownView;
    }
    tellShown(step);
    PageRange changed = invalidations.changedPages();
    List<PageRange> pages =
        changed != null && caches.mayHavePages(changed.inode()) ? List.of(changed) : List.of();
    List<MovedDirectory> moved =
        own
            ? List.of()
            : invalidations.movedDirectories().stream()
                .filter(directory -> caches.isKnown(directory.inode()))
                .toList();
    boolean owned =
        !own
            && invalidations.changesOwner()
            && invalidations.attributes().stream().anyMatch(caches::isKnown);
    if (pages.isEmpty() && followed == null && moved.isEmpty() && !owned) {
      finish(step, ownNames, nowNs);
      return;
    }
    Wait waiting = new Wait(step, Phase.FOLLOW, invalidations.names(), ownNames, nowNs);
    if (!pages.isEmpty() || followed != null) {
      notifier.dropContents(prompt(waiting), List.of(), pages, followed);
    }
    if (owned) {
      notifier.refreshOwner(prompt(waiting), invalidations.attributes().getFirst());
    }
    if (!moved.isEmpty()) {
      waiting.namesTicket = ++tickets;
      notifier.followMoves(waiting.namesTicket, moved);
    }
    wait = waiting;
  }

  /** Makes a whole state visible, and starts the invalidations that follow it. */
  private void showAll(Step step, long nowNs) {
    view = new View(step.after, Invalidations.NONE).whileAllGrow();
    grownElsewhere.clear(); // their sizes are told anew
    tellShown(step);
    Wait waiting = new Wait(step, Phase.FOLLOW, List.of(), List.of(), nowNs);
    notifier.followAll(prompt(waiting), step.before.state(), step.after.state());
    wait = waiting;
  }

  private void tellShown(Step step) {
    if (step.entry == null) {
      shown.replaced(step.before, step.after);
    } else {
      shown.applied(step.entry, step.before.state(), step.after.state());
    }
  }

  /**
   * Whether an append of this host may have been ordered behind one of another host that this
   * host's kernel had not received: the kernel then takes the file for too short.
   */
  private boolean wasOvertaken(Step step, long nowNs) {
    var oldest = grownElsewhere.values().iterator();
    while (oldest.hasNext()
        && (nowNs - oldest.next() > OVERTAKEN_NS || grownElsewhere.size() > MAX_GROWN)) {
      oldest.remove();
    }
    Growth growth = step.invalidations.growth();
    return growth != null
        && step.entry != null
        && step.entry.op() instanceof FsOp.Write write
        && write.mode() == WriteMode.APPEND
        && grownElsewhere.containsKey(growth.inode());
  }

  /**
   * Lets the caller be answered, if it is on this host, then settles the step or waits for the
   * kernel to update the caller's names.
   */
  private void finish(Step step, List<CachedName> ownNames, long nowNs) {
    Invariant.SUCCESS_IS_VISIBLE.check(step.after.index() <= view.visible().index());
    boolean tellsNow = step.isAwaited(calls);
    if (step.entry != null) {
      done.done(step.entry, step.after.state());
    }
    if (ownNames.isEmpty()) {
      settle(step);
      return;
    }
    Phase phase = tellsNow ? Phase.OWN_NAMES : Phase.NAMES_LEFT_OLD;
    Wait waiting = new Wait(step, phase, ownNames, ownNames, nowNs);
    waiting.namesTicket = ++tickets;
    notifier.dropNames(waiting.namesTicket, List.of(), ownNames);
    wait = waiting;
  }

  private void settle(Step step) {
    view = new View(step.after, Invalidations.NONE);
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

  /**
   * Whether the name is to be expired rather than taken out: it led to a directory that has moved,
   * or still leads to the same node.
   */
  private static boolean staysSomewhere(CachedName name, Step step) {
    Node before = name.target(step.before.state());
    Node after = name.target(step.after.state());
    return before != null
        && (step.invalidations.moves(before.id())
            || (after != null && after.id().equals(before.id())));
  }

  private boolean isOver(Wait waiting, long nowNs) {
    if (!waiting.behindReaders.isEmpty() && waiting.listingTickets.isEmpty()) {
      List<CachedName> behind = waiting.behindReaders;
      waiting.behindReaders = List.of();
      if (behind.stream().anyMatch(name -> isBeingRead(name.directory(), List.of()))) {
        behindReaders.addAll(behind); // the reader does not finish
        namesLate++;
        notifier.loosenNames(prompt(waiting), List.of(), true);
      } else {
        waiting.sinceNs = nowNs;
        dropNames(waiting, behind);
      }
    }
    if (waiting.namesTicket != 0) {
      boolean own = waiting.phase == Phase.OWN_NAMES;
      if (own && awaitsAcks && calls.isWaiting(waiting.step.intent())) {
        waiting.sinceNs = nowNs; // it cannot be the caller's slowness before it is answered
        return false;
      }
      if (isHeld(waiting) || (own && isLetGo(waiting))) {
        detach(waiting, own);
      } else {
        boolean mayBeHeld = calls.isAnyWaiting() || detached.size() >= MAX_DETACHED;
        long patienceNs = mayBeHeld ? PATIENCE_NS : LONG_PATIENCE_NS;
        if (nowNs - waiting.sinceNs >= patienceNs) {
          detach(waiting, false);
        }
      }
    }
    return waiting.isOver();
  }

  /**
   * Stops waiting for the kernel to invalidate these names. It still does so once it gets the
   * directory; that late it can at worst drop a name that it could have kept.
   *
   * @param through whether the kernel is known to have updated its own names
   */
  private void detach(Wait waiting, boolean through) {
    detached.add(waiting.namesTicket);
    waiting.namesTicket = 0;
    if (through) {
      return;
    }
    namesLate++;
    if (waiting.phase != Phase.BEFORE && waiting.phase != Phase.NAMES_LEFT_OLD) {
      return;
    }
    List<InodeNo> targets = new ArrayList<>(waiting.names.size());
    boolean missing = false;
    for (CachedName name : waiting.names) {
      Node target = name.target(waiting.step.before.state());
      missing |= target == null;
      if (target != null && caches.isKnown(target.inode())) {
        targets.add(target.inode());
      }
    }
    if (missing || !targets.isEmpty()) {
      notifier.loosenNames(prompt(waiting), targets, missing);
    }
  }

  /**
   * Drops the names of {@link #behindReaders} in a directory whose listing nobody reads any more.
   */
  private void dropBehindReaders(InodeNo directory) {
    if (behindReaders.isEmpty() || isBeingRead(directory, List.of())) {
      return;
    }
    List<CachedName> names =
        behindReaders.stream().filter(name -> name.directory().equals(directory)).toList();
    if (!names.isEmpty()) {
      behindReaders.removeAll(names);
      long ticket = ++tickets;
      detached.add(ticket);
      notifier.dropNames(ticket, names, List.of());
    }
  }

  /**
   * Whether other calls have locked every directory in which the kernel had to update names for the
   * step's own call. Each got the lock from that call's caller, who gave it up after updating the
   * names.
   */
  private boolean isLetGo(Wait waiting) {
    for (CachedName name : waiting.names) {
      if (!calls.holds(name.parent(), waiting.step.intent())) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether an unanswered call, which may wait for this very step, may keep the kernel from
   * invalidating the names.
   */
  private boolean isHeld(Wait waiting) {
    for (CachedName name : waiting.names) {
      if (calls.mayHold(name.parent(), view.visible().state(), waiting.step.intent())) {
        return true;
      }
    }
    return false;
  }
}
