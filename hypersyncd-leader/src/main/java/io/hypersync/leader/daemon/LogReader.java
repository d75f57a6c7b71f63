package io.hypersync.leader.daemon;

import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.port.LogReadPort;
import io.hypersync.wire.transport.LeaderTransport;
import io.hypersync.wire.transport.SessionId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads old log entries for workers in catch-up, on a thread of its own. */
final class LogReader implements LogReadPort, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LogReader.class);

  private final OpLog log;
  private final LeaderTransport transport;
  private final Consumer<Consumer<LeaderAgent>> post;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("leader-log-reader").daemon().factory());

  LogReader(OpLog log, LeaderTransport transport, Consumer<Consumer<LeaderAgent>> post) {
    this.log = log;
    this.transport = transport;
    this.post = post;
  }

  @Override
  public void read(SessionId session, long fromIndex, int maxBytes) {
    thread.execute(
        () -> {
          List<byte[]> entries = new ArrayList<>();
          try {
            log.read(fromIndex, maxBytes, (_, payload) -> entries.add(payload));
            post.accept(agent -> agent.logRead(session, fromIndex, entries));
          } catch (IOException | RuntimeException e) {
            if (fromIndex < log.firstIndex()) {
              LOG.debug("{} wants entry {}", session, fromIndex, e);
              post.accept(agent -> agent.logTrimmed(session, fromIndex));
              return;
            }
            LOG.error("cannot read the log from entry {} for {}", fromIndex, session, e);
            post.accept(_ -> transport.close(session, null));
          }
        });
  }

  @Override
  public void close() {
    thread.close();
  }
}
