package io.hypersync.leader.daemon;

import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.dataplane.BlockEncoder;
import io.hypersync.leader.port.MulticastPort;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.raptorq.OctetRows;
import io.hypersync.runtime.agent.WarmUp;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage.MulticastGroup;
import io.hypersync.wire.transport.LeaderTransport;
import io.hypersync.wire.transport.SessionId;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads chunks and makes their symbols on a thread of its own. Those for one worker are sent on the
 * transport's thread, those for all on another one, which numbers their packets. The agent bounds
 * how many are on their way ({@code leader.dataplane}).
 */
final class SymbolSender implements MulticastPort, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SymbolSender.class);

  /** As much as workers that keep up are behind each other. */
  private static final long KEPT_BYTES = 16L << 20;

  private final BlockEncoder encoder = new BlockEncoder(KEPT_BYTES);
  private final BlockEncoder.Source source;
  private final WarmUp warmUp = new WarmUp("leader-symbols-warm-up", OctetRows::warmUp);
  private final LeaderTransport transport;
  private final @Nullable MulticastSender multicast;
  private final Consumer<Consumer<LeaderAgent>> post;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("leader-symbols").daemon().factory());

  /** Numbers and sends what goes to all: a beacon does not wait for symbols that are being made. */
  private final ExecutorService sending =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("leader-multicast").daemon().factory());

  /**
   * Starts the thread.
   *
   * @param source reads chunks, on that thread
   * @param multicast sends to all workers, on one thread; null to send to each alone
   * @param post runs a call of the agent on the transport's thread
   */
  SymbolSender(
      BlockEncoder.Source source,
      LeaderTransport transport,
      @Nullable MulticastSender multicast,
      Consumer<Consumer<LeaderAgent>> post) {
    this.multicast = multicast;
    this.source = source;
    this.transport = transport;
    this.post = post;
  }

  /** As {@code ChunkPort.sendSymbols}; on the agent's thread. */
  void send(
      SessionId session,
      long push,
      ChunkRef chunk,
      int symbolBytes,
      int repair,
      Runnable handedOver) {
    make(
        chunk,
        symbolBytes,
        repair,
        made ->
            post.accept(
                _ -> {
                  send(session, push, chunk.hash(), chunk.length(), symbolBytes, made);
                  handedOver.run();
                }));
  }

  /** Makes symbols on the thread; then runs in any case, because who waits to send more is told. */
  private void make(ChunkRef chunk, int symbolBytes, int repair, Consumer<List<byte[]>> then) {
    warmUp.begin();
    onThread(
        thread,
        () -> {
          List<byte[]> made = List.of();
          try {
            made = symbols(chunk.hash(), symbolBytes, repair);
          } finally {
            then.accept(made);
          }
        });
  }

  @Override
  public @Nullable MulticastGroup group() {
    return multicast == null ? null : multicast.group();
  }

  @Override
  public int maxSymbolBytes() {
    return multicast == null ? 0 : multicast.maxSymbolBytes();
  }

  @Override
  public void sendSymbols(ChunkRef chunk, int symbolBytes, int repair, Sent then) {
    make(
        chunk,
        symbolBytes,
        repair,
        made -> onThread(sending, () -> sendToAll(chunk, symbolBytes, made, then)));
  }

  private void sendToAll(ChunkRef chunk, int symbolBytes, List<byte[]> symbols, Sent then) {
    int packets = 0;
    long bytes = 0;
    try {
      for (int id = 0; id < symbols.size(); id++) {
        int sent =
            sendToAll(
                new ChunkSymbol(
                    ChunkSymbol.TO_ALL,
                    chunk.hash(),
                    chunk.length(),
                    symbolBytes,
                    id,
                    symbols.get(id)));
        packets += sent > 0 ? 1 : 0;
        bytes += sent;
      }
    } finally {
      int sentPackets = packets;
      long sentBytes = bytes;
      post.accept(_ -> then.sent(sentPackets, sentBytes));
    }
  }

  @Override
  public void beacon() {
    onThread(
        sending,
        () -> {
          int _ = sendToAll(null);
        });
  }

  private int sendToAll(@Nullable ChunkSymbol symbol) {
    try {
      return multicast == null ? 0 : multicast.send(symbol);
    } catch (RuntimeException e) {
      LOG.error("internal error while a packet was sent to all workers", e);
      return 0;
    }
  }

  private static void onThread(ExecutorService executor, Runnable task) {
    try {
      executor.execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("the leader stops", e);
    }
  }

  /** None if the chunk cannot be read: the worker asks for it, and is told then. */
  private List<byte[]> symbols(Hash chunk, int symbolBytes, int repair) {
    try {
      return List.copyOf(encoder.symbols(chunk, symbolBytes, repair, source));
    } catch (RuntimeException e) {
      LOG.error("internal error while symbols of chunk {} were made", chunk, e);
      return List.of();
    }
  }

  private void send(
      SessionId session,
      long push,
      Hash chunk,
      int chunkBytes,
      int symbolBytes,
      List<byte[]> symbols) {
    for (int id = 0; id < symbols.size(); id++) {
      transport.send(
          session, new ChunkSymbol(push, chunk, chunkBytes, symbolBytes, id, symbols.get(id)));
    }
    transport.flush();
  }

  @Override
  public void close() {
    thread.shutdownNow();
    thread.close();
    sending.shutdownNow();
    sending.close();
    if (multicast != null) {
      multicast.close();
    }
  }
}
