package io.hypersync.bench.micro;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.FsOp.SetAttributes;
import io.hypersync.model.op.OpCodec;
import io.hypersync.model.state.FsState;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.CommitAck;
import io.hypersync.wire.message.LeaderMessage.LogEntries;
import io.hypersync.wire.message.LeaderMessage.Welcome;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage.Hello;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import io.hypersync.wire.message.WorkerMessage.WorkerApplied;
import io.hypersync.wire.quic.QuicOptions;
import io.hypersync.wire.quic.QuicWorkerClient;
import io.hypersync.wire.transport.ConnectFailure;
import io.hypersync.wire.transport.WorkerTransport;
import io.hypersync.wire.transport.WorkerTransportListener;
import io.hypersync.worker.WorkerDaemonOptions;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.LongFunction;

/**
 * A worker as a leader sees one, with a connection of its own: it sends intents, receives the whole
 * log and reports an applied index. It applies nothing, so that the leader is what is measured. All
 * mutable state belongs to the transport's thread.
 */
public final class SimulatedWorker implements WorkerTransportListener, AutoCloseable {
  private static final int UNDER_WAY = 64;
  private static final int REPORT_EVERY = 256;
  private static final int REPORT_MS = 50;
  private static final int LIMIT_S = 60;

  private final WorkerDaemonOptions options;
  private final WorkerTransport transport;
  private final Random random = new Random(1);
  private final ClientId client = new ClientId(System.nanoTime(), System.identityHashCode(this));
  private final CompletableFuture<Void> welcomed = new CompletableFuture<>();
  private final List<NodeId> directories = new ArrayList<>();
  private CompletableFuture<Void> finished = new CompletableFuture<>();
  private LongFunction<FsOp> ops = this::makeDirectory;
  private boolean learning;
  private long sent;
  private long acknowledged;
  private long wanted;
  private long index;
  private long reported;
  private byte[] newest = {};

  /** Connects, and blocks until the leader's Welcome. */
  public SimulatedWorker(WorkerDaemonOptions options) {
    this.options = options;
    this.transport =
        QuicWorkerClient.create(
            options.identity(), options.workspace(), this, QuicOptions.defaults());
    InetSocketAddress leader = options.leaderAddresses().getFirst();
    InetSocketAddress resolved = new InetSocketAddress(leader.getHostString(), leader.getPort());
    transport.executor().execute(() -> transport.connect(resolved));
    try {
      await(welcomed);
    } catch (CompletionException e) {
      transport.shutdown();
      throw e;
    }
    ScheduledFuture<?> _ =
        transport
            .executor()
            .scheduleAtFixedRate(this::report, REPORT_MS, REPORT_MS, TimeUnit.MILLISECONDS);
  }

  /** Creates this worker's directories, which later ops change; blocks until they are committed. */
  public void begin(int count) {
    transport.executor().execute(() -> learning = true);
    await(start(count));
    transport
        .executor()
        .execute(
            () -> {
              learning = false;
              ops = _ -> changeMode();
            });
  }

  /**
   * From now on its ops are these.
   *
   * @param next makes each op from one of the directories that {@link #begin} has made, and the
   *     op's number, from 0
   */
  public void submit(BiFunction<List<NodeId>, Long, FsOp> next) {
    transport
        .executor()
        .execute(
            () -> {
              long first = sent + 1;
              ops = number -> next.apply(directories, number - first);
            });
  }

  /**
   * Starts committing this many ops, at most 64 in flight at once.
   *
   * @return completes when all are acknowledged; fails if one was refused
   */
  public CompletableFuture<Void> start(int count) {
    CompletableFuture<Void> all = new CompletableFuture<>();
    transport
        .executor()
        .execute(
            () -> {
              finished = all;
              wanted += count;
              flushPoint();
            });
    return all;
  }

  /** Blocks until the result of {@link #start} completes, for at most 60 s. */
  public static void await(CompletableFuture<Void> done) {
    done.orTimeout(LIMIT_S, TimeUnit.SECONDS).join();
  }

  @Override
  public void connected(InetSocketAddress leader) {
    Hash genesis = FsState.genesis().root();
    transport.send(
        new Hello(options.workspace(), options.worker(), OptionalLong.empty(), 0, genesis, client));
    transport.flush();
  }

  @Override
  public void received(ChunkSymbol symbol) {}

  @Override
  public void received(LeaderMessage message) {
    switch (message) {
      case Welcome _ -> welcomed.complete(null);
      case CommitAck ack -> {
        acknowledged++;
        if (ack.errno() != null) {
          finished.completeExceptionally(new IllegalStateException("refused: " + ack.errno()));
        }
      }
      case LogEntries(_, List<byte[]> entries, _) -> {
        index += entries.size();
        newest = entries.getLast();
        if (learning) {
          entries.forEach(this::learn);
        }
      }
      default -> {
        // Heartbeats and others need no reaction.
      }
    }
  }

  @Override
  public void flushPoint() {
    while (sent < wanted && sent - acknowledged < UNDER_WAY) {
      sent++;
      byte[] op = OpCodec.encode(ops.apply(sent));
      transport.send(new SubmitIntent(new IntentId(client, sent), "", op, new byte[0], List.of()));
    }
    if (index - reported >= REPORT_EVERY) {
      report();
    }
    transport.flush();
    if (acknowledged == wanted && (!learning || directories.size() == wanted)) {
      finished.complete(null);
    }
  }

  @Override
  public void connectFailed(ConnectFailure failure, String message) {
    welcomed.completeExceptionally(new IllegalStateException(message));
  }

  @Override
  public void closed(String reason) {
    welcomed.completeExceptionally(new IllegalStateException(reason));
    finished.completeExceptionally(new IllegalStateException(reason));
  }

  @Override
  public void writable(StreamKind kind) {
    // At most 64 intents are in flight, for which there is always room.
  }

  @Override
  public void close() {
    transport.shutdown();
  }

  private void report() {
    if (index > 0) {
      reported = index;
      transport.send(new WorkerApplied(index, decode(newest).root(), false, 0, null));
      transport.flush();
    }
  }

  private void learn(byte[] bytes) {
    LogEntry entry = decode(bytes);
    if (entry.intent().client().equals(client)) {
      directories.add(entry.createdNode());
    }
  }

  private static LogEntry decode(byte[] entry) {
    try {
      return LogEntryCodec.decode(entry);
    } catch (DecodeException e) {
      throw new IllegalStateException(e);
    }
  }

  private FsOp makeDirectory(long number) {
    Name name = Name.of(options.worker().name() + "-" + number);
    return new FsOp.MakeDir(FsState.ROOT, name, 0755, 0, 0);
  }

  private FsOp changeMode() {
    NodeId directory = directories.get(random.nextInt(directories.size()));
    return new SetAttributes(directory, SetAttributes.MODE, random.nextInt(0777), 0, 0, 0);
  }
}
