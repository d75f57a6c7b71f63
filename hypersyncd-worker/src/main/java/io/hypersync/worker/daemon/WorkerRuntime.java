package io.hypersync.worker.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.management.UnixOperatingSystemMXBean;
import io.hypersync.chunkstore.UsedChunks;
import io.hypersync.chunkstore.WriteBehindChunkStore;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.snapshot.ManifestStates;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.RestoredStates;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.runtime.admin.Daemon;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.AgentLoop;
import io.hypersync.runtime.agent.AgentQueries;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.agent.Periodic;
import io.hypersync.runtime.background.BackgroundJob;
import io.hypersync.runtime.fault.FaultPoints;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.snapshot.InstallTask;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotCatalog;
import io.hypersync.snapshot.daemon.PageMemoryStatus;
import io.hypersync.snapshot.daemon.SnapshotThread;
import io.hypersync.snapshot.daemon.Snapshots;
import io.hypersync.snapshot.schedule.SnapshotManager;
import io.hypersync.wire.message.Feature;
import io.hypersync.wire.message.Features;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LocalPressure;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.SeenState;
import io.hypersync.wire.pki.CertificateDates;
import io.hypersync.wire.pki.CertificateFacts;
import io.hypersync.wire.pki.PeerCertificates;
import io.hypersync.wire.transport.WorkerTransport;
import io.hypersync.wire.transport.WorkerTransportListener;
import io.hypersync.worker.WorkerAgent;
import io.hypersync.worker.WorkerConfig;
import io.hypersync.worker.WorkerDaemonOptions;
import io.hypersync.worker.WorkerStart;
import io.hypersync.worker.WorkerTuning;
import io.hypersync.worker.cache.CacheLimits;
import io.hypersync.worker.cache.ChunkCache;
import io.hypersync.worker.coherence.View;
import io.hypersync.worker.daemon.identity.AgentNames;
import io.hypersync.worker.daemon.identity.ProcProcesses;
import io.hypersync.worker.daemon.inotify.Inotify;
import io.hypersync.worker.daemon.local.LocalPaths;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.abi.FuseVersion;
import io.hypersync.worker.fuse.dev.FuseMount;
import io.hypersync.worker.fuse.dev.MountException;
import io.hypersync.worker.fuse.dev.MountFolder;
import io.hypersync.worker.fuse.session.FuseConnection;
import io.hypersync.worker.fuse.session.FuseHandler;
import io.hypersync.worker.fuse.session.FuseNotifier;
import io.hypersync.worker.fuse.session.FuseSession;
import io.hypersync.worker.fuse.session.SessionEnd;
import io.hypersync.worker.hazard.HazardNotices;
import io.hypersync.worker.link.LinkState;
import io.hypersync.worker.memory.MemoryRequests;
import io.hypersync.worker.port.ApplyListener;
import io.hypersync.worker.port.EntryMirror;
import io.hypersync.worker.replica.IndexedState;
import io.hypersync.worker.snapshot.WorkerSnapshots;
import io.hypersync.worker.takeover.Incarnation;
import io.hypersync.worker.takeover.Succession;
import io.hypersync.worker.vfs.CachePolicy;
import io.hypersync.worker.vfs.KernelInodes;
import io.hypersync.worker.vfs.OwnReads;
import io.hypersync.worker.vfs.Vfs;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wires the agent, its link, the mount and their helper threads together, and owns them. */
public final class WorkerRuntime implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WorkerRuntime.class);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(3);
  private static final long DRAIN_LIMIT_MS = 3_000;
  private static final long POLL_MS = 20;
  private static final long SAY_EVERY_MS = 5_000;
  private static final long SAY_SELDOM_MS = 600_000;

  /** How many paths a profile lists by default (hypersync.md 17.1(2)). */
  private static final int TOP = 1_000;

  /**
   * Requests for which something was fetched go on there. Each may wait for more pages, one after
   * the other.
   */
  private static final int READ_THREADS = 16;

  /** In each of two generations; 21 bytes of heap each. */
  private static final int MAX_RECENT_CHUNKS = 1 << 17;

  private final WorkerDaemonOptions options;
  private final CompletableFuture<Void> ended;
  private final TransportLink link;
  private final LocalChunks chunks;
  private final WorkerAgent agent;
  private final AgentLoop<WorkerAgent> loop;
  private final AgentQueries<WorkerAgent> questions;
  private final WriteBehindChunkStore store;
  private final KernelInodes inodes;
  private final @Nullable Incarnation incarnation;
  private final KernelNotifier notifier;
  private final PageCache pages;
  private final SnapshotCatalog catalog;
  private final FetchedPages fetched;
  private final SnapshotThread snapshotThread;
  private final CacheThread cacheThread;

  /** Reads that are run again are dropped when this has ended: the mount has, too. */
  private final ExecutorService reads =
      new ThreadPoolExecutor(
          READ_THREADS,
          READ_THREADS,
          0,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          Thread.ofPlatform().name("worker-reads-", 0).daemon().factory(),
          new ThreadPoolExecutor.DiscardPolicy());

  private final UsedChunks recent;
  private final ReceivedSnapshot received;
  private final PressureGauge gauge;
  private final SeenFile seenFile;
  private final Periodic seenWriter;
  private final CertificateWatch certificate;
  private volatile SeenState newestSeen = SeenState.NONE;

  /** With which the next runtime takes this one's session up. */
  private volatile String resumeToken = "";

  private final MutationsProxy mutations;
  private final PastMounts pastMounts;
  private final WorkerStages stages = new WorkerStages(Clock.SYSTEM);
  private final long startedNs = Clock.SYSTEM.monotonicNs();
  private final Object mounting = new Object();
  private volatile boolean closing;
  private final @Nullable AgentNames agents;

  /** Used on the agent's thread only. */
  private final HazardNotices hazards;

  private final LocalPaths localPaths;
  private final MemoryRequests memories;
  private final MountBackend backend;
  private volatile @Nullable Inotify inotify;

  /** The filesystem, once the kernel has said what it can; read on the agent's thread. */
  private volatile @Nullable Vfs served;

  /**
   * Creates all parts and starts none.
   *
   * @param leaderSide makes the transport to the leader
   * @param snapshots what the replica begins with, and where its snapshots go
   * @param fetched the pages of its state
   * @param incarnation what this process has from the one before; null if each begins anew
   * @param ended completed when the mount is gone; exceptionally when the agent fails or the kernel
   *     refuses an invalidation
   */
  public WorkerRuntime(
      WorkerDaemonOptions options,
      Function<WorkerTransportListener, WorkerTransport> leaderSide,
      WriteBehindChunkStore store,
      Snapshots snapshots,
      FetchedPages fetched,
      @Nullable Incarnation incarnation,
      CompletableFuture<Void> ended) {
    this.options = options;
    this.incarnation = incarnation;
    this.inodes =
        incarnation == null
            ? new KernelInodes()
            : new KernelInodes(incarnation.memory(), incarnation.isSuccessor());
    this.ended = ended;
    FaultPoints faults = FaultPoints.configured();
    this.link = new TransportLink(options, leaderSide, faults);
    // These parts call the agent through `loop`, and only after `begin` below.
    this.chunks = new LocalChunks(store, call -> loop().post(call), link::readBulk);
    this.store = store;
    this.notifier =
        new KernelNotifier(
            inodes,
            ticket -> loop().post(a -> a.dropped(ticket)),
            ticket -> loop().post(a -> a.heldUp(ticket)),
            why -> sessionEnded(new SessionEnd.NotificationRefused(why)),
            faults);
    this.gauge = new PressureGauge(Path.of("/proc"), options.stateDir());
    this.pages = snapshots.cache();
    this.snapshotThread =
        new SnapshotThread(
            "worker-snapshots",
            SnapshotThread.Preparation.NONE,
            store,
            snapshots.catalog(),
            snapshots.cache(),
            call -> loop().post(agent -> call.accept(agent.snapshots())));
    this.agents = options.identifyAgents() ? agents(options) : null;
    this.hazards =
        new HazardNotices(
            options.worker(),
            Clock.SYSTEM,
            agent -> agents != null && agents.hasSeen(agent),
            notice -> LOG.info(LogEvent.HAZARD.marker(), "{}", HazardReports.line(notice)),
            more -> LOG.info("{} more hazards: see ./hypersync hazards", more));
    this.received = new ReceivedSnapshot(store, options.workspace(), pages, this::install, ended);
    CacheLimits limits = options.cacheLimits();
    this.recent = new UsedChunks(limits.recentBytes(), MAX_RECENT_CHUNKS);
    this.cacheThread =
        new CacheThread(
            store,
            options.workspace(),
            limits,
            recent,
            snapshots.cache()::needed,
            call -> loop().post(call));
    SecureRandom random = new SecureRandom();
    this.catalog = snapshots.catalog();
    this.fetched = fetched;
    this.agent =
        new WorkerAgent(
            config(options, snapshots.cache().maxBytes()),
            start(options, snapshots),
            new WorkerSnapshots(
                new SnapshotManager(
                    snapshotThread,
                    WorkerSnapshots.every(options.snapshotInterval().toNanos()),
                    options.workspace(),
                    snapshots.known(),
                    snapshots.base(),
                    Clock.SYSTEM.monotonicNs())),
            new ChunkCache(cacheThread, limits, Clock.SYSTEM.monotonicNs()),
            received,
            link,
            chunks,
            inodes,
            inodes,
            notifier,
            new ProcSignals(),
            new Visible(),
            new Machine(gauge, stages, this::agentsLately),
            Clock.SYSTEM,
            random::nextLong,
            stages);
    snapshotThread.takeTurns(options.background());
    agent.snapshots().takeTurns(options.background());
    if (incarnation != null) {
      agent.keep(incarnation.memory(), incarnation.isSuccessor());
    }
    snapshots
        .cache()
        .onUnreadable(
            page -> {
              if (agent.isWhole()) {
                snapshots.suspect().note(page);
              }
              loop().post(worker -> worker.pageUnreadable(page));
            });
    this.loop = new AgentLoop<>(agent, link.thread(), ended, WorkerRuntime::explained);
    this.seenFile = new SeenFile(options.stateDir(), options.workspace());
    agent.remember(seenFile.read());
    this.certificate =
        new CertificateWatch(CertificateFacts.of(options.identity().cert()), Clock.SYSTEM);
    this.seenWriter =
        new Periodic(
            "worker-seen",
            "the worker",
            () -> {
              loop().post(a -> newestSeen = a.seen());
              seenFile.write(newestSeen, false); // that of a second ago
              certificate.look();
            });
    this.mutations = new MutationsProxy(this::loop, link, reads);
    this.pastMounts =
        new PastMounts(
            options,
            fetched,
            new PastMount.Parts(new PastMutations(mutations), store, recent),
            loop::post);
    this.localPaths =
        new LocalPaths(
            new LocalPaths.Settings(options.localDir(), options.workspace(), maxDescriptors()),
            this::view,
            inodes,
            new OwnReads(store, recent),
            mutations);
    this.memories =
        new MemoryRequests(
            this::view,
            inodes,
            new OwnReads(store, recent),
            mutations,
            new LocksProxy(this::loop),
            agent::giveUp,
            Clock.SYSTEM);
    agent.locks().whenLost(memories::lost); // its thread has not begun yet
    this.backend = backend();
    this.questions = new AgentQueries<>("the worker", loop::post, ended, ANSWER_LIMIT);
    link.begin(loop, chunks);
    fetched.begin(loop);
    var _ = ended.whenComplete((_, _) -> fetched.end());
  }

  /** Makes this a standby, which is not to be mounted; before {@link #join}. */
  public void mirrorTo(EntryMirror mirror) {
    agent.mirrorTo(mirror);
    mirror.whenSynced(loop::wake);
    cacheThread.tellBefore(mirror::collecting);
  }

  /** What can change while this serves, as it is in force; blocks for the agent's answer. */
  public WorkerTuning tuning() {
    return questions.ask(WorkerAgent::tuning);
  }

  /** Has the agent change it, on its own thread; blocks until it has. */
  public void tune(WorkerTuning changed) {
    var _ =
        questions.ask(
            worker -> {
              worker.tune(changed);
              return changed;
            });
  }

  /** Whether all chunks of the visible state are here; blocks for the agent's answer. */
  public boolean hasAllChunks() {
    return questions.ask(WorkerAgent::hasAllChunks);
  }

  private static AgentNames agents(WorkerDaemonOptions options) {
    // Working directories of processes are without symbolic links. The mount's own folder is none.
    Path mount = options.mountPoint();
    Path folder = mount.getParent();
    try {
      mount = folder == null ? mount : folder.toRealPath().resolve(mount.getFileName());
    } catch (IOException e) {
      LOG.debug("{} may lead through links", mount, e);
    }
    byte[] bytes = mount.toString().getBytes(StandardCharsets.UTF_8);
    return new AgentNames(
        new ProcProcesses(),
        new String(bytes, StandardCharsets.ISO_8859_1),
        maxDescriptors(),
        Clock.SYSTEM);
  }

  private int agentsLately() {
    return agents == null ? LocalPressure.UNKNOWN : agents.countLately();
  }

  private static long maxDescriptors() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
        ? system.getMaxFileDescriptorCount()
        : 0;
  }

  private static WorkerStart start(WorkerDaemonOptions options, Snapshots snapshots) {
    Manifest newest = snapshots.newest();
    RootVersion version = newest == null ? RootVersion.LATEST : newest.state().version();
    RestoredStates restored = ManifestStates.lazy(options.workspace(), version, snapshots.cache());
    return newest == null
        ? WorkerStart.empty(options.workspace(), snapshots.cache().dirty(), restored)
        : new WorkerStart(newest, snapshots.cache().dirty(), restored, snapshots.received());
  }

  /** Verifies a snapshot whose pages are all here, and puts it into the catalog. */
  private void install(Snapshot snapshot) {
    InstallTask task =
        new InstallTask(snapshot, options.workspace(), store, catalog, () -> closing);
    snapshotThread.run(
        task::step,
        () -> loop().post(agent -> agent.installed(snapshot)),
        why ->
            loop()
                .post(
                    agent -> {
                      if (task.isRefuted()) {
                        agent.installRefuted(snapshot, why);
                      } else {
                        agent.installFailed(snapshot, why);
                      }
                    }));
  }

  /**
   * Joins the workspace: blocks until everything that was committed at the Welcome is visible here,
   * or the leader has offered a snapshot.
   *
   * @return null, or that snapshot: this object is to be closed, and another one begins with it
   * @throws UserError if the leader refuses this worker, or the log cannot be applied here
   * @throws InterruptedException if this was closed in the meantime
   */
  public @Nullable Snapshot join() throws InterruptedException {
    gauge.start();
    loop.start();
    seenWriter.start();
    long pauseMs = SAY_EVERY_MS;
    long nextSayNs = Clock.SYSTEM.monotonicNs() + TimeUnit.MILLISECONDS.toNanos(pauseMs);
    while (!agent.isWritable() && !agent.mayInherit()) {
      Thread.sleep(POLL_MS);
      refuseIfClosing();
      Snapshot whole = received.snapshot();
      if (whole != null) {
        return whole;
      }
      refuseIfEnded();
      String refused =
          questions.await(
              a -> a.monitor().state() == LinkState.REFUSED ? a.monitor().reason() : "");
      if (!refused.isEmpty()) {
        refuseIfEnded(); // with a better reason, perhaps just now
        throw new UserError(
            "the leader does not accept this worker: " + refused, refusalHint(refused));
      }
      String distrusted = questions.await(a -> String.valueOf(a.snapshots().distrusted()));
      if (!distrusted.equals("null")) {
        throw new SnapshotsDistrusted(
            "this worker cannot go on from its snapshot: " + distrusted,
            "Start it again: it has set its snapshots aside, and begins with the leader's log.");
      }
      String failed =
          questions.await(a -> a.applyError() == null ? "" : String.valueOf(a.applyError()));
      if (!failed.isEmpty()) {
        throw new UserError("the log cannot be applied here: " + failed, "Look at the disk.");
      }
      if (Clock.SYSTEM.monotonicNs() - nextSayNs >= 0) {
        pauseMs = Math.min(2 * pauseMs, SAY_SELDOM_MS);
        nextSayNs += TimeUnit.MILLISECONDS.toNanos(pauseMs);
        LOG.info(
            "waiting for the leader at {}: {} (applied {})",
            leaderAddresses(),
            questions.await(a -> a.monitor().reason()),
            agent.visible().index());
      }
    }
    return null;
  }

  private String leaderAddresses() {
    return String.join(" or ", link.leader().texts());
  }

  /** The agent may have ended the worker with a message for its operator. */
  private void refuseIfEnded() {
    if (ended.isCompletedExceptionally() && ended.exceptionNow() instanceof UserError error) {
      throw error;
    }
  }

  private String refusalHint(String refused) {
    String another = "./hypersync token " + options.worker();
    if (CertificateDates.isAboutClock(refused)) {
      return "Look at the clocks: run date on this host and on the leader's. If both are right,"
          + " make a new token on the leader's host: "
          + another;
    }
    if (Protocol.isAboutRevision(refused)) {
      return "All machines of a workspace need one version: compare ./hypersync --version on both.";
    }
    return PeerCertificates.isOfAnotherWorkspace(refused)
        ? "The token is for workspace "
            + options.workspace()
            + ", and at "
            + leaderAddresses()
            + " another one's leader answers.\nSay where its own is: --leader-address <host:port>\n"
            + "or make a token of the other one, on its leader's host: "
            + another
        : "Make a new token on the leader's host: " + another;
  }

  private void refuseIfClosing() throws InterruptedException {
    if (closing) {
      throw new InterruptedException("closed meanwhile");
    }
  }

  /**
   * Mounts the workspace on a folder that was claimed for it; the caller closes the folder after
   * this object.
   *
   * @throws UserError if it cannot be mounted, with the cause and a remedy
   * @throws InterruptedException if this was closed in the meantime
   */
  public void mount(MountFolder folder) throws InterruptedException {
    synchronized (mounting) {
      refuseIfClosing();
      mountNow(folder);
    }
  }

  private void mountNow(MountFolder folder) {
    try {
      folder.prepare();
      if (agents != null) {
        agents.start();
      }
      localPaths.begin();
      backend.mount(folder);
    } catch (MountException e) {
      throw new UserError(String.valueOf(e.getMessage()), "");
    } catch (IOException e) {
      throw new UserError(
          "cannot mount " + options.mountPoint() + ": " + FileProblems.describe(e),
          FileProblems.hint(e, ""));
    }
  }

  /** The visible index; any thread. */
  public long visibleIndex() {
    return agent.visible().index();
  }

  /** Returns when the agent has taken a turn; as {@link #status}. */
  public void beat() {
    var _ = questions.ask(_ -> true);
  }

  /** The worker's status; blocks for the agent's answer, so not on the transport's thread. */
  public ObjectNode status() {
    boolean mounted = backend.isMounted();
    ObjectNode status =
        questions.ask(
            a -> {
              ObjectNode known = known(a, mounted);
              known.put("commit_latency_us_p50", stages.latencyUs(50));
              known.put("commit_latency_us_p99", stages.latencyUs(99));
              known.set("stages", stages.sinceStart());
              return known;
            });
    addWithoutAgent(status);
    status.set("ignored", localPaths.status());
    return status;
  }

  /**
   * As {@link #status}, for {@link Daemon#measured}; without local paths, which are counted on
   * disk.
   */
  public ObjectNode measured() {
    boolean mounted = backend.isMounted();
    ObjectNode status =
        questions.ask(
            a -> {
              long beganNs = System.nanoTime();
              ObjectNode known = known(a, mounted);
              known.set("stages", stages.buckets());
              return known.put("measuring_ns", System.nanoTime() - beganNs);
            });
    addWithoutAgent(status);
    return status;
  }

  private ObjectNode known(WorkerAgent a, boolean mounted) {
    ObjectNode known = WorkerStatus.of(options, link.leader(), startedNs, a, mounted);
    known.put("mutations", stages.answered());
    known.set("hazards", HazardReports.status(hazards));
    known.set("notices", NoticeReports.status(a.notices()));
    return known;
  }

  /** Adds what is known without the agent. */
  private void addWithoutAgent(ObjectNode status) {
    status.set("page_memory", PageMemoryStatus.of(pages));
    status.set("certificate", certificate.status());
    status.set("multicast", link.multicast().status());
    status.put("fuse_backend", options.backend().text());
    status.put("generation", incarnation == null ? 1 : incarnation.generation());
    status.put("outlives_worker", incarnation != null && incarnation.isKept());
    status.set("succession", succession(incarnation == null ? null : incarnation.succession()));
    status.put("kernel_inodes", inodes.size());
    status.put("open_handles", backend.openHandles());
    status.put("reads_that_fetched", backend.readsThatFetched());
    status.put("o_direct_opens", backend.directOpens());
    status.put("requests_in_flight", backend.inFlight());
    ObjectNode requests = status.putObject("kernel_requests");
    backend.requests().forEach((opcode, count) -> requests.put(opcode.label(), count));
    Inotify reporter = inotify;
    status.set("inotify", reporter == null ? null : reporter.status());
    status.set("agents", agents == null ? null : agents.status());
    status.set("past_mounts", pastMounts.json());
  }

  private static @Nullable ObjectNode succession(@Nullable Succession known) {
    return known == null
        ? null
        : JsonNodeFactory.instance
            .objectNode()
            .put("how", known.how().text())
            .put("pause_ms", Math.max(0, TimeUnit.NANOSECONDS.toMillis(known.pauseNs())))
            .put("starts", known.starts());
  }

  /**
   * Entries with hazards that have become visible here since the start; blocks for the agent's
   * answer, as {@link #status} does.
   *
   * @param args {@code after}: those behind this entry; else {@code tail}: so many of the newest
   */
  public ObjectNode hazards(JsonNode args) {
    return questions.ask(a -> HazardReports.entries(hazards, args, a.visible().index()));
  }

  /**
   * Which other workers have come and gone, and what else the leader has told this one; blocks for
   * the agent's answer, as {@link #status} does.
   *
   * @param args see {@link NoticeReports#events}
   */
  public ObjectNode events(JsonNode args) {
    return questions.ask(a -> NoticeReports.events(a.notices(), args));
  }

  /** Latencies of mutations by stage; blocks for the agent's answer, as {@link #status} does. */
  public ObjectNode stages() {
    return questions.ask(_ -> stages.snapshot()).with(agent.visible().state());
  }

  /**
   * The admin command {@code gc}. Its argument {@code do} is {@code status} or {@code run}; the
   * latter answers at once, with what {@code ended} is when the run is over. Blocks for the agent's
   * answer, as {@link #status} does.
   *
   * @throws UserError if the leader is away, or for another argument
   */
  public ObjectNode collect(JsonNode args) {
    String epoch = Long.toString(startedNs);
    return switch (args.path("do").asText()) {
      case "status" ->
          questions
              .ask(
                  a ->
                      WorkerStatus.cache(a.cache())
                          .put("in_touch", a.monitor().state() == LinkState.LIVE))
              .put("progress", cacheThread.progress())
              .put("epoch", epoch);
      case "run" -> {
        long number = questions.ask(WorkerRuntime::requestCollection);
        if (number == 0) {
          throw new UserError(
              "this worker is not in touch with its leader",
              "Chunks are removed only while they can be fetched again. See: ./hypersync status");
        }
        yield JsonNodeFactory.instance.objectNode().put("number", number).put("epoch", epoch);
      }
      default ->
          throw new UserError("\"do\" of gc on a worker is status or run", "", UserError.USAGE);
    };
  }

  private static long requestCollection(WorkerAgent agent) {
    return agent.monitor().state() == LinkState.LIVE ? agent.cache().request() : 0;
  }

  /**
   * The admin command {@code mount}: mounts a state of the past, or unmounts one. Blocks until that
   * is done.
   *
   * @throws UserError if it cannot be done, or for wrong arguments
   */
  public ObjectNode past(JsonNode args) {
    if (!backend.isMounted()) {
      throw new UserError("this worker has not mounted the workspace yet", "Try again then.");
    }
    return pastMounts.run(args);
  }

  /**
   * Profiles the use of the mount, from {@code start} to {@code stop} (hypersync.md 17). Blocks for
   * the agent's answer, as {@link #status} does.
   *
   * @param args {@code do}, and except for {@code start} also {@code profile}, as in docs/json.md
   * @throws UserError if another profile runs, this one has ended, or the arguments are wrong
   */
  public ObjectNode profile(JsonNode args) {
    long id = args.path("profile").asLong(ActiveProfile.NONE);
    return switch (args.path("do").asText()) {
      case "start" -> startProfile();
      case "keep" -> {
        if (!questions.ask(_ -> stages.profiles().keep(id))) {
          throw profileEnded();
        }
        yield JsonNodeFactory.instance.objectNode();
      }
      case "stop" -> stopProfile(id, args.path("top").asInt(TOP));
      default ->
          throw new UserError("\"do\" of a profile is start, keep or stop", "", UserError.USAGE);
    };
  }

  private ObjectNode startProfile() {
    Map<FuseOpcode, Long> requests = backend.requests();
    long id =
        questions.ask(
            a -> stages.profiles().start(a.visible().state(), requests, a.fsyncsElided()));
    if (id == ActiveProfile.NONE) {
      throw new UserError(
          "somebody else profiles this mount",
          "Wait until that profile ends; one whose command was killed ends after 10 s.");
    }
    return JsonNodeFactory.instance.objectNode().put("profile", id);
  }

  private ObjectNode stopProfile(long id, int top) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    ActiveProfile.Ended ended =
        questions
            .ask(
                a -> {
                  tree.put("fsync_elided", a.fsyncsElided());
                  return Optional.ofNullable(stages.profiles().stop(id, a.visible().state()));
                })
            .orElseThrow(WorkerRuntime::profileEnded);
    tree.put("fsync_elided", tree.path("fsync_elided").asLong() - ended.fsyncsElided());
    tree.setAll(ended.result().tree(top));
    tree.set("stages", ended.stages().sinceStart());
    ObjectNode requests = tree.putObject("requests");
    backend
        .requests()
        .forEach(
            (opcode, count) -> {
              long before = ended.requests().getOrDefault(opcode, 0L);
              if (count > before) {
                requests.put(opcode.label(), count - before);
              }
            });
    return tree;
  }

  private static UserError profileEnded() {
    return new UserError(
        "the profile has ended", "Nobody asked for it for 10 s, or the worker was started again.");
  }

  /**
   * Why the mount cannot be left to another process now; empty if it can.
   *
   * @param force whether open files on local paths, and mounts of the past, may end with this one
   */
  public String obstacle(boolean force) {
    if (!backend.isMounted()) {
      return "it has not mounted the workspace yet";
    }
    if (incarnation == null || !incarnation.isKept()) {
      return "its mount ends with it: takeover_timeout is not set in [hypersync.worker], or the"
          + " worker's log says why no process keeps the mount";
    }
    if (!loop().agent().isWritable()) {
      return "it is read-only: another process would answer nothing until the leader lets it write";
    }
    String kept = incarnation.memory().obstacle();
    if (!kept.isEmpty() || force) {
      return kept;
    }
    ObjectNode local = localPaths.status();
    int open = local == null ? 0 : local.path("open_files").asInt();
    if (open > 0) {
      return open + " files on paths that are local to this host are open, and would get ESTALE";
    }
    return pastMounts.json().isEmpty()
        ? ""
        : "states of the past are mounted, and their mounts would end";
  }

  /** Has a snapshot taken soon, so that the next process has little to catch up with. */
  public void snapshotSoon() {
    loop().post(a -> a.snapshots().soon(Clock.SYSTEM.monotonicNs()));
  }

  /**
   * Leaves the mount to another process: from now on nothing is answered.
   *
   * @return false if it cannot be left now, and is served on
   */
  public boolean leave() throws InterruptedException {
    return backend.leave();
  }

  /** Stops all parts after {@link #leave}; nobody is answered, and nothing unmounted. */
  public void closeLeft() {
    closing = true;
    fetched.end();
    seenWriter.close();
    try {
      seenFile.write(questions.ask(WorkerAgent::seen), true);
    } catch (UserError e) {
      LOG.debug("the agent did not answer while stopping", e);
    }
    link.shutdown();
    reads.shutdownNow();
    chunks.close();
    cacheThread.close();
    snapshotThread.close();
    options.background().ended(BackgroundJob.SNAPSHOT); // the agent hears of no end any more
  }

  /** Waits up to 3 s for mutations under way, unmounts, and stops all parts. */
  @Override
  public void close() {
    closing = true;
    fetched.end();
    synchronized (mounting) {
      LOG.trace("mounted, or never will be");
    }
    pastMounts.close();
    drain();
    Inotify reporter = inotify;
    if (reporter != null) {
      reporter.close();
    }
    try {
      backend.close();
    } catch (IOException e) {
      LOG.warn("while unmounting {}: {}", options.mountPoint(), FileProblems.describe(e));
    }
    localPaths.close();
    if (agents != null) {
      agents.close();
    }
    notifier.close();
    gauge.close();
    seenWriter.close();
    try {
      SeenState last =
          questions.ask(
              a -> {
                a.shutdown();
                resumeToken = a.resumeToken();
                return a.seen();
              });
      seenFile.write(last, true);
    } catch (UserError e) {
      LOG.debug("the agent did not answer while stopping", e);
    }
    link.shutdown();
    reads.shutdownNow();
    reads.close();
    chunks.close();
    cacheThread.close(); // before the last snapshot: a run keeps nothing for that
    snapshotThread.close();
    options.background().ended(BackgroundJob.SNAPSHOT); // the agent hears of no end any more
  }

  /** The token of the session that {@link #close} has left; empty if there is none. */
  public String resumeToken() {
    return resumeToken;
  }

  /** Goes on with a session that another runtime of this process has left; before {@link #join}. */
  public void takeUp(String token) {
    agent.takeUp(token);
  }

  /**
   * Takes a snapshot of the applied state if there is none, so that the next start has nothing to
   * replay. Sets all aside if their history is in doubt. To be called after {@link #close}, while
   * the chunk store is open.
   */
  public void takeLastSnapshot() {
    if (!link.thread().isTerminated()) {
      return; // the agent may still run, so its state is not to be read here
    }
    SnapshotManager snapshots = agent.snapshots();
    if (snapshots.distrusted() != null) {
      if (!snapshots.isSetAside()) {
        snapshotThread.setAsideNow();
      }
      return;
    }
    Manifest last = agent.lastSnapshot();
    if (last != null) {
      snapshotThread.takeLast(last, agent.snapshots().baseIndex());
    }
  }

  /** The filesystem, with shadow calls for local inotify watches around it if they are enabled. */
  private FuseHandler reporting(FuseMount mount, FuseSession started, Vfs served) {
    localPaths.notifyWith(started.notifier());
    memories.dropPagesWith(inode -> dropPages(started.notifier(), inode));
    FuseHandler named = named(served);
    if (options.inotify().isEmpty()) {
      return named;
    }
    if (mount.device().isEmpty()) {
      LOG.warn("local watchers hear nothing of other machines: the mount has no device number");
      return named;
    }
    Inotify reporter =
        new Inotify(
            new Inotify.Settings(
                options.worker(),
                mount.mountPoint(),
                mount.device().getAsLong(),
                options.inotify().get()),
            inodes,
            started.notifier(),
            this::view);
    inotify = reporter;
    reporter.start();
    return reporter.around(named);
  }

  /** On a thread of its own: the kernel first writes pages that were changed, to this worker. */
  private static void dropPages(FuseNotifier notifier, InodeNo inode) {
    Thread.ofVirtual()
        .name("worker-memory")
        .start(
            () -> {
              try {
                var _ = notifier.invalidateInode(inode, 0, 0);
              } catch (IOException e) {
                LOG.debug("the kernel may keep pages of {}", inode, e);
              }
            });
  }

  /** Passes on what becomes visible, once there is somebody to tell. */
  private final class Visible implements ApplyListener {
    @Override
    public void applied(LogEntry entry, FsState before, FsState after) {
      hazards.shown(entry, agent.isWritable());
      Vfs filesystem = served;
      if (filesystem != null) {
        filesystem.shown(entry, after);
      }
      localPaths.applied(entry);
      Inotify reporter = inotify;
      if (reporter != null) {
        reporter.applied(entry, before, after);
      }
    }

    @Override
    public void replaced(IndexedState before, IndexedState after) {
      localPaths.replaced();
      Inotify reporter = inotify;
      if (reporter != null) {
        reporter.replaced(before, after);
      }
    }
  }

  private void drain() {
    long limitNs = Clock.SYSTEM.monotonicNs() + TimeUnit.MILLISECONDS.toNanos(DRAIN_LIMIT_MS);
    try {
      while (agent.isWritable()
          && Clock.SYSTEM.monotonicNs() - limitNs < 0
          && questions.ask(WorkerAgent::pendingMutations) > 0) {
        Thread.sleep(POLL_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (UserError e) {
      LOG.warn("what is under way is not waited for: {}", e.getMessage());
    }
  }

  private MountBackend backend() {
    return switch (options.backend()) {
      case KERNEL ->
          new KernelBackend(
              options,
              new KernelBackend.Parts(
                  inodes,
                  notifier,
                  this::view,
                  this::filesystem,
                  this::reporting,
                  this::sessionEnded,
                  () -> loop().post(WorkerAgent::kernelRenewed),
                  incarnation));
      case JNR -> {
        Vfs served = filesystem(false, false);
        yield new JnrBackend(options, served, named(served), this::sessionEnded);
      }
    };
  }

  /**
   * The filesystem with the paths that are local to this host, and requests that have the names of
   * their callers' agents.
   */
  private FuseHandler named(Vfs served) {
    FuseHandler all = memories.around(localPaths.around(served), served);
    return agents == null ? all : agents.around(all);
  }

  private Vfs filesystem(FuseConnection connection) {
    CachePolicy cache = options.cache();
    boolean names = cache.names() && connection.minor() >= FuseVersion.NAMES_MINOR;
    if (cache.names() && !names) {
      LOG.info("this kernel is older than Linux 6.16: it keeps no names");
    }
    return filesystem(cache.attributes(), names);
  }

  /** The filesystem; what the kernel may cache is less than the options say, if need be. */
  private Vfs filesystem(boolean attributes, boolean names) {
    CachePolicy cache = options.cache();
    Vfs made =
        new Vfs(
            this::view,
            inodes,
            mutations,
            new LocksProxy(this::loop),
            store,
            recent,
            new ProcCallers(),
            this::freeBytes,
            notifier::dropListingAtOnce,
            new CachePolicy(attributes, names, cache.strictOpen(), cache.strictReads()),
            Clock.SYSTEM);
    served = made;
    return made;
  }

  /**
   * Bytes that can still be written: the smaller of the leader's free space, as of its last
   * heartbeat, and this host's, since chunks are stored here too.
   */
  private long freeBytes() {
    long here = options.stateDir().toFile().getUsableSpace();
    long leader = agent.leaderFreeBytes();
    return leader == LeaderMessage.Heartbeat.UNKNOWN ? here : Math.min(here, leader);
  }

  /** Ends the daemon, as an error only if the kernel may be wrong about the workspace. */
  private void sessionEnded(SessionEnd end) {
    switch (end) {
      case SessionEnd.Unmounted _, SessionEnd.Closed _, SessionEnd.DeviceFailed _ -> {
        LOG.info(
            LogEvent.UNMOUNTED.marker().with("mount", options.mountPoint()),
            "{} is not mounted any more",
            options.mountPoint());
        ended.complete(null);
      }
      case SessionEnd.NotificationRefused(IOException why) -> {
        LOG.error("the kernel cannot be made to forget what has changed: {}", why.getMessage());
        ended.completeExceptionally(why);
      }
    }
  }

  private static RuntimeException explained(Throwable why) {
    if (why instanceof UserError said) {
      return said;
    }
    return new IllegalStateException("the worker agent failed: " + why.getMessage(), why);
  }

  private AgentLoop<WorkerAgent> loop() {
    return loop;
  }

  private View view() {
    return agent.view();
  }

  /** Larger than the leader's share: with equal heaps, the leader reaches its limit first. */
  private static final double MOST_OF_THE_HEAP = 0.8;

  /** The parts of the state that can be dropped take no more of the heap than this. */
  private static final double MOST_DROPPABLE = 0.25;

  /** How many bytes of heap the state may take. */
  public static long maxStateBytes() {
    return (long) (MOST_OF_THE_HEAP * Runtime.getRuntime().maxMemory());
  }

  /**
   * How many bytes of it the parts may take that can be dropped.
   *
   * @param wanted in bytes; {@code Long.MAX_VALUE} if nothing is to be dropped
   */
  public static long droppableBytes(long wanted) {
    return wanted == Long.MAX_VALUE
        ? wanted
        : Math.min(wanted, (long) (MOST_DROPPABLE * Runtime.getRuntime().maxMemory()));
  }

  private static WorkerConfig config(WorkerDaemonOptions options, long droppable) {
    WorkerConfig defaults = WorkerConfig.of(options.workspace(), options.worker());
    return new WorkerConfig(
        options.workspace(),
        options.worker(),
        options.leaderTimeout().toNanos(),
        options.leaderStale().toNanos(),
        options.mutationDeadline().toNanos(),
        options.partitionGrace().toNanos(),
        defaults.reconnectMinNs(),
        defaults.reconnectMaxNs(),
        defaults.reportNs(),
        maxStateBytes() - (droppable == Long.MAX_VALUE ? 0 : droppable),
        options.multicast() ? Features.SUPPORTED : Features.SUPPORTED.without(Feature.MULTICAST));
  }
}
