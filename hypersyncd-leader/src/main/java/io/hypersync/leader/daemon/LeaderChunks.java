package io.hypersync.leader.daemon;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.CollectionOptions;
import io.hypersync.chunkstore.CollectionRun;
import io.hypersync.chunkstore.WriteBehindChunkStore;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.port.ChunkPort;
import io.hypersync.leader.port.MulticastPort;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.runtime.fault.FaultPoints;
import io.hypersync.runtime.fault.FaultPoints.Moment;
import io.hypersync.wire.message.LeaderMessage.ChunkData;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage.ChunkCopy;
import io.hypersync.wire.message.WorkerMessage.ChunkPut;
import io.hypersync.wire.transport.LeaderTransport;
import io.hypersync.wire.transport.SessionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader's chunk port: hashing and disk work run on two threads, one for incoming and one for
 * outgoing chunks, so that neither delays a commit.
 *
 * <p>Bounded: a session whose uploads queue up is not read from (QUIC flow control slows the
 * sender), and downloads are read from the disk no faster than the session takes them.
 */
final class LeaderChunks implements ChunkPort, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderChunks.class);
  private static final long HIGH_WATER_BYTES = 16L * 1024 * 1024;
  private static final long LOW_WATER_BYTES = 4L * 1024 * 1024;

  /**
   * Heap of a queued put besides its bytes: the object, its ids, its hash, its place in the queue.
   */
  private static final long PUT_OVERHEAD_BYTES = 256;

  /** A worker requests the chunks of entries in flight to it; an entry has about 16 at most. */
  private static final long MAX_WANTED_PER_ENTRY = 64;

  private static final int SERVE_BATCH = 16;

  /** Enough for workers that keep up; a worker that fetches later causes a read from the disk. */
  private static final long RECENT_BYTES = 8L * 1024 * 1024;

  private static final int STORE_BATCH = 64;

  /** Least time between two log lines about damaged chunks: a worker may send nothing else. */
  private static final long DAMAGED_INTERVAL_NS = 60_000_000_000L;

  private final ChunkStore store;

  /**
   * Write-behind in front of the store, for chunks of inline payloads only: the log has them too,
   * so a crash may lose them here.
   */
  private final WriteBehindChunkStore inline;

  /** Filled by {@link #incoming}, read by {@link #outgoing} and {@link #symbols}. */
  private final RecentChunks recent = new RecentChunks(RECENT_BYTES);

  private final SymbolSender symbols;
  private final LeaderTransport transport;
  private final Consumer<Consumer<LeaderAgent>> post;
  private final long maxWanted;
  private final FaultPoints faults;
  private final ExecutorService incoming =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("leader-chunks-in").daemon().factory());
  private final ExecutorService outgoing =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("leader-chunks-out").daemon().factory());

  /**
   * Uploads on their way to the store; filled by the transport's thread, emptied by {@link
   * #incoming}.
   */
  private final Queue<Arrival> arrivals = new ConcurrentLinkedQueue<>();

  /** Whether a queued task of {@link #incoming} has yet to look into {@link #arrivals}. */
  private final AtomicBoolean storing = new AtomicBoolean();

  /** Used by {@link #incoming} only: when a damaged chunk was last logged. */
  private @Nullable Long damagedToldNs;

  /** This and everything below is used by the transport's thread only. */
  private final Map<SessionId, Upload> uploads = new HashMap<>();

  private final Map<SessionId, Download> downloads = new HashMap<>();

  /**
   * A chunk that a worker has sent.
   *
   * @param intent the intent that it is for; null for a copy that the leader has asked for
   */
  private record Arrival(SessionId session, Chunk chunk, @Nullable IntentId intent) {
    /** Heap that it takes, with an overhead that bounds the number of empty chunks, too. */
    long queuedBytes() {
      return PUT_OVERHEAD_BYTES + chunk.bytes().length;
    }
  }

  /** A chunk that a session waits for and the store does not have. */
  private record Missing(ChunkRef chunk, Errno errno, String why) {}

  private static final class Upload {
    private long queuedBytes;
    private boolean stopped;
  }

  private static final class Download {
    private final DownloadQueue queue = new DownloadQueue();
    private boolean reading;
  }

  /** Starts the two threads; nothing is sent to all workers at once. */
  LeaderChunks(
      ChunkStore store,
      LeaderTransport transport,
      int windowEntries,
      Consumer<Consumer<LeaderAgent>> post,
      FaultPoints faults) {
    this(store, transport, windowEntries, null, post, faults);
  }

  /**
   * Starts the two threads.
   *
   * @param windowEntries the most entries that are in flight to a worker
   * @param multicast sends to all workers at once; null if nothing does
   * @param post runs a call of the agent on the transport's thread
   */
  LeaderChunks(
      ChunkStore store,
      LeaderTransport transport,
      int windowEntries,
      @Nullable MulticastSender multicast,
      Consumer<Consumer<LeaderAgent>> post,
      FaultPoints faults) {
    this.faults = faults;
    this.store = store;
    this.inline = WriteBehindChunkStore.start(store, "leader-chunks-inline");
    this.transport = transport;
    this.post = post;
    this.symbols = new SymbolSender(this::readQuietly, transport, multicast, post);
    this.maxWanted = MAX_WANTED_PER_ENTRY * windowEntries + Protocol.MAX_HASHES_PER_MESSAGE;
  }

  /**
   * Begins a collection on the thread that stores uploads, so that the agent has been told of all
   * those stored before when it hears of the beginning. Chunks that wait in memory are protected.
   *
   * @param begun is told of the run; owns it then
   * @param failed is told why there is none
   */
  void beginCollection(
      CollectionOptions options, Consumer<CollectionRun> begun, Consumer<String> failed) {
    try {
      incoming.execute(
          () -> {
            CollectionRun run;
            try {
              run = inline.beginCollection(options);
            } catch (ChunkStoreException e) {
              failed.accept(String.valueOf(e.getMessage()));
              return;
            } catch (RuntimeException
                | Error e) { // no memory, perhaps: somebody waits for an answer
              LOG.error("internal error when a collection was to begin", e);
              failed.accept("internal error: " + e);
              return;
            }
            begun.accept(run);
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("the leader stops", e);
    }
  }

  @Override
  public int length(Hash hash) {
    // Not what is in memory: the sync of a batch covers only the store, and a crash loses the rest.
    return store.length(hash);
  }

  /** Reads from the store only, not from memory, for the same reason as {@link #length}. */
  @Override
  public void verify(Hash hash) {
    try {
      outgoing.execute(() -> readAndTell(hash));
    } catch (RejectedExecutionException e) {
      LOG.debug("the leader stops", e);
    }
  }

  @Override
  public void ingest(SessionId session, ChunkPut put) {
    ingest(new Arrival(session, new Chunk(put.hash(), put.bytes()), put.intent()));
  }

  @Override
  public void ingest(SessionId session, ChunkCopy copy) {
    ingest(new Arrival(session, new Chunk(copy.hash(), copy.bytes()), null));
  }

  private void ingest(Arrival arrival) {
    SessionId session = arrival.session;
    Upload upload = uploads.computeIfAbsent(session, _ -> new Upload());
    upload.queuedBytes += arrival.queuedBytes();
    if (upload.queuedBytes > HIGH_WATER_BYTES && !upload.stopped) {
      upload.stopped = true;
      transport.setReading(session, StreamKind.CHUNKS, false);
    }
    arrivals.add(arrival);
    if (storing.compareAndSet(false, true)) {
      incoming.execute(this::storeArrivals);
    }
  }

  @Override
  public void storeInline(List<ChunkRef> chunks, byte[] payload) {
    if (!inline.takesAtOnce()) {
      return; // the agent must not block; the log has them
    }
    try {
      inline.putAllIfAbsent(Chunk.split(chunks, payload, ref -> ref.length() > 0));
    } catch (ChunkStoreException e) {
      LOG.debug("chunks of inline payloads stay in the log only: {}", e.getMessage());
    }
  }

  @Override
  public void serve(SessionId session, List<ChunkRef> chunks) {
    Download download = downloads.computeIfAbsent(session, _ -> new Download());
    if (download.queue.asked() + chunks.size() > maxWanted) {
      LOG.warn("{} asks for more chunks than it can need; its connection is closed", session);
      transport.close(session, null);
      return;
    }
    download.queue.ask(chunks);
    pump(session);
  }

  @Override
  public void push(SessionId session, List<ChunkRef> chunks) {
    downloads.computeIfAbsent(session, _ -> new Download()).queue.push(chunks);
    pump(session);
  }

  @Override
  public void sendSymbols(
      SessionId session,
      long push,
      ChunkRef chunk,
      int symbolBytes,
      int repair,
      Runnable handedOver) {
    symbols.send(session, push, chunk, symbolBytes, repair, handedOver);
  }

  @Override
  public MulticastPort multicast() {
    return symbols;
  }

  private byte @Nullable [] readQuietly(Hash hash) {
    try {
      return read(hash);
    } catch (ChunkStoreException e) {
      LOG.debug("no symbols are sent: {}", e.getMessage()); // a worker asks, and then it is told
      return null;
    }
  }

  /** The bulk stream of a session can take more; called on the transport's thread. */
  void writable(SessionId session) {
    pump(session);
  }

  /** A session has ended; called on the transport's thread. */
  void closed(SessionId session) {
    uploads.remove(session);
    downloads.remove(session);
  }

  @Override
  public void close() {
    symbols.close();
    incoming.close();
    outgoing.close();
    inline.close();
  }

  /** Reads and compares a chunk. Always reports a result, because an intent waits for it. */
  private void readAndTell(Hash hash) {
    int length = ChunkStore.NOT_HERE;
    try {
      byte[] bytes = store.getVerified(hash);
      length = bytes == null ? ChunkStore.NOT_HERE : bytes.length;
    } catch (ChunkStoreException e) {
      LOG.debug("a chunk is asked for again: {}", e.getMessage()); // its first read has told
    } finally {
      int intact = length;
      post.accept(
          agent -> {
            if (intact == ChunkStore.NOT_HERE) {
              agent.chunkUnreadable(hash);
            } else {
              agent.chunkStored(hash, intact);
            }
          });
    }
  }

  /** Stores arrivals in batches; what arrives while one batch is written forms the next. */
  private void storeArrivals() {
    storing.set(false);
    while (!arrivals.isEmpty()) {
      List<Arrival> batch = new ArrayList<>();
      for (int i = 0; i < STORE_BATCH && !arrivals.isEmpty(); i++) {
        batch.add(arrivals.remove());
      }
      store(batch);
    }
  }

  /** Stores a batch. Always reports a result for every arrival, because intents wait for it. */
  private void store(List<Arrival> batch) {
    Map<Arrival, Errno> refused = new HashMap<>();
    boolean done = false;
    try {
      store(batch, refused);
      done = true;
    } finally {
      if (!done) { // e.g. OutOfMemoryError
        batch.forEach(arrival -> refused.put(arrival, Errno.EIO));
      }
      post.accept(
          agent -> {
            for (Arrival arrival : batch) {
              taken(arrival);
              Errno why = refused.get(arrival);
              if (why == null) {
                agent.chunkStored(arrival.chunk.hash(), arrival.chunk.bytes().length);
              } else if (arrival.intent == null) {
                agent.copyRefused(new ChunkCopy(arrival.chunk.hash(), arrival.chunk.bytes()), why);
              } else {
                agent.chunkRefused(arrival.session, arrival.intent, why);
              }
            }
          });
    }
  }

  private void store(List<Arrival> batch, Map<Arrival, Errno> refused) {
    List<Chunk> intact = new ArrayList<>();
    for (Arrival arrival : batch) {
      Chunk chunk = arrival.chunk;
      if (chunk.isIntact()) {
        intact.add(chunk);
      } else {
        warnOfDamaged(arrival.session, chunk.hash());
        refused.put(arrival, Errno.EIO);
      }
    }
    Map<Hash, Errno> failed = put(intact);
    intact.stream().filter(chunk -> !failed.containsKey(chunk.hash())).forEach(recent::add);
    for (Arrival arrival : batch) {
      Errno why = failed.get(arrival.chunk.hash());
      if (why != null) {
        refused.putIfAbsent(arrival, why);
      }
    }
    faults.reached(Moment.CHUNKS_STORED);
  }

  /** Logs a damaged chunk, at most once per interval. */
  private void warnOfDamaged(SessionId session, Hash hash) {
    long nowNs = System.nanoTime();
    if (damagedToldNs == null || nowNs - damagedToldNs >= DAMAGED_INTERVAL_NS) {
      damagedToldNs = nowNs;
      LOG.warn("{} sent a chunk that does not match its hash {}", session, hash);
    }
  }

  /**
   * Stores the chunks at once or, if that fails, one by one; returns those that cannot be stored.
   */
  private Map<Hash, Errno> put(List<Chunk> chunks) {
    try {
      store.putAll(chunks);
      return Map.of();
    } catch (ChunkStoreException e) {
      if (chunks.size() == 1 || e.errno() == Errno.EAGAIN) {
        LOG.warn("cannot store {} chunks: {}", chunks.size(), e.getMessage());
        return refuse(chunks, e.errno());
      }
    } catch (RuntimeException e) {
      LOG.error("internal error while chunks were stored", e);
      return refuse(chunks, Errno.EIO);
    }
    Map<Hash, Errno> failed = new HashMap<>();
    chunks.forEach(chunk -> failed.putAll(put(List.of(chunk))));
    return failed;
  }

  private static Map<Hash, Errno> refuse(List<Chunk> chunks, Errno errno) {
    Map<Hash, Errno> failed = new HashMap<>();
    chunks.forEach(chunk -> failed.put(chunk.hash(), errno));
    return failed;
  }

  private void taken(Arrival arrival) {
    Upload upload = uploads.get(arrival.session);
    if (upload != null) {
      upload.queuedBytes -= arrival.queuedBytes();
      if (upload.stopped && upload.queuedBytes < LOW_WATER_BYTES) {
        upload.stopped = false;
        transport.setReading(arrival.session, StreamKind.CHUNKS, true);
      }
    }
  }

  private void pump(SessionId session) {
    Download download = downloads.get(session);
    if (download == null
        || download.reading
        || download.queue.isEmpty()
        || !transport.isWritable(session, StreamKind.BULK)) {
      return;
    }
    download.reading = true;
    List<ChunkRef> batch = download.queue.next(SERVE_BATCH);
    outgoing.execute(
        () -> {
          List<ChunkData> answers = new ArrayList<>();
          List<Missing> missing = new ArrayList<>();
          try {
            batch.forEach(ref -> read(ref, answers, missing));
          } finally {
            boolean isComplete = answers.size() + missing.size() == batch.size();
            post.accept(agent -> answer(agent, session, download, answers, missing, isComplete));
          }
        });
  }

  private void answer(
      LeaderAgent agent,
      SessionId session,
      Download download,
      List<ChunkData> answers,
      List<Missing> missing,
      boolean isComplete) {
    answers.forEach(answer -> transport.send(session, answer));
    transport.flush();
    for (Missing one : missing) {
      agent.chunkMissing(session, one.chunk, one.errno, one.why);
    }
    download.reading = false;
    if (isComplete) {
      pump(session);
    } else {
      transport.close(session, null); // e.g. OutOfMemoryError; the worker asks again
    }
  }

  private byte @Nullable [] read(Hash hash) {
    byte[] stored = recent.get(hash);
    return stored != null ? stored : inline.getVerified(hash);
  }

  private void read(ChunkRef ref, List<ChunkData> answers, List<Missing> missing) {
    try {
      byte[] bytes = read(ref.hash());
      if (bytes != null) {
        answers.add(new ChunkData(ref.hash(), bytes));
      } else {
        missing.add(new Missing(ref, Errno.ENOENT, "not in the leader's store"));
      }
    } catch (ChunkStoreException e) {
      missing.add(new Missing(ref, e.errno(), String.valueOf(e.getMessage())));
    } catch (RuntimeException e) {
      LOG.error("internal error while chunk {} was read", ref.hash(), e);
      missing.add(new Missing(ref, Errno.ENOENT, "internal error")); // says nothing of the store
    }
  }
}
