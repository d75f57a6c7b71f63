package io.hypersync.worker.daemon.identity;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.model.errno.Errno;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.worker.fuse.protocol.CallerAgent;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.protocol.RequestHeader;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.fuse.session.FuseHandler;
import io.hypersync.worker.fuse.session.FuseReply;
import io.hypersync.worker.fuse.session.FuseSession;
import io.hypersync.worker.identity.AgentCache;
import io.hypersync.worker.identity.AgentResolver;
import io.hypersync.worker.identity.ProcessTable;
import io.hypersync.worker.identity.RecentAgents;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives each request that may change something the name of its caller's agent.
 *
 * <p>A caller that is known goes on at once, on its own thread. Any other request is handed to one
 * of four threads that look at processes, and goes on when the name is known, or after 250 ms
 * without one.
 *
 * <p>No other thread may look, because that may wait for this very mount: reading {@code
 * /proc/PID/environ} takes the lock of that process's memory. A page fault of one of its threads
 * may hold it while it waits for a page of a file on this mount, which needs the FUSE threads, and
 * perhaps the agent's thread. Identity files may be on the mount as well: those in the home
 * directory, if that is. So a thread that looks may be stuck for as long as the mount is; but
 * nothing waits for it longer than those 250 ms, and nothing that would get it unstuck waits at
 * all: requests that only read do not come here. Three of the four may be stuck for one user, so
 * that others still get their names. While there is none left for a caller, its requests go on
 * without a name at once; a caller that has called no exec since it was looked at keeps its name.
 */
public final class AgentNames implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AgentNames.class);

  private static final long LONGEST_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(250);
  private static final int MAX_WAITING = 4_096;
  private static final int MAX_THREADS = 8_192;
  private static final int DESCRIPTORS_OF_A_THREAD = 2;
  private static final int MAX_AGENTS = 256;
  private static final long LATELY_NS = TimeUnit.MINUTES.toNanos(10);
  private static final long NS_PER_MS = 1_000_000;
  private static final long NS_PER_S = 1_000_000_000;
  private static final int O_TRUNC = 01000;
  private static final int LOOKERS = 4;

  /** One look that takes so long is told in the log. */
  private static final long TOLD_NS = TimeUnit.SECONDS.toNanos(1);

  /** Such looks are told once in this time. */
  private static final long QUIET_NS = TimeUnit.MINUTES.toNanos(1);

  private final AgentCache cache;
  private final Clock clock;
  private final RecentAgents recent = new RecentAgents(MAX_AGENTS);
  private final ConcurrentHashMap<RequestId, UnnamedRequest> waiting = new ConcurrentHashMap<>();
  private final ArrayBlockingQueue<Job> unnamed = new ArrayBlockingQueue<>(MAX_WAITING);
  private final ArrayBlockingQueue<Job> late = new ArrayBlockingQueue<>(MAX_WAITING);
  private final LongAdder looks = new LongAdder();
  private final LongAdder timeouts = new LongAdder();
  private final LongAdder refusals = new LongAdder();
  private final LongAdder told = new LongAdder();
  private final List<Looker> lookers = new ArrayList<>();
  private final Thread timer = FuseSession.reader("agent-names-late", this::passOnLate);
  private final AtomicInteger looking = new AtomicInteger();

  /** When a look was told last; 0 if none was. Of the timer's thread. */
  private long toldNs;

  private volatile boolean closed;

  private record Job(UnnamedRequest request, FuseHandler filesystem) {}

  /** What a thread is looking at; null in between. Written by that thread, read by others. */
  private record Look(int tid, int uid, long sinceNs) {
    boolean isStuck(long nowNs) {
      return nowNs - sinceNs > LONGEST_WAIT_NS;
    }
  }

  private final class Looker {
    final Thread thread;
    volatile @Nullable Look now;

    Looker(int number) {
      thread = FuseSession.reader("agent-names-" + number, () -> look(this));
    }

    boolean isStuck(long nowNs) {
      Look look = now;
      return look != null && look.isStuck(nowNs);
    }

    boolean isStuckFor(int uid, long nowNs) {
      Look look = now;
      return look != null && look.uid() == uid && look.isStuck(nowNs);
    }
  }

  /**
   * Creates them; {@link #start} starts the threads.
   *
   * @param mount the root of the workspace's mount, absolute and without symbolic links, as a
   *     string of bytes
   * @param descriptors how many descriptors this process may have: a quarter of them are used at
   *     most
   */
  public AgentNames(ProcessTable processes, String mount, long descriptors, Clock clock) {
    int threads = Math.clamp(descriptors / 4 / DESCRIPTORS_OF_A_THREAD, 16, MAX_THREADS);
    this.cache = new AgentCache(processes, new AgentResolver(processes, mount), threads);
    this.clock = clock;
    for (int i = 1; i <= LOOKERS; i++) {
      lookers.add(new Looker(i));
    }
  }

  /** Starts the threads. Until then each request goes on without a name after a moment. */
  public void start() {
    looking.set(LOOKERS);
    lookers.forEach(looker -> looker.thread.start());
    timer.start();
  }

  /** A filesystem whose requests have the names of their callers' agents. */
  public FuseHandler around(FuseHandler filesystem) {
    return new FuseHandler() {
      @Override
      public void handle(FuseRequest request, FuseReply reply) {
        if (mayChange(request.operation())) {
          identify(request, reply, filesystem);
        } else if (request.operation() instanceof FuseOperation.Open) {
          filesystem.handle(request.by(reader(request.header())), reply);
        } else {
          filesystem.handle(request, reply);
        }
      }

      @Override
      public void interrupted(RequestId unique, int pid) {
        UnnamedRequest held = waiting.get(unique);
        // One that waits here is reported when the filesystem has it, as if the signal came then.
        if (held == null || held.interrupted()) {
          filesystem.interrupted(unique, pid);
        }
      }
    };
  }

  private static boolean mayChange(FuseOperation operation) {
    return operation instanceof FuseOperation.Change
        || operation instanceof FuseOperation.NameChange
        || (operation instanceof FuseOperation.Open open && (open.flags() & O_TRUNC) != 0);
  }

  /** Who opens a file to read it, as far as that is known already. */
  private CallerAgent reader(RequestHeader header) {
    if (header.pid() == 0) {
      return CallerAgent.LATE;
    }
    String name = cache.known(header.pid(), clock.monotonicNs());
    return name == null
        ? CallerAgent.believed(cache.believed(header.pid()))
        : CallerAgent.found(name);
  }

  private void identify(FuseRequest request, FuseReply reply, FuseHandler filesystem) {
    RequestHeader header = request.header();
    long nowNs = clock.monotonicNs();
    String name = header.pid() == 0 ? "" : cache.known(header.pid(), nowNs);
    if (name != null) {
      recent.note(name, nowNs);
      filesystem.handle(request.by(CallerAgent.found(name)), reply);
    } else if (!mayLook(header.uid(), nowNs) || !waits(request, reply, filesystem, nowNs)) {
      refusals.increment();
      String believed = cache.believed(header.pid());
      recent.note(believed, nowNs);
      filesystem.handle(request.by(CallerAgent.believed(believed)), reply);
    }
  }

  /** Whether a thread is left that may look at a process of this user. */
  private boolean mayLook(int uid, long nowNs) {
    return lookers.stream().anyMatch(looker -> !looker.isStuck(nowNs))
        && lookers.stream().filter(looker -> looker.isStuckFor(uid, nowNs)).count() < LOOKERS - 1;
  }

  /** Whether the request waits for its name; if not, there is no room, and nothing has happened. */
  private boolean waits(FuseRequest request, FuseReply reply, FuseHandler filesystem, long nowNs) {
    UnnamedRequest held = new UnnamedRequest(request, reply, nowNs + LONGEST_WAIT_NS);
    RequestId unique = request.header().unique();
    waiting.put(unique, held);
    Job job = new Job(held, filesystem);
    if (closed || !late.offer(job)) {
      waiting.remove(unique, held);
      return false;
    }
    // One for which there is no room here goes on when its time is up.
    var _ = unnamed.offer(job);
    return true;
  }

  private void look(Looker looker) {
    try {
      while (!closed) {
        Job job = unnamed.take();
        if (!job.request.isTaken()) {
          RequestHeader header = job.request.header();
          if (mayLook(header.uid(), clock.monotonicNs())) {
            passOn(job, lookAt(looker, header));
          } else {
            refusals.increment();
            passOn(job, CallerAgent.believed(cache.believed(header.pid())));
          }
        }
      }
    } catch (InterruptedException ending) {
      LOG.debug("no more names");
    } finally {
      if (looking.decrementAndGet() == 0) { // whoever is still looking would open it again
        cache.close();
      }
    }
  }

  private CallerAgent lookAt(Looker looker, RequestHeader header) {
    int tid = header.pid();
    long nowNs = clock.monotonicNs();
    String known = cache.known(tid, nowNs);
    if (known != null) {
      return CallerAgent.found(known);
    }
    looks.increment();
    looker.now = new Look(tid, header.uid(), nowNs);
    try {
      return CallerAgent.found(cache.look(tid, nowNs, clock.epochNs() / NS_PER_S));
    } catch (RuntimeException e) {
      LOG.error("who made a call is not known", e);
      return CallerAgent.LATE;
    } finally {
      looker.now = null;
    }
  }

  /** Passes requests on whose time is up. All wait equally long, so they are in order. */
  private void passOnLate() {
    try {
      while (!closed) {
        tellOfSlowLooks();
        Job job = late.poll(TOLD_NS, TimeUnit.NANOSECONDS);
        if (job == null) {
          continue;
        }
        while (!closed && !job.request.isTaken() && leftNs(job) > 0) {
          LockSupport.parkNanos(leftNs(job));
        }
        if (!job.request.isTaken()) {
          timeouts.increment();
          passOn(job, CallerAgent.believed(cache.believed(job.request.header().pid())));
        }
      }
    } catch (InterruptedException ending) {
      LOG.debug("no request waits for a name any more");
    }
  }

  private void tellOfSlowLooks() {
    long nowNs = clock.monotonicNs();
    if (toldNs != 0 && nowNs - toldNs < QUIET_NS) {
      return;
    }
    for (Looker looker : lookers) {
      Look look = looker.now;
      if (look != null && nowNs - look.sinceNs() >= TOLD_NS) {
        toldNs = nowNs == 0 ? 1 : nowNs;
        told.increment();
        LOG.warn(
            "which agent process {} of user {} belongs to is not found for {} s: its memory or a file"
                + " in its home directory cannot be read. Calls of new processes may have no name"
                + " meanwhile",
            look.tid(),
            look.uid(),
            (nowNs - look.sinceNs()) / NS_PER_S);
        return;
      }
    }
  }

  private long leftNs(Job job) {
    return job.request.deadlineNs() - clock.monotonicNs();
  }

  private void passOn(Job job, CallerAgent agent) {
    if (job.request.passOn(agent, job.filesystem, AgentNames::failed)) {
      recent.note(agent.name(), clock.monotonicNs());
      waiting.remove(job.request.header().unique(), job.request);
    }
  }

  private static void failed(RequestHeader header, FuseReply reply, Throwable why) {
    LOG.error("{} failed", header, why);
    reply.error(Errno.EIO);
  }

  /** Whether an agent has changed something on this mount lately. Any thread. */
  public boolean hasSeen(String agent) {
    return recent.has(agent);
  }

  /** How many agents have changed something in the last ten minutes; 256 at most. Any thread. */
  public int countLately() {
    return recent.countSince(clock.monotonicNs() - LATELY_NS);
  }

  /** For {@code docs/json.md}. */
  public ObjectNode status() {
    long nowNs = clock.monotonicNs();
    ObjectNode status = JsonNodeFactory.instance.objectNode();
    ArrayNode seen = status.putArray("seen");
    for (RecentAgents.Seen agent : recent.list()) {
      seen.addObject()
          .put("agent", agent.name())
          .put("calls", agent.calls())
          .put("last_call_ms", Math.max(0, nowNs - agent.lastNs()) / NS_PER_MS);
    }
    status.put("unknown_calls", recent.unnamed());
    status.put("threads", cache.size());
    status.put("looks", looks.sum());
    status.put("looks_late", timeouts.sum());
    status.put("looks_refused", refusals.sum());
    status.put("looks_stuck", lookers.stream().filter(looker -> looker.isStuck(nowNs)).count());
    status.put("looks_told", told.sum());
    return status;
  }

  /**
   * Ends the threads; to be called when the mount has ended, and with it all requests. A thread
   * that is stuck ends when what it waits for has ended, too.
   */
  @Override
  public void close() {
    closed = true;
    lookers.forEach(looker -> looker.thread.interrupt());
    timer.interrupt();
  }
}
