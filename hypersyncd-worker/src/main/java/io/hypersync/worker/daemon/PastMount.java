package io.hypersync.worker.daemon;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.UsedChunks;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.PageCache;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.worker.coherence.Invalidations;
import io.hypersync.worker.coherence.View;
import io.hypersync.worker.fuse.abi.InitFlag;
import io.hypersync.worker.fuse.dev.FuseMount;
import io.hypersync.worker.fuse.dev.FuseMountOptions;
import io.hypersync.worker.fuse.dev.MountFolder;
import io.hypersync.worker.fuse.dev.PastGuard;
import io.hypersync.worker.fuse.session.FuseSession;
import io.hypersync.worker.fuse.session.FuseSessionOptions;
import io.hypersync.worker.lock.HeldLocks;
import io.hypersync.worker.replica.IndexedState;
import io.hypersync.worker.vfs.CachePolicy;
import io.hypersync.worker.vfs.KernelInodes;
import io.hypersync.worker.vfs.Mutations;
import io.hypersync.worker.vfs.Vfs;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One state of the past, mounted read-only: a session of its own with the kernel, which may cache
 * everything for ever.
 */
final class PastMount implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PastMount.class);
  private static final Duration WATCH_INTERVAL = Duration.ofMillis(250);

  /** Fewer than the workspace's own mount has: a few processes look at the past. */
  private static final int READERS = 2;

  private static final long NS_PER_MS = 1_000_000;

  private final String at;
  private final Manifest state;
  private final PageCache memory;
  private final KernelInodes inodes = new KernelInodes();
  private final Vfs vfs;
  private final FuseSession session;
  private final MountFolder folder;
  private final @Nullable PastGuard guard;
  private final Instant since;

  private PastMount(
      String at,
      Manifest state,
      PageCache memory,
      Parts parts,
      MountFolder folder,
      FuseMount mount,
      FuseSession session) {
    this.at = at;
    this.state = state;
    this.memory = memory;
    this.session = session;
    this.folder = folder;
    View view =
        new View(
            new IndexedState(state.index(), state.state(), state.state().root()),
            Invalidations.NONE);
    this.vfs =
        new Vfs(
            () -> view,
            inodes,
            parts.mutations,
            new KernelLocks(new HeldLocks()),
            parts.chunks,
            parts.recent,
            new ProcCallers(),
            () -> 0,
            _ -> {},
            CachePolicy.OF_THE_PAST,
            Clock.SYSTEM);
    this.guard = guard(mount, folder);
    this.since = Instant.ofEpochMilli(Clock.SYSTEM.epochNs() / NS_PER_MS);
  }

  /** What it shares with the worker's own mount. */
  record Parts(Mutations mutations, ChunkStore chunks, UsedChunks recent) {}

  /**
   * Mounts a state.
   *
   * @param at how somebody has named the state
   * @param folder claimed for it; this owns it if it returns
   * @throws IOException if it cannot be mounted
   */
  static PastMount mount(
      String at,
      Manifest state,
      PageCache memory,
      Parts parts,
      MountFolder folder,
      FuseMountOptions options)
      throws IOException {
    folder.prepare();
    FuseMount mount = FuseMount.mount(folder.point(), options);
    folder.mounted();
    FuseSession session = FuseSession.connect(mount, sessionOptions());
    PastMount mounted = new PastMount(at, state, memory, parts, folder, mount, session);
    session.serve(mounted.vfs);
    return mounted;
  }

  /** Without the flags for locks the kernel keeps locks by itself. */
  private static FuseSessionOptions sessionOptions() {
    FuseSessionOptions usual = FuseSessionOptions.defaults();
    Set<InitFlag> flags = EnumSet.copyOf(usual.flags());
    flags.remove(InitFlag.POSIX_LOCKS);
    flags.remove(InitFlag.FLOCK_LOCKS);
    return usual.withReaders(READERS).withFlags(flags);
  }

  private static @Nullable PastGuard guard(FuseMount mount, MountFolder folder) {
    if (mount.device().isEmpty()) {
      LOG.warn("should this worker be killed, {} stays: it has no device number", folder.point());
      return null;
    }
    try {
      return PastGuard.start(ProcessHandle.current().pid(), mount.device().getAsLong(), folder);
    } catch (IOException e) {
      LOG.warn(
          "should this worker be killed, {} stays: {}", folder.point(), FileProblems.describe(e));
      return null;
    }
  }

  /** Waits until it is unmounted, by whomever. */
  void awaitEnd() throws InterruptedException {
    while (session.awaitEnd(WATCH_INTERVAL).isEmpty()) {
      inodes.drainChanged(_ -> {}); // no leader reaps what is open here
    }
  }

  Path point() {
    return folder.point();
  }

  long index() {
    return state.index();
  }

  /** For {@code docs/json.md}. */
  ObjectNode json() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("mount", point().toString())
        .put("at", at)
        .put("index", state.index())
        .put("root", state.state().root().toString())
        .put("time", Instant.ofEpochMilli(state.lastTimeNs() / NS_PER_MS).toString())
        .put("since", since.toString())
        .put("kernel_inodes", inodes.size())
        .put("open_handles", vfs.openHandles())
        .put("page_memory_bytes", memory.bytes());
  }

  /** Unmounts it, if it is mounted. */
  @Override
  public void close() {
    try {
      session.close();
      if (guard != null) { // if the unmount fails it stays, and ends after this process
        guard.close();
      }
    } catch (IOException e) {
      LOG.warn("while unmounting {}: {}", point(), FileProblems.describe(e));
    }
    folder.close();
  }
}
