package io.hypersync.model.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.FsOp.SetAttributes;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.op.XattrMode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A state in which a test tries one op, with nodes addressed by path. Everything that the setup
 * creates belongs to 7:8 and happens at time 1; the op under test happens at {@link #NOW}. A path
 * that starts with {@code @} starts at a node remembered by {@link #remember}, so that removed
 * nodes can be addressed; {@code @nowhere} is a node that never existed.
 */
final class Scenario {
  /** Commit time of the op under test, in nanoseconds. */
  static final long NOW = 1_000;

  /** Owner of everything that the setup creates. */
  static final int UID = 7;

  /** Group of everything that the setup creates. */
  static final int GID = 8;

  private static final long SETUP_TIME = 1;

  private final Map<String, NodeId> remembered = new HashMap<>();
  private final Map<Hash, String> chunkNames = new HashMap<>();
  private FsState state = FsState.genesis();
  private long nextNode = 100;

  Scenario() {
    remembered.put("@nowhere", new NodeId(-1, -1));
    chunkNames.put(ChunkRef.EMPTY.hash(), "nothing");
  }

  // The state.

  FsState state() {
    return state;
  }

  NodeId at(String path) {
    String[] parts = path.split("/", -1);
    NodeId id =
        parts[0].isEmpty() ? FsState.ROOT : Objects.requireNonNull(remembered.get(parts[0]));
    for (int i = 1; i < parts.length && !parts[i].isEmpty(); i++) {
      Node directory = Objects.requireNonNull(state.node(id), path);
      id = Objects.requireNonNull(state.lookup(directory, Name.of(parts[i])), path).id();
    }
    return id;
  }

  StateText text() {
    return StateText.of(state, chunkNames);
  }

  // Setup.

  /** Applies an op that must succeed. */
  Scenario did(FsOp op) {
    return did(op, SETUP_TIME);
  }

  /** The same at another time. */
  Scenario did(FsOp op, long time) {
    Outcome outcome = FsStateMachine.apply(state, op, new Stamp(time, newNode()));
    switch (outcome) {
      case Outcome.Applied(FsState next) -> state = next;
      case Outcome.Failed failed -> fail(op + " in the setup: " + failed);
    }
    return this;
  }

  Scenario dir(String path) {
    return did(mkdir(path, 0755));
  }

  Scenario dir(String path, int mode) {
    return did(mkdir(path, mode));
  }

  Scenario file(String path) {
    return did(create(path, 0644));
  }

  Scenario file(String path, int mode) {
    return did(create(path, mode));
  }

  Scenario link(String path, String target) {
    return did(symlink(path, target));
  }

  Scenario special(String path, NodeType type, int mode) {
    return did(mknod(path, type, mode, 0));
  }

  Scenario remember(String name, String path) {
    remembered.put(name, at(path));
    return this;
  }

  /** Creates a file and unlinks it, as if a process still had it open. */
  Scenario orphan(String name) {
    return file("/orphan").remember(name, "/orphan").did(unlink("/orphan"));
  }

  /** Creates a directory and removes it, as if it were still the working directory of a process. */
  Scenario removedDir(String name) {
    return dir("/removed").remember(name, "/removed").did(rmdir("/removed"));
  }

  /**
   * Applies the op under test.
   *
   * @return the errno, or the changes line by line
   */
  String outcome(FsOp op) {
    StateText before = text();
    FsState old = state;
    Outcome outcome = FsStateMachine.apply(old, op, new Stamp(NOW, newNode()));
    return switch (outcome) {
      case Outcome.Failed failed -> failed.errno().name();
      case Outcome.Applied(FsState next) -> {
        Fsck.check(next, op.toString());
        state = old;
        assertEquals(List.of(), before.changesTo(text(), NOW), "the older state changed");
        state = next;
        yield String.join("\n", before.changesTo(text(), NOW));
      }
    };
  }

  // Ops by path.

  FsOp create(String path, int mode) {
    return new FsOp.CreateFile(parent(path), name(path), mode, UID, GID);
  }

  FsOp mkdir(String path, int mode) {
    return new FsOp.MakeDir(parent(path), name(path), mode, UID, GID);
  }

  FsOp symlink(String path, String target) {
    return new FsOp.MakeSymlink(parent(path), name(path), ascii(target), UID, GID);
  }

  FsOp mknod(String path, NodeType type, int mode, int rdev) {
    return new FsOp.MakeNode(parent(path), name(path), type, mode, UID, GID, rdev);
  }

  FsOp hardLink(String from, String to) {
    return new FsOp.Link(at(from), parent(to), name(to));
  }

  FsOp unlink(String path) {
    return new FsOp.Unlink(parent(path), name(path));
  }

  FsOp rmdir(String path) {
    return new FsOp.RemoveDir(parent(path), name(path));
  }

  FsOp rename(String from, String to, RenameMode mode) {
    return new FsOp.Rename(parent(from), name(from), parent(to), name(to), mode);
  }

  FsOp write(String path, long offset, ChunkRef... chunks) {
    return new FsOp.Write(at(path), WriteMode.PWRITE, offset, List.of(chunks), false);
  }

  FsOp writeAndKill(String path, long offset, ChunkRef... chunks) {
    return new FsOp.Write(at(path), WriteMode.PWRITE, offset, List.of(chunks), true);
  }

  FsOp append(String path, long offset, ChunkRef... chunks) {
    return new FsOp.Write(at(path), WriteMode.APPEND, offset, List.of(chunks), false);
  }

  FsOp truncate(String path, long size) {
    return new FsOp.Truncate(at(path), size, false);
  }

  FsOp truncateAndKill(String path, long size) {
    return new FsOp.Truncate(at(path), size, true);
  }

  FsOp set(String path, int mask, int mode, int uid, int gid, long mtimeNs) {
    return new SetAttributes(at(path), mask, mode, uid, gid, mtimeNs);
  }

  FsOp setXattr(String path, String name, ChunkRef value, XattrMode mode) {
    return new FsOp.SetXattr(at(path), ascii(name), value, mode);
  }

  FsOp removeXattr(String path, String name) {
    return new FsOp.RemoveXattr(at(path), ascii(name));
  }

  FsOp reap(String... paths) {
    return new FsOp.ReapOrphans(Arrays.stream(paths).map(this::at).toList());
  }

  /** A chunk that appears in texts under this name. */
  ChunkRef chunk(String name, int length) {
    Hash hash = Blake3.hash(ascii(name + length));
    chunkNames.put(hash, name);
    return new ChunkRef(hash, length);
  }

  private NodeId newNode() {
    // Scattered, like random ids.
    return new NodeId(nextNode++ * 0x9e3779b97f4a7c15L, 1);
  }

  private NodeId parent(String path) {
    return at(path.substring(0, path.lastIndexOf('/')) + (path.startsWith("/") ? "/" : ""));
  }

  private static Name name(String path) {
    return Name.of(path.substring(path.lastIndexOf('/') + 1));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
