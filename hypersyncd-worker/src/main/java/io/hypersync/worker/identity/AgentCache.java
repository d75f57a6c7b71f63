package io.hypersync.worker.identity;

import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The names of threads that were looked at. A name is believed while the thread is the same and its
 * process has not called exec: a shell's child opens the files of its redirections before it calls
 * exec, and only then has the environment that names it. And a number that the kernel gives to a
 * thread, it gives to another one later, which must never get the old name.
 *
 * <p>What an identity file says may change meanwhile, so that is looked at again each second, or
 * each two seconds if there was no name. Where exec is not noticed, names are looked at again when
 * their age doubles, from a millisecond on.
 *
 * <p>Thread-safe. What may block, which is the look at a process, is done without the lock.
 */
public final class AgentCache {
  private static final long SHORTEST_NS = 1_000_000;
  private static final long NAMED_NS = 1_000_000_000;
  private static final long UNNAMED_NS = 2_000_000_000;

  /** How many are tested, when one is added, for whether their threads have ended. */
  private static final int SWEPT = 2;

  private final ProcessTable processes;
  private final AgentResolver resolver;
  private final int limit;
  private final ConcurrentHashMap<Integer, Entry> entries = new ConcurrentHashMap<>();

  /** In the order in which they were added or tested last; some are in no map any more. */
  private final ArrayDeque<Entry> order = new ArrayDeque<>();

  private boolean closed;

  private static final class Entry {
    final int tid;
    final ProcessTable.Watch watch;
    final long sinceNs;
    volatile String name;
    volatile long nextLookNs;

    Entry(int tid, ProcessTable.Watch watch, long sinceNs) {
      this.tid = tid;
      this.watch = watch;
      this.sinceNs = sinceNs;
      this.name = AgentName.NONE;
      this.nextLookNs = sinceNs;
    }
  }

  /**
   * Creates an empty cache.
   *
   * @param limit how many threads it holds at most
   */
  public AgentCache(ProcessTable processes, AgentResolver resolver, int limit) {
    this.processes = processes;
    this.resolver = resolver;
    this.limit = limit;
  }

  /** The name of a thread's agent, which may be empty; null if it has to be looked at. */
  public @Nullable String known(int tid, long nowNs) {
    Entry entry = entries.get(tid);
    if (entry == null || nowNs - entry.nextLookNs >= 0) {
      return null;
    }
    String name = entry.name;
    return entry.watch.isUnchanged() ? name : null;
  }

  /**
   * The name that a thread's agent had when it was looked at, however long ago; empty if it is not
   * sure that its process is what it was. Any thread.
   */
  public String believed(int tid) {
    Entry entry = entries.get(tid);
    if (entry == null || !entry.watch.seesExec()) {
      return AgentName.NONE;
    }
    String name = entry.name;
    return entry.watch.isUnchanged() ? name : AgentName.NONE;
  }

  /**
   * Looks at a thread, and remembers its agent's name; empty if it has none. To be called while the
   * thread waits for its call, so that it is this one whose name is found.
   *
   * @param nowNs by the monotonic clock
   * @param nowS seconds since 1970
   */
  public String look(int tid, long nowNs, long nowS) {
    Entry before = entries.get(tid);
    if (before != null && !before.watch.isUnchanged()) {
      drop(before);
      before = null;
    }
    Entry entry = before;
    if (entry == null) {
      ProcessTable.Watch watch = processes.watch(tid);
      if (watch == null) {
        return resolver.resolve(tid, nowS);
      }
      entry = new Entry(tid, watch, nowNs);
    }
    String name = resolver.resolve(tid, nowS);
    if (!entry.watch.isUnchanged()) {
      drop(entry); // what was read may be of two processes
      return AgentName.NONE;
    }
    if (name.isEmpty() && entry.watch.seesExec()) {
      name = entry.name; // who has named it may have ended; it is what it was
    }
    entry.name = name;
    entry.nextLookNs = nowNs + untilNextLook(entry, nowNs);
    if (before == null) {
      add(entry);
    }
    return name;
  }

  private static long untilNextLook(Entry entry, long nowNs) {
    long longest = entry.name.isEmpty() ? UNNAMED_NS : NAMED_NS;
    return entry.watch.seesExec()
        ? longest
        : Math.clamp(nowNs - entry.sinceNs, SHORTEST_NS, longest);
  }

  private synchronized void add(Entry entry) {
    if (closed) {
      entry.watch.close();
      return;
    }
    sweep();
    while (entries.size() >= limit && !order.isEmpty()) {
      drop(order.removeFirst());
    }
    order.addLast(entry);
    Entry other = entries.put(entry.tid, entry);
    if (other != null) { // another thread has looked at it meanwhile
      other.watch.close();
    }
  }

  private void sweep() {
    for (int tested = 0; tested < SWEPT && !order.isEmpty(); tested++) {
      Entry oldest = order.removeFirst();
      if (!oldest.watch.isUnchanged()) {
        drop(oldest);
      } else {
        order.addLast(oldest);
      }
    }
  }

  private void drop(Entry entry) {
    entries.remove(entry.tid, entry);
    entry.watch.close();
  }

  /** How many threads it holds. */
  public int size() {
    return entries.size();
  }

  /** Forgets all, and remembers nothing any more. */
  public synchronized void close() {
    closed = true;
    for (Entry entry : entries.values()) {
      drop(entry);
    }
    order.clear();
  }
}
