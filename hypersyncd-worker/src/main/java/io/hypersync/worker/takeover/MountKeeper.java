package io.hypersync.worker.takeover;

import io.hypersync.worker.fuse.dev.DescriptorSocket;
import io.hypersync.worker.fuse.dev.DescriptorSocket.Packet;
import io.hypersync.worker.fuse.dev.MountTable;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the mount of a worker while no worker runs. It holds each descriptor of {@code /dev/fuse}:
 * the kernel ends what was read through a descriptor that nobody holds any more. When the worker's
 * connection ends without an END, the worker has died: the keeper starts another one, with the same
 * command, environment and working directory, again and again with growing pauses, until one has
 * taken the mount or {@link KeptMount#timeout} is over. Then it lets go, and the kernel ends the
 * connection: callers get ENOTCONN, as if there had been no keeper.
 *
 * <p>A worker that asks for it gets a successor beside it ({@link Candidate}): that one says when
 * it is ready, the worker ends, and the successor takes the mount as if the worker had died. So
 * whatever goes wrong on the way, some process serves the mount in the end: the worker itself until
 * it ends, and after that the successor, or if that dies another process of the worker's own
 * command.
 *
 * <p>One thread, which never calls into the mount. One connection is served at a time, and each for
 * a second at most; only processes of the same user are heard.
 */
final class MountKeeper {
  private static final Logger LOG = LoggerFactory.getLogger(MountKeeper.class);
  private static final Duration TURN = Duration.ofMillis(250);
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  /** From the moment in which a worker says that it ends until it has. */
  private static final Duration END_LIMIT = Duration.ofSeconds(10);

  /** A process that was killed has so long to be gone. */
  private static final Duration SUCCESSOR_END = Duration.ofSeconds(5);

  /** A keeper that gets no mount is of no use. */
  private static final Duration UNUSED = Duration.ofSeconds(30);

  private final DescriptorSocket listener;
  private final IntFunction<@Nullable WorkerCommand> commands;
  private final long startedNs = System.nanoTime();

  /** The connection of the worker that serves the mount; null if there is none. */
  private @Nullable DescriptorSocket worker;

  private @Nullable KeptMount mount;
  private List<Integer> descriptors = List.of();
  private @Nullable WorkerCommand command;

  /** The process that was started last, as long as it has not taken the mount. */
  private @Nullable Process successor;

  private long diedNs;

  /**
   * Since when nobody answers: earlier than {@link #diedNs} if the worker has said that it ends.
   */
  private long pausedNs;

  /**
   * When the worker has said that it ends, 0 if it has not. That is its word, whatever becomes of
   * the successor: from then on it may answer nobody, and has to end.
   */
  private long leftNs;

  private boolean wasEnded;

  /** A successor that starts beside the worker; null if there is none. */
  private @Nullable Candidate candidate;

  /** How the process before has ended, and how many were started since. */
  private Succession.How how = Succession.How.DIED;

  private int starts;
  private long nextStartNs;
  private Duration pause = FIRST_PAUSE;

  /** Whether that worker answers the mount's requests. */
  private boolean serves;

  private boolean over;

  MountKeeper(DescriptorSocket listener) {
    this(listener, WorkerCommand::of);
  }

  /**
   * A keeper of a worker that a test is.
   *
   * @param commands how the process with this number was started; null if that cannot be told
   */
  MountKeeper(DescriptorSocket listener, IntFunction<@Nullable WorkerCommand> commands) {
    this.listener = listener;
    this.commands = commands;
  }

  /** Keeps a mount until it is gone. */
  void run() throws IOException {
    try {
      while (!over) {
        turn();
      }
    } finally {
      endSuccessor();
      DescriptorSocket.closeAll(descriptors);
    }
  }

  private void turn() throws IOException {
    DescriptorSocket serving = worker;
    List<DescriptorSocket> sockets = new ArrayList<>(List.of(listener));
    if (serving != null) {
      sockets.add(serving);
    }
    Candidate starting = candidate;
    DescriptorSocket told = starting == null ? null : starting.socket();
    if (told != null) {
      sockets.add(told);
    }
    List<Boolean> readable = DescriptorSocket.awaitReadable(TURN, sockets);
    if (serving != null && readable.get(1)) {
      hear(serving);
    }
    if (told != null && readable.getLast()) {
      hearCandidate(told);
    }
    if (readable.getFirst()) {
      admit();
    }
    lookAtCandidate();
    lookAtWorker();
    if (worker == null && !over) {
      alone();
    }
  }

  /**
   * Ends a process that was started to take the mount and has not. Else it would find no keeper, go
   * on as a worker of its own with a mount that nobody has asked for, and hold the state directory
   * against the next worker. It has answered nobody, and a start may be killed at any moment. The
   * mount is let go of only after that: who sees it end can start another worker.
   */
  private void endSuccessor() {
    Process started = successor;
    if (started == null || !started.isAlive()) {
      return;
    }
    LOG.info("process {} is not to take {} any more: it is ended", started.pid(), point());
    List<ProcessHandle> below = started.descendants().toList(); // of a launcher that is a script
    started.destroyForcibly();
    below.forEach(ProcessHandle::destroyForcibly);
    try {
      if (!started.waitFor(SUCCESSOR_END)) {
        LOG.error("process {} does not end", started.pid());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The worker that serves the mount says something, or has died. */
  private void hear(DescriptorSocket serving) {
    @Nullable Packet packet;
    try {
      packet = serving.receive(KeeperMessage.MAX_BYTES);
    } catch (IOException broken) {
      packet = null;
    }
    try {
      if (packet != null) {
        var _ = answer(serving, packet);
        return;
      }
    } catch (IOException broken) {
      LOG.debug("the worker does not hear", broken);
    }
    gone(serving);
  }

  /** The connection of the worker that serves the mount has ended, and so has the worker. */
  private void gone(DescriptorSocket serving) {
    serving.close();
    worker = null;
    Candidate waiting = candidate;
    if (serves) { // else it has never come to it, and the time goes on
      serves = false;
      diedNs = System.nanoTime();
      nextStartNs = diedNs;
      pause = FIRST_PAUSE;
      how = Succession.How.DIED;
      starts = 0;
      pausedNs = diedNs;
      if (leftNs != 0) {
        pausedNs = leftNs;
        how = Succession.How.HANDED_OVER;
      }
    }
    leftNs = 0;
    wasEnded = false;
    if (mount == null) {
      return;
    }
    if (waiting == null) {
      LOG.warn("the worker of {} has ended; its mount waits for another one", point());
    } else {
      starts++; // it was started before
      LOG.info("the worker of {} has ended, and its successor goes on", point());
      if (waiting.isReady()) {
        candidate = null;
        waiting.goOn();
      }
    }
  }

  /** The successor says something, or its connection has ended. */
  private void hearCandidate(DescriptorSocket told) {
    Candidate starting = candidate;
    if (starting == null || starting.socket() != told) {
      return; // it is over since
    }
    try {
      Packet packet = told.receive(KeeperMessage.MAX_BYTES);
      if (packet == null) {
        candidateFailed("it has given up");
        return;
      }
      DescriptorSocket.closeAll(packet.descriptors());
      KeeperMessage message = KeeperMessage.decode(packet.bytes());
      switch (message.kind()) {
        case READY -> {
          starting.ready();
          DescriptorSocket serving = worker;
          if (serving == null) { // it has died meanwhile
            candidate = null;
            starting.goOn();
          } else {
            serving.send(message.encoded(), List.of());
          }
        }
        case FAILED -> candidateFailed(message.text());
        default -> candidateFailed("it has said what no successor says");
      }
    } catch (IOException | IllegalArgumentException e) {
      candidateFailed(String.valueOf(e.getMessage()));
    }
  }

  private void lookAtCandidate() {
    Candidate starting = candidate;
    if (starting != null) {
      String problem = starting.problem(System.nanoTime());
      if (!problem.isEmpty()) {
        candidateFailed(problem);
      }
    }
  }

  /** A worker that answers nobody any more, and does not end, is killed. */
  private void lookAtWorker() {
    DescriptorSocket serving = worker;
    if (serving == null
        || leftNs == 0
        || wasEnded
        || System.nanoTime() - leftNs <= END_LIMIT.toNanos()) {
      return;
    }
    wasEnded = true;
    try {
      int pid = serving.peer().pid();
      LOG.error("process {} has left {} and does not end: it is killed", pid, point());
      ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    } catch (IOException e) {
      LOG.error("the worker of {} does not end, and is not known: {}", point(), e.getMessage());
    }
  }

  /** There is no successor: the worker that has asked for one goes on. */
  private void candidateFailed(String why) {
    Candidate failed = candidate;
    candidate = null;
    if (failed == null) {
      return;
    }
    LOG.warn("the successor of {} does not take over: {}", point(), why);
    failed.end();
    DescriptorSocket serving = worker;
    if (serving != null && !failed.isReady()) { // else it has its answer, and asks again at LEAVES
      try {
        refuse(serving, why);
      } catch (IOException e) {
        LOG.debug("the worker does not hear that it has no successor", e);
      }
    }
  }

  private void admit() {
    DescriptorSocket caller;
    try {
      caller = listener.accept();
    } catch (IOException e) {
      LOG.warn("a caller is gone, or there is no descriptor for it: {}", e.getMessage());
      return;
    }
    boolean stays = false;
    try {
      caller.limit(PATIENCE);
      DescriptorSocket.Peer peer = caller.peer();
      if (peer.uid() != DescriptorSocket.ownUid()) {
        LOG.warn("refused process {} of user {}", peer.pid(), peer.uid());
        return;
      }
      Packet packet = caller.receive(KeeperMessage.MAX_BYTES);
      stays = packet != null && answer(caller, packet);
    } catch (IOException e) {
      LOG.warn("a caller was not understood: {}", e.getMessage());
    } finally {
      if (caller == worker && !stays) {
        gone(caller);
      } else if (!stays) {
        caller.close();
      }
    }
  }

  /** Answers a packet; returns whether the connection stays. */
  private boolean answer(DescriptorSocket caller, Packet packet) throws IOException {
    KeeperMessage message;
    try {
      message = KeeperMessage.decode(packet.bytes());
    } catch (IllegalArgumentException e) {
      DescriptorSocket.closeAll(packet.descriptors());
      refuse(caller, String.valueOf(e.getMessage()));
      return false;
    }
    if (message.kind() == KeeperMessage.Kind.GIVE) {
      return give(caller, message, packet.descriptors());
    }
    DescriptorSocket.closeAll(packet.descriptors());
    return switch (message.kind()) {
      case TAKE -> take(caller);
      case ASK -> {
        KeptMount kept = mount;
        if (kept == null || (worker != null && !isCandidate(caller))) {
          refuse(caller, "no mount waits here");
        } else {
          caller.send(KeeperMessage.of(KeeperMessage.Kind.KEPT, kept).encoded(), List.of());
        }
        yield false;
      }
      case END -> {
        if (caller == worker) {
          over = true;
          caller.send(KeeperMessage.of(KeeperMessage.Kind.DONE).encoded(), List.of());
        } else {
          refuse(caller, "only the worker that serves the mount ends it");
        }
        yield false;
      }
      case SERVES -> {
        if (caller == worker) {
          Succession succession =
              new Succession(how, System.nanoTime() - pausedNs, Math.max(1, starts));
          WorkerCommand now = commands.apply(caller.peer().pid());
          command = now == null ? command : now; // it may be of another build
          serves = true;
          LOG.info("process {} serves {}", caller.peer().pid(), point());
          caller.send(
              new KeeperMessage(KeeperMessage.Kind.DONE, succession.encoded()).encoded(),
              List.of());
        } else {
          refuse(caller, "another worker serves the mount");
        }
        yield false;
      }
      case RESTART -> {
        if (caller == worker && candidate == null) {
          restart(caller, message.text());
        } else {
          refuse(
              caller,
              candidate == null
                  ? "only the worker that serves the mount gets a successor"
                  : "a successor is starting already");
        }
        yield false;
      }
      case CANDIDATE -> {
        KeptMount kept = mount;
        Candidate starting = candidate;
        if (kept == null || starting == null || !isCandidate(caller)) {
          refuse(caller, "this process is not to take over");
          yield false;
        }
        caller.send(
            KeeperMessage.of(KeeperMessage.Kind.KEPT, kept).encoded(),
            List.of(descriptors.getFirst()));
        starting.heard(caller);
        yield true;
      }
      case FAILED -> {
        if (isCandidate(caller)) {
          caller.send(KeeperMessage.of(KeeperMessage.Kind.DONE).encoded(), List.of());
          candidateFailed(message.text());
        } else {
          refuse(caller, "this process is not to take over");
        }
        yield false;
      }
      case LEAVES -> {
        Candidate starting = candidate;
        if (caller == worker && starting != null && starting.isReady()) {
          starting.left();
          leftNs = System.nanoTime();
          wasEnded = false;
          caller.send(KeeperMessage.of(KeeperMessage.Kind.DONE).encoded(), List.of());
        } else {
          refuse(caller, "there is no successor that is ready");
        }
        yield false;
      }
      case STAYS -> {
        Candidate starting = candidate;
        if (caller == worker) {
          candidate = null;
          leftNs = 0;
          if (starting != null) {
            starting.giveUp(message.text());
          }
          caller.send(KeeperMessage.of(KeeperMessage.Kind.DONE).encoded(), List.of());
        } else {
          refuse(caller, "only the worker that serves the mount says so");
        }
        yield false;
      }
      default -> {
        refuse(caller, "that is not said to a keeper");
        yield false;
      }
    };
  }

  /** Whether a process is the successor that starts beside the worker. */
  private boolean isCandidate(DescriptorSocket caller) throws IOException {
    Candidate starting = candidate;
    return starting != null && starting.pid() == caller.peer().pid();
  }

  /** Starts a successor beside the worker, which gets its answer when that is ready. */
  private void restart(DescriptorSocket caller, String launcher) throws IOException {
    WorkerCommand same = command;
    try {
      if (same == null) {
        throw new IOException("it cannot be told how the worker was started");
      }
      Process started = (launcher.isEmpty() ? same : same.by(Path.of(launcher))).start();
      successor = started;
      candidate = new Candidate(started, System.nanoTime());
      LOG.info("process {} gets ready to take {} over", started.pid(), point());
    } catch (IOException | InvalidPathException e) {
      refuse(caller, "cannot start a successor: " + e.getMessage());
    }
  }

  private boolean give(DescriptorSocket caller, KeeperMessage message, List<Integer> given)
      throws IOException {
    KeptMount received;
    try {
      received = KeptMount.decode(message.body());
      if (mount != null || given.size() < 2) {
        throw new IllegalArgumentException("a mount is kept already, or descriptors are missing");
      }
    } catch (IllegalArgumentException e) {
      DescriptorSocket.closeAll(given);
      refuse(caller, String.valueOf(e.getMessage()));
      return false;
    }
    mount = received;
    descriptors = given;
    command = commands.apply(caller.peer().pid());
    worker = caller;
    serves = true;
    caller.send(KeeperMessage.of(KeeperMessage.Kind.DONE).encoded(), List.of());
    return true;
  }

  private boolean take(DescriptorSocket caller) throws IOException {
    KeptMount kept = mount;
    if (kept == null) {
      refuse(caller, "no mount is kept here");
      return false;
    }
    if (worker != null) {
      refuse(caller, "another worker serves " + kept.point());
      return false;
    }
    KeptMount next = kept.next();
    caller.send(KeeperMessage.of(KeeperMessage.Kind.KEPT, next).encoded(), descriptors);
    mount = next;
    worker = caller;
    Process started = successor;
    if (started != null && started.pid() == caller.peer().pid()) {
      successor = null; // it is the worker now
    }
    LOG.info("process {} takes {} over", caller.peer().pid(), next.point());
    return true;
  }

  private String point() {
    KeptMount kept = mount;
    return kept == null ? "no mount" : kept.point().toString();
  }

  private static void refuse(DescriptorSocket caller, String why) throws IOException {
    caller.send(KeeperMessage.refused(why).encoded(), List.of());
  }

  /** No worker serves the mount. */
  private void alone() {
    KeptMount kept = mount;
    long now = System.nanoTime();
    if (kept == null) {
      over = now - startedNs > UNUSED.toNanos();
      return;
    }
    if (!isMounted(kept)) {
      over = true;
      return;
    }
    if (now - diedNs > kept.timeout().toNanos()) {
      LOG.error(
          "no worker has come back for {} in {} s: the mount ends",
          kept.point(),
          kept.timeout().toSeconds());
      over = true;
      return;
    }
    Process started = successor;
    WorkerCommand again = command;
    if (again == null || (started != null && started.isAlive()) || now - nextStartNs < 0) {
      return;
    }
    nextStartNs = now + pause.toNanos();
    Duration doubled = pause.multipliedBy(2);
    pause = doubled.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : doubled;
    if (how == Succession.How.HANDED_OVER) {
      how = Succession.How.FELL_BACK;
    }
    starts++;
    try {
      successor = again.start();
    } catch (IOException e) {
      LOG.error("no other worker can be started: {}", e.getMessage());
    }
  }

  private static boolean isMounted(KeptMount kept) {
    try {
      return MountTable.read().isMounted(kept.device());
    } catch (IOException unknown) {
      return true;
    }
  }
}
