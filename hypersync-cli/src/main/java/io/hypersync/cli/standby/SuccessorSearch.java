package io.hypersync.cli.standby;

import io.hypersync.leader.daemon.DeposedFile;
import io.hypersync.leader.daemon.LineageFile;
import io.hypersync.leader.daemon.TermFile;
import io.hypersync.leader.lineage.Deposition;
import io.hypersync.leader.standby.StandbyFile;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.state.FsState;
import io.hypersync.runtime.admin.StateLock;
import io.hypersync.runtime.text.HostPorts;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.Feature;
import io.hypersync.wire.message.Features;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.Refused;
import io.hypersync.wire.message.LeaderMessage.Welcome;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.SeenState;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage.Hello;
import io.hypersync.wire.quic.QuicOptions;
import io.hypersync.wire.quic.QuicWorkerClient;
import io.hypersync.wire.transport.ConnectFailure;
import io.hypersync.wire.transport.WorkerTransport;
import io.hypersync.wire.transport.WorkerTransportListener;
import io.hypersync.worker.WorkerDaemonOptions;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of a leader becomes that of a standby only if another leader of its lineage answers
 * with a higher term: that one has followed it, whether or not a worker has told so. Until then
 * nothing is changed, and it could be led again. Who answers has shown a leader's certificate of
 * this workspace, so it is believed.
 */
public final class SuccessorSearch {
  private static final Logger LOG = LoggerFactory.getLogger(SuccessorSearch.class);
  private static final long ANSWER_LIMIT_MS = 5_000;
  private static final long PAUSE_MS = 1_000;

  private SuccessorSearch() {}

  /**
   * Blocks until a leader answers that has followed the one of this state directory, also if a
   * worker has told of one: nobody else has seen it. Returns at once if the directory is a
   * standby's, or has no log.
   *
   * @param options of the standby that is to be; its addresses are asked in turn
   * @throws io.hypersync.runtime.admin.UserError if the directory is in use, or cannot be read
   */
  public static void await(WorkerDaemonOptions options) throws InterruptedException {
    Path stateDir = options.stateDir();
    if (!Files.exists(stateDir.resolve("oplog")) || StandbyFile.read(stateDir).isPresent()) {
      return;
    }
    try (StateLock _ = StateLock.acquire(stateDir, "the standby " + options.worker().name())) {
      long lineage = LineageFile.read(stateDir).id();
      long term = TermFile.read(stateDir).number();
      LOG.warn(
          "{} is the state of a leader, of term {}: it becomes that of a standby when a leader of a"
              + " higher term answers",
          stateDir,
          term);
      Map<InetSocketAddress, String> reported = new HashMap<>();
      while (true) {
        for (InetSocketAddress address : options.leaderAddresses()) {
          String found = ask(options, address, lineage, term);
          if (found.isEmpty()) {
            return;
          }
          if (!found.equals(reported.put(address, found))) {
            LOG.info("at {}: {}", HostPorts.of(address), found);
          }
        }
        Thread.sleep(PAUSE_MS);
      }
    }
  }

  /** Asks one address; empty if a successor has answered, which is remembered then. */
  private static String ask(
      WorkerDaemonOptions options, InetSocketAddress address, long lineage, long term)
      throws InterruptedException {
    Asking asking = new Asking(options);
    WorkerTransport transport =
        QuicWorkerClient.create(
            options.identity(), options.workspace(), asking, QuicOptions.defaults());
    asking.transport = transport;
    try {
      InetSocketAddress resolved =
          new InetSocketAddress(address.getHostString(), address.getPort());
      if (resolved.isUnresolved()) {
        return "the name does not resolve";
      }
      transport.executor().execute(() -> transport.connect(resolved));
      Welcome welcome = asking.answer.get(ANSWER_LIMIT_MS, TimeUnit.MILLISECONDS);
      if (welcome.lineage() != lineage || welcome.term() <= term) {
        return "a leader of term " + welcome.term() + ", which is no successor of this one";
      }
      LOG.warn(
          "at {} a leader of term {} has followed this one", HostPorts.of(address), welcome.term());
      DeposedFile.write(
          options.stateDir(), new Deposition(lineage, welcome.term(), options.worker()));
      return "";
    } catch (ExecutionException e) {
      return String.valueOf(e.getCause().getMessage());
    } catch (TimeoutException e) {
      return "no answer";
    } finally {
      transport.shutdown();
    }
  }

  /** Says Hello, as a worker that has nothing yet, and waits for the answer. */
  private static final class Asking implements WorkerTransportListener {
    private final WorkerDaemonOptions options;
    private final CompletableFuture<Welcome> answer = new CompletableFuture<>();
    private volatile @Nullable WorkerTransport transport;

    Asking(WorkerDaemonOptions options) {
      this.options = options;
    }

    @Override
    public void connected(InetSocketAddress leader) {
      WorkerTransport over = transport;
      if (over == null) {
        return;
      }
      SecureRandom random = new SecureRandom();
      over.send(
          new Hello(
              Protocol.VERSION,
              options.workspace(),
              options.worker(),
              OptionalLong.empty(),
              0,
              FsState.genesis().root(),
              new ClientId(random.nextLong(), random.nextLong()),
              Protocol.REVISION,
              // As the standby that it is to be: workers may have to wait for that one.
              Features.SUPPORTED.with(Feature.SYNC_STANDBY),
              "",
              SeenState.NONE,
              0));
      over.flush();
    }

    @Override
    public void connectFailed(ConnectFailure failure, String message) {
      fail(message);
    }

    @Override
    public void received(LeaderMessage message) {
      switch (message) {
        case Welcome welcome -> answer.complete(welcome);
        case Refused refused -> fail(refused.message());
        default -> {}
      }
    }

    @Override
    public void received(ChunkSymbol symbol) {}

    @Override
    public void flushPoint() {}

    @Override
    public void writable(StreamKind kind) {}

    @Override
    public void closed(String reason) {
      fail(reason);
    }

    private void fail(String why) {
      answer.completeExceptionally(new IllegalStateException(why));
    }
  }
}
