package io.hypersync.worker;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.agent.Agent;
import io.hypersync.wire.agent.Clock;
import io.hypersync.wire.agent.Entropy;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.Refused;
import io.hypersync.wire.message.LeaderMessage.Welcome;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.WorkerMessage.ApplyError;
import io.hypersync.wire.message.WorkerMessage.ChunkFetch;
import io.hypersync.wire.message.WorkerMessage.Hello;
import io.hypersync.wire.message.WorkerMessage.WorkerApplied;
import io.hypersync.worker.intents.IntentTracker;
import io.hypersync.worker.intents.Mutation;
import io.hypersync.worker.link.LinkMonitor;
import io.hypersync.worker.link.LinkState;
import io.hypersync.worker.port.ApplyListener;
import io.hypersync.worker.port.LeaderLink;
import io.hypersync.worker.port.WorkerChunks;
import io.hypersync.worker.replica.Published;
import io.hypersync.worker.replica.Replica;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All of the worker that decides, apart from the meaning of reads: the link to the leader,
 * mutations in flight, the replica (design 7, 8). Single-threaded: every method is called by the
 * thread that calls {@link #doWork}, except {@link #published} and {@link #isWritable}, which any
 * thread may call.
 */
public final class WorkerAgent implements Agent {
  private static final Logger LOG = LoggerFactory.getLogger(WorkerAgent.class);
  private static final int APPLY_SLICE = 256;
  private static final int REPORT_EVERY_ENTRIES = 256;

  private final WorkerConfig config;
  private final LeaderLink link;
  private final Clock clock;
  private final LinkMonitor monitor;
  private final Replica replica;
  private final IntentTracker intents;
  private OptionalLong epochSeen = OptionalLong.empty();
  private long commitIndex;
  private long catchUpTarget;
  private long reportedIndex;
  private long nextReportNs;
  private long fsyncsElided;
  private volatile boolean writable;
  private boolean stopping;

  /**
   * A worker with an empty replica.
   *
   * @param latency told the nanoseconds which each successful mutation took
   */
  public WorkerAgent(
      WorkerConfig config,
      LeaderLink link,
      WorkerChunks chunks,
      ApplyListener listener,
      Clock clock,
      Entropy entropy,
      LongConsumer latency) {
    this.config = config;
    this.link = link;
    this.clock = clock;
    this.monitor = new LinkMonitor(config, clock.monotonicNs());
    this.intents = new IntentTracker(link, entropy, config.mutationDeadlineNs(), latency);
    this.replica =
        new Replica(
            chunks,
            (entry, before, after) -> {
              intents.applied(entry, after);
              listener.applied(entry, before, after);
            });
  }

  /** S_{a_i}; any thread. */
  public Published published() {
    return replica.published();
  }

  /** Whether mutations are accepted now; any thread. When not, they end with EROFS (6.4). */
  public boolean isWritable() {
    return writable;
  }

  /** A process has made a mutating call. */
  public void submit(Mutation mutation) {
    if (!writable) {
      mutation.completion().failed(Errno.EROFS);
      return;
    }
    intents.submit(mutation, clock.monotonicNs());
  }

  /** A process has called fsync on this node (6.5). */
  public void fsync(NodeId node, Runnable done) {
    if (intents.barrier(node, done)) {
      fsyncsElided++;
    }
  }

  /** The connection is up. */
  public void linkUp() {
    monitor.greeting(clock.monotonicNs());
    replica.forgetUnapplied();
    Published now = replica.published();
    link.send(
        new Hello(
            Protocol.VERSION,
            config.workspace(),
            config.worker(),
            epochSeen,
            now.index(),
            now.root()));
  }

  /** The connection is lost, or could not be made. */
  public void linkDown(String why) {
    if (monitor.state() == LinkState.LIVE) {
      LOG.warn("leader lost: {}; the mount is read-only until it is back", why);
    }
    if (monitor.state() != LinkState.REFUSED) {
      monitor.down(why, clock.monotonicNs());
    }
    updateWritable();
  }

  /** The leader's certificate or protocol is not ours: trying again is useless. */
  public void linkRefused(String why) {
    LOG.error("the leader cannot be joined: {}", why);
    monitor.refused(why);
    updateWritable();
  }

  /** A message has arrived. */
  public void received(LeaderMessage message) {
    long now = clock.monotonicNs();
    monitor.heard(now);
    switch (message) {
      case Welcome welcome -> welcomed(welcome, now);
      case Refused refused -> refused(refused, now);
      case LeaderMessage.Heartbeat(_, long index) -> observed(index);
      case LeaderMessage.BarrierResponse(_, long index) -> observed(index);
      case LeaderMessage.LogEntries(long index, List<byte[]> entries) -> {
        observed(index);
        take(entries);
      }
      case LeaderMessage.CommitAck ack ->
          intents.acknowledged(ack, replica.published().index(), now);
      case LeaderMessage.IntentStatusResponse response ->
          intents.status(response, replica.published().index(), now);
      case LeaderMessage.ChunkNeed need -> intents.chunksNeeded(need);
      case LeaderMessage.ChunkData _ ->
          throw new IllegalStateException("chunk bytes go to the chunk ingest, not to the agent");
      case LeaderMessage.ChunkUnavailable(Hash hash, Errno errno, String text) ->
          chunkFailed(hash, errno, "the leader cannot read it: " + text);
    }
  }

  /** A chunk that was fetched is verified and stored. */
  public void chunkStored(Hash hash) {
    replica.chunkStored(hash);
  }

  /** A chunk that is needed cannot be had or stored. */
  public void chunkFailed(Hash hash, Errno errno, String why) {
    replica.chunkFailed(hash, errno, "chunk " + hash + ": " + why);
    stopIfApplyFailed();
  }

  /** Ends every call that waits; for the shutdown. */
  public void shutdown() {
    stopping = true;
    updateWritable();
    intents.failAll(Errno.EIO);
    link.disconnect();
  }

  @Override
  public int doWork() {
    int work = replica.apply(APPLY_SLICE);
    long now = clock.monotonicNs();
    long applied = replica.published().index();
    intents.completeDone(applied, now);
    stopIfApplyFailed();
    if (monitor.state() == LinkState.CATCHING_UP && applied >= catchUpTarget) {
      monitor.live();
      LOG.info("in touch with the leader, caught up to entry {}", applied);
      intents.reconnected();
    }
    if (monitor.isSilent(now)) {
      link.disconnect();
      linkDown("nothing heard for " + config.leaderTimeoutNs() / 1_000_000 + " ms");
    }
    if (monitor.attemptIsDue(now)) {
      monitor.connecting();
      link.connect();
    }
    if (monitor.isConnected()) {
      report(now, applied);
    }
    if (monitor.state() == LinkState.LIVE) {
      intents.retry(now);
    }
    if (intents.expire(now) > 0 && monitor.isConnected()) {
      link.disconnect(); // it talks, but says nothing about our mutations: start afresh (6.4)
      linkDown("mutations unanswered for " + config.mutationDeadlineNs() / 1_000_000 + " ms");
    }
    if (replica.error() != null) {
      intents.failAll(Errno.EIO); // committed or not, it will never be visible here (6.4.1)
    }
    updateWritable();
    link.flush();
    return work;
  }

  /** The state of the link, for reports; on the agent's thread. */
  public LinkMonitor monitor() {
    return monitor;
  }

  /** Why apply has stopped, or null; on the agent's thread. */
  public @Nullable ApplyError applyError() {
    return replica.error();
  }

  /** The newest commit index heard of; on the agent's thread. */
  public long commitIndex() {
    return commitIndex;
  }

  /** Callers that wait; on the agent's thread. */
  public int pendingMutations() {
    return intents.size();
  }

  /** fsync calls that had nothing to wait for; on the agent's thread. */
  public long fsyncsElided() {
    return fsyncsElided;
  }

  private void welcomed(Welcome welcome, long nowNs) {
    if (!welcome.workspace().equals(config.workspace())) {
      link.disconnect();
      linkRefused("the leader serves workspace " + welcome.workspace());
      return;
    }
    epochSeen = OptionalLong.of(welcome.leaderEpoch());
    catchUpTarget = welcome.commitIndex();
    monitor.welcomed(nowNs);
    observed(welcome.commitIndex());
  }

  private void refused(Refused refused, long nowNs) {
    link.disconnect();
    switch (refused.reason()) {
      case DUPLICATE, PROTOCOL_ERROR -> {
        LOG.warn("the leader refuses for now: {}", refused.message());
        monitor.down(refused.message(), nowNs);
        updateWritable();
      }
      case PROTOCOL_VERSION, WORKSPACE, IDENTITY, DIVERGED -> linkRefused(refused.message());
    }
  }

  private void take(List<byte[]> entries) {
    try {
      List<ChunkRef> fetch = replica.offer(entries);
      for (int from = 0; from < fetch.size(); from += Protocol.MAX_HASHES_PER_MESSAGE) {
        int to = Math.min(fetch.size(), from + Protocol.MAX_HASHES_PER_MESSAGE);
        link.send(new ChunkFetch(fetch.subList(from, to)));
      }
    } catch (DecodeException e) {
      link.disconnect();
      linkDown("the leader sent a log that makes no sense: " + e.getMessage());
    }
  }

  private void observed(long index) {
    commitIndex = Math.max(commitIndex, index);
  }

  private void report(long nowNs, long applied) {
    if (monitor.state() == LinkState.GREETING) {
      return;
    }
    if (nowNs >= nextReportNs || applied - reportedIndex >= REPORT_EVERY_ENTRIES) {
      nextReportNs = nowNs + config.reportNs();
      reportedIndex = applied;
      Published now = replica.published();
      link.send(
          new WorkerApplied(
              now.index(), now.root(), !writable, replica.missingChunks(), replica.error()));
    }
  }

  /** At once, so that no mutation is accepted whose effect can never be visible here (6.4.1). */
  private void stopIfApplyFailed() {
    if (replica.error() != null && writable) {
      LOG.error("apply stopped, the mount is read-only: {}", replica.error());
      updateWritable();
    }
  }

  private void updateWritable() {
    writable = !stopping && monitor.state() == LinkState.LIVE && replica.error() == null;
  }
}
