package io.hypersync.sim.node;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.sim.check.KeptPayloadChecker;
import io.hypersync.sim.check.LinkRecord;
import io.hypersync.sim.check.MutationChecker;
import io.hypersync.sim.world.Host;
import io.hypersync.worker.WorkerAgent;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.intents.Completion;
import io.hypersync.worker.intents.Mutation;
import io.hypersync.worker.intents.WaitingCall;
import io.hypersync.worker.vfs.Mutations;
import java.util.List;
import java.util.function.Consumer;

/** Passes mutations from the vfs to the agent's thread; tags each one and records its answer. */
final class SimMutations implements Mutations {
  private final String tagPrefix;
  private final Host host;
  private final BroughtCalls calls;
  private final WorkerAgent agent;
  private final SimAgents agents;
  private final Recording recording;
  private final LinkRecord record;
  private final String worker;
  private final KeptPayloadChecker payloads;
  private long count;

  SimMutations(
      String worker,
      String tagPrefix,
      Host host,
      BroughtCalls calls,
      WorkerAgent agent,
      SimAgents agents,
      Recording recording,
      LinkRecord record,
      KeptPayloadChecker payloads) {
    this.payloads = payloads;
    this.worker = worker;
    this.tagPrefix = tagPrefix;
    this.host = host;
    this.calls = calls;
    this.agent = agent;
    this.agents = agents;
    this.recording = recording;
    this.record = record;
  }

  String tagPrefix() {
    return tagPrefix;
  }

  @Override
  public boolean isWritable() {
    return agent.isWritable();
  }

  @Override
  public boolean isAwaitingLeader() {
    return agent.isAwaitingLeader();
  }

  @Override
  public void whenWritable(WaitingCall call, Runnable refused) {
    host.execute(() -> agent.whenWritable(call, refused));
  }

  @Override
  public int chunkMax() {
    return agent.params().chunkMax();
  }

  @Override
  public boolean isFresh() {
    return agent.isFresh();
  }

  @Override
  public boolean hasUnread() {
    return calls.hasUnread();
  }

  @Override
  public void whenRead(Runnable ready) {
    calls.whenRead(ready);
  }

  @Override
  public void whenFresh(WaitingCall call) {
    calls.bring(() -> agent.whenFresh(call));
  }

  @Override
  public void whenCurrent(WaitingCall call) {
    calls.bring(() -> agent.whenCurrent(call));
  }

  @Override
  public boolean hasLostName(NodeId node) {
    return agent.hasLostName(node);
  }

  @Override
  public void whenSettled(long index, Runnable ready) {
    host.execute(() -> agent.whenSettled(index, ready));
  }

  @Override
  public void submit(Mutation mutation) {
    count++;
    agents.submitted(mutation);
    String tag = tagPrefix + count;
    recording.mutations().made(tag, mutation.op(), record);
    if (mutation.op() instanceof FsOp.Write write) {
      recording.fences().writing(tag, worker, write.node(), mutation.caller());
    }
    Mutation tagged =
        new Mutation(
            mutation.unique(),
            mutation.caller(),
            tag,
            mutation.context(),
            mutation.op(),
            mutation.chunks(),
            mutation.uploading(),
            heard(tag, mutation),
            mutation.lockSession(),
            mutation.times());
    calls.bring(() -> agent.submit(tagged));
  }

  @Override
  public void fsync(NodeId node, WaitingCall call) {
    List<String> before = recording.mutations().changing(node, tagPrefix);
    Runnable judged =
        () -> {
          recording.mutations().synced(node, before);
          call.ready().run();
        };
    WaitingCall heard = new WaitingCall(call.unique(), judged, call.interrupted());
    calls.bring(() -> agent.fsync(node, heard));
  }

  @Override
  public void fetchAgain(List<ChunkRef> chunks, Runnable ready, Consumer<Errno> failed) {
    host.execute(() -> agent.fetchAgain(chunks, ready, failed));
  }

  @Override
  public void interrupted(RequestId unique, int pid) {
    host.execute(() -> agent.interrupted(unique, pid));
  }

  private Completion heard(String tag, Mutation mutation) {
    Completion completion = mutation.completion();
    MutationChecker checker = recording.mutations();
    return new Completion() {
      @Override
      public void committed(LogEntry entry, FsState state) {
        checker.committed(tag, entry, agent.visible());
        recording.everywhere().told(worker, entry.index());
        calls.committed();
        completion.committed(entry, state);
      }

      @Override
      public void failed(Errno errno) {
        if (errno == Errno.EIO) {
          payloads.givenUp();
        }
        if (errno == Errno.EIO && recording.fences().isLost(worker, mutation.lockSession())) {
          checker.mayBeFenced(tag);
        } else {
          checker.failed(tag, errno, agent.visible());
        }
        completion.failed(errno);
      }
    };
  }
}
