package io.hypersync.sim.node;

import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.sim.check.AgentChecker;
import io.hypersync.sim.check.SightingChecker;
import io.hypersync.sim.world.Prng;
import io.hypersync.worker.fuse.protocol.CallerAgent;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.identity.AgentCache;
import io.hypersync.worker.identity.AgentResolver;
import io.hypersync.worker.identity.ProcessTable;
import io.hypersync.worker.intents.Mutation;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The processes of a worker's host, and how the worker finds their names. Between two calls a
 * process often ends, and another one gets its number, or it calls exec.
 */
public final class SimAgents {
  private static final int CACHED = 4;

  /** One in so many calls finds that something has happened to its process since the last one. */
  private static final int RECYCLED = 6;

  private static final int EXECUTED = 6;

  /** One in so many looks takes too long, and is not waited for. */
  private static final int LATE = 16;

  private static final int NAMES = 5;

  private final Prng prng;
  private final Clock clock;
  private final boolean seesExec;
  private final Map<Integer, HostProcess> processes = new HashMap<>();
  private final AgentCache cache;
  private final SightingChecker sightings = new SightingChecker();

  private static final class HostProcess {
    String agent = "";

    /** Changes when it calls exec, and when it is another process with the same number. */
    long generation;

    int calls;
  }

  /**
   * A host.
   *
   * @param prng a source of its own, so that histories are what they were
   */
  SimAgents(Prng prng, Clock clock) {
    this.prng = prng;
    this.clock = clock;
    this.seesExec = !prng.oneIn(4);
    ProcessTable table = new Table();
    this.cache = new AgentCache(table, new AgentResolver(table, "/mnt"), CACHED);
  }

  /** A process begins a call; returns what the worker finds its agent to be. */
  public CallerAgent calls(int pid) {
    HostProcess process = processes.computeIfAbsent(pid, _ -> replaced(new HostProcess()));
    if (process.calls == 0 && (prng.oneIn(RECYCLED) || (seesExec && prng.oneIn(EXECUTED)))) {
      replaced(process);
    }
    process.calls++;
    long nowNs = clock.monotonicNs();
    String known = cache.known(pid, nowNs);
    if (known != null) {
      return CallerAgent.found(known);
    }
    return prng.oneIn(LATE)
        ? CallerAgent.believed(cache.believed(pid))
        : CallerAgent.found(cache.look(pid, nowNs, 0));
  }

  private HostProcess replaced(HostProcess process) {
    process.generation++;
    process.agent = prng.oneIn(3) ? "" : "agent" + prng.below(NAMES);
    return process;
  }

  /** A call of a process has ended. */
  public void returned(int pid) {
    HostProcess process = processes.get(pid);
    if (process != null) {
      process.calls--;
    }
  }

  /** A process has opened a file for reading. */
  public void opened(int pid, FileHandle handle, NodeId file) {
    sightings.opened(handle.value(), agent(pid), file);
  }

  /** Somebody has read it, in a call that began when this entry was visible. */
  public void read(FileHandle handle, long visible) {
    sightings.read(handle.value(), visible);
  }

  /** It is being closed. */
  public void closed(FileHandle handle) {
    sightings.closed(handle.value());
  }

  private String agent(int pid) {
    HostProcess process = processes.get(pid);
    return process == null ? "" : process.agent;
  }

  /** A mutation of a process is submitted, which says that it is of this agent. */
  void submitted(Mutation mutation) {
    String actual = agent(mutation.caller());
    CallContext context = mutation.context();
    AgentChecker.check(mutation.caller(), actual, mutation.agent(), context.isNameLate());
    if (mutation.op() instanceof FsOp.Write write) {
      sightings.writing(actual, write.node(), context.seen());
    } else if (mutation.op() instanceof FsOp.CopyRange copy) {
      sightings.writing(actual, copy.target(), context.seen());
    }
  }

  private final class Table implements ProcessTable {
    @Override
    public @Nullable Status status(int tid) {
      return processes.containsKey(tid) ? new Status(tid, 1, 0) : null;
    }

    @Override
    public byte[] environment(int process) {
      HostProcess found = processes.get(process);
      return found == null
          ? new byte[0]
          : ("AGENT_NAME=" + found.agent + '\0').getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String workingDirectory(int process) {
      return "/mnt";
    }

    @Override
    public @Nullable PlainFile file(String path) {
      return null;
    }

    @Override
    public @Nullable Watch watch(int tid) {
      HostProcess found = processes.get(tid);
      return found == null ? null : new SimWatch(found);
    }
  }

  private final class SimWatch implements ProcessTable.Watch {
    private final HostProcess process;
    private final long generation;
    private boolean closed;

    SimWatch(HostProcess process) {
      this.process = process;
      this.generation = process.generation;
    }

    @Override
    public boolean isUnchanged() {
      return !closed && process.generation == generation;
    }

    @Override
    public boolean seesExec() {
      return seesExec;
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
