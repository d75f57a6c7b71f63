package io.hypersync.cli.practice;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.chunkstore.UsedChunks;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.RestoredStates;
import io.hypersync.model.trie.DirtyMemory;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.agent.Entropy;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.schedule.SnapshotManager;
import io.hypersync.worker.WorkerAgent;
import io.hypersync.worker.WorkerConfig;
import io.hypersync.worker.WorkerStart;
import io.hypersync.worker.cache.ChunkCache;
import io.hypersync.worker.coherence.CachedName;
import io.hypersync.worker.coherence.Growth;
import io.hypersync.worker.coherence.MovedDirectory;
import io.hypersync.worker.coherence.PageRange;
import io.hypersync.worker.dataplane.ReceivedBlock;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.fuse.session.FuseHandler;
import io.hypersync.worker.intents.Mutation;
import io.hypersync.worker.intents.WaitingCall;
import io.hypersync.worker.lock.HeldLocks;
import io.hypersync.worker.lock.LockCall;
import io.hypersync.worker.lock.OwnerLockKey;
import io.hypersync.worker.port.ApplyListener;
import io.hypersync.worker.port.CacheNotifier;
import io.hypersync.worker.port.InstallPort;
import io.hypersync.worker.port.LeaderLink;
import io.hypersync.worker.port.Surroundings;
import io.hypersync.worker.port.WorkerChunks;
import io.hypersync.worker.replica.IndexedState;
import io.hypersync.worker.snapshot.WorkerSnapshots;
import io.hypersync.worker.vfs.CachePolicy;
import io.hypersync.worker.vfs.KernelInodes;
import io.hypersync.worker.vfs.Locks;
import io.hypersync.worker.vfs.Mutations;
import io.hypersync.worker.vfs.Vfs;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The worker's agent and the filesystem that it serves, with a chunk store in memory. */
final class WorkerSide {
  private static final long ROOM_BYTES = 1L << 40;

  private final ChunkStore store = new InMemoryChunkStore();
  private final Turns turns;
  private final WorkerAgent agent;
  private final Vfs vfs;

  WorkerSide(
      WorkspaceId workspace,
      WorkerId worker,
      LeaderLink link,
      Turns turns,
      Clock clock,
      Entropy entropy) {
    this.turns = turns;
    KernelInodes inodes = new KernelInodes();
    this.agent =
        new WorkerAgent(
            WorkerConfig.of(workspace, worker),
            WorkerStart.empty(workspace, DirtyMemory.ofEverything(), RestoredStates.NONE),
            new WorkerSnapshots(SnapshotManager.none(workspace)),
            ChunkCache.none(),
            new NoInstalls(),
            link,
            new Chunks(),
            inodes,
            inodes,
            new NoKernelCaches(),
            _ -> false,
            new Shown(),
            Surroundings.NONE,
            clock,
            entropy,
            _ -> {});
    this.vfs =
        new Vfs(
            agent::view,
            inodes,
            new AtAgent(),
            new LocksAtAgent(),
            store,
            UsedChunks.none(),
            _ -> new int[0],
            () -> ROOM_BYTES,
            _ -> {},
            new CachePolicy(true, true, true, false),
            clock);
  }

  WorkerAgent agent() {
    return agent;
  }

  /** What serves the requests. */
  FuseHandler filesystem() {
    return vfs;
  }

  private final class Chunks implements WorkerChunks {
    @Override
    public Presence presence(Hash hash) {
      return store.contains(hash) ? Presence.VERIFIED : Presence.MISSING;
    }

    @Override
    public void verify(ChunkRef chunk) {
      turns.later(() -> agent().chunkStored(chunk.hash()));
    }

    @Override
    public void read(Hash hash) {
      byte[] bytes = store.getVerified(hash);
      turns.later(() -> agent().chunkRead(hash, bytes));
    }

    @Override
    public void storeInline(List<ChunkRef> chunks, byte[] payload) {
      List<Chunk> pieces = Chunk.split(chunks, payload, ref -> !store.contains(ref.hash()));
      pieces.forEach(Chunk::requireIntact);
      store.putAll(pieces);
    }

    @Override
    public void ingest(Hash hash, byte[] bytes) {
      Chunk chunk = Chunk.verified(hash, bytes);
      store.put(chunk.hash(), chunk.bytes());
      turns.later(() -> agent().chunkStored(hash));
    }

    @Override
    public void decode(ReceivedBlock block) {
      throw new IllegalStateException("there are no symbols here");
    }
  }

  private final class Shown implements ApplyListener {
    @Override
    public void applied(LogEntry entry, FsState before, FsState after) {
      vfs.shown(entry, after);
    }

    @Override
    public void replaced(IndexedState before, IndexedState after) {
      throw new IllegalStateException("there are no snapshots here");
    }
  }

  /** Calls go to the agent at once: the thread is its own. */
  private final class AtAgent implements Mutations {
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
      agent.whenWritable(call, refused);
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
      return false;
    }

    @Override
    public void whenRead(Runnable ready) {
      ready.run();
    }

    @Override
    public void whenFresh(WaitingCall call) {
      agent.whenFresh(call);
    }

    @Override
    public void whenCurrent(WaitingCall call) {
      agent.whenCurrent(call);
    }

    @Override
    public boolean hasLostName(NodeId node) {
      return agent.hasLostName(node);
    }

    @Override
    public void whenSettled(long index, Runnable ready) {
      agent.whenSettled(index, ready);
    }

    @Override
    public void submit(Mutation mutation) {
      agent.submit(mutation);
    }

    @Override
    public void fsync(NodeId node, WaitingCall call) {
      agent.fsync(node, call);
    }

    @Override
    public void fetchAgain(List<ChunkRef> chunks, Runnable ready, Consumer<Errno> failed) {
      agent.fetchAgain(chunks, ready, failed);
    }

    @Override
    public void interrupted(RequestId unique, int pid) {
      agent.interrupted(unique, pid);
    }
  }

  private final class LocksAtAgent implements Locks {
    @Override
    public HeldLocks heldLocks() {
      return agent.heldLocks();
    }

    @Override
    public void submit(LockCall call) {
      agent.lock(call);
    }

    @Override
    public void release(OwnerLockKey key, Runnable done) {
      agent.locks().release(key, done);
    }

    @Override
    public void interrupted(RequestId unique) {
      agent.locks().interrupt(unique);
    }
  }

  /** A kernel that forgets at once, in the next turn. */
  private final class NoKernelCaches implements CacheNotifier {
    @Override
    public boolean dropAttributes(InodeNo inode) {
      return true;
    }

    @Override
    public void dropNames(long ticket, List<CachedName> dropped, List<CachedName> expired) {
      forgotten(ticket);
    }

    @Override
    public void loosenNames(long ticket, List<InodeNo> inodes, boolean missing) {
      forgotten(ticket);
    }

    @Override
    public void dropContents(
        long ticket, List<InodeNo> attributes, List<PageRange> pages, @Nullable Growth growth) {
      forgotten(ticket);
    }

    @Override
    public void dropListing(long ticket, InodeNo inode) {
      forgotten(ticket);
    }

    @Override
    public void followMoves(long ticket, List<MovedDirectory> moved) {
      forgotten(ticket);
    }

    @Override
    public void refreshOwner(long ticket, InodeNo inode) {
      forgotten(ticket);
    }

    @Override
    public void expireAll(long ticket) {
      forgotten(ticket);
    }

    @Override
    public void followAll(long ticket, FsState before, FsState after) {
      forgotten(ticket);
    }

    @Override
    public void prune(List<InodeNo> inodes) {}

    private void forgotten(long ticket) {
      turns.later(() -> agent().dropped(ticket));
    }
  }

  private static final class NoInstalls implements InstallPort {
    @Override
    public byte[] get(Hash page) throws PageMissingException {
      throw new PageMissingException(page, "is not here");
    }

    @Override
    public void received(Snapshot snapshot) {
      throw none();
    }

    @Override
    public void install(Snapshot snapshot) {
      throw none();
    }

    @Override
    public Manifest begin(Snapshot snapshot) {
      throw none();
    }

    @Override
    public void end(String why, String hint) {
      throw new IllegalStateException(why);
    }

    private static IllegalStateException none() {
      return new IllegalStateException("there are no snapshots here");
    }
  }
}
