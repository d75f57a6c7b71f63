package io.hypersync.model.restore;

import io.hypersync.model.difference.StateDifference.Limits;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.AllocateMode;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.FsOp.SetAttributes;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.op.XattrMode;
import io.hypersync.model.state.Extent;
import io.hypersync.model.state.FileContent;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeAttributes;
import io.hypersync.model.state.Xattr;
import io.hypersync.model.trie.MerkleTrie;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.model.trie.TrieKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The ops of each action of a plan. Bytes are named by their chunks, which the store has: nothing
 * is copied. A write maps whole chunks only; where a file has a part of one, the chunk is written
 * into a file without a name, and the part is copied from there. Not thread-safe.
 */
public final class RestoreSteps {
  /** A worker fetches the chunks of an entry before it applies it: as many as other writes have. */
  private static final int CHUNKS_PER_OP = 16;

  private static final byte[] CAPABILITY =
      "security.capability".getBytes(StandardCharsets.US_ASCII);

  /** About what a step takes on the heap. */
  private static final long HEAP_PER_STEP = 400;

  private static final int MOST_LENGTHS = 4_096;

  private final RestorePlan plan;
  private final RootVersion version;
  private final ChunkLengths chunks;
  private final Limits limits;

  /** Chunks that were looked at for the steps that are not done yet, and their lengths. */
  private final Map<Hash, Integer> lengths = new HashMap<>();

  private long taken;

  /** Access to the chunks. */
  @FunctionalInterface
  public interface ChunkLengths {
    /**
     * The length of a chunk, in bytes.
     *
     * @throws LostChunkException if it is not there, or cannot be read
     */
    int length(Hash chunk) throws LostChunkException;
  }

  /** A chunk cannot be read. */
  public static final class LostChunkException extends Exception {
    private static final long serialVersionUID = 1;

    /** Names the chunk. */
    public LostChunkException(Hash chunk) {
      super("chunk " + chunk + " cannot be read");
    }
  }

  /** A part of a chunk that is to be mapped at an offset of the file. */
  private record Part(Extent extent, int chunkLength) {
    ChunkRef chunk() {
      return new ChunkRef(extent.chunk(), chunkLength);
    }
  }

  /**
   * The ops of a plan.
   *
   * @param version of the roots of the states that the plan is made of
   * @param chunks says that a chunk is there before an op names it
   * @param limits asked for the memory of steps
   */
  public RestoreSteps(RestorePlan plan, RootVersion version, ChunkLengths chunks, Limits limits) {
    this.limits = limits;
    this.plan = plan;
    this.version = version;
    this.chunks = chunks;
  }

  /**
   * The ops of an action, in their order. If the guards of one of them do not hold, those behind it
   * must not be done.
   *
   * @throws LostChunkException if a chunk is not there: then nothing of the action may be done
   */
  public List<GuardedOps> of(RestoreAction action) throws LostChunkException {
    return switch (action) {
      case RestoreAction.Names names -> List.of(names.ops());
      case RestoreAction.Make make -> made(make);
      case RestoreAction.Change change -> changed(change);
    };
  }

  private List<GuardedOps> made(RestoreAction.Make make) throws LostChunkException {
    List<GuardedOps> steps = new ArrayList<>();
    NodeId node = make.node();
    Node then = make.then();
    if (then.type() != NodeType.FILE) {
      add(steps, make.named());
      xattrs(node, make.at(), MerkleTrie.empty(), then, false, steps);
      return steps;
    }
    NodeAttributes attributes = then.attributes();
    add(
        steps,
        GuardedOps.unnamed(
            new FsOp.MakeTemporary(
                make.parent(), attributes.mode(), attributes.uid(), attributes.gid()),
            node));
    content(node, null, FileContent.EMPTY, 0, then, steps);
    add(steps, GuardedOps.on(node, null, attributes(node, then, RestorePlanner.ATTRIBUTES)));
    xattrs(node, null, MerkleTrie.empty(), then, false, steps);
    add(steps, make.named());
    return steps;
  }

  static FsOp attributes(NodeId node, Node then, int mask) {
    NodeAttributes to = then.attributes();
    return new SetAttributes(node, mask, to.mode(), to.uid(), to.gid(), to.mtimeNs());
  }

  private List<GuardedOps> changed(RestoreAction.Change change) throws LostChunkException {
    List<GuardedOps> steps = new ArrayList<>();
    NodeId node = change.node();
    NameGuard at = change.at();
    Node now = change.now();
    Node then = change.then();
    int mask = SameNode.mask(now, then);
    boolean takesCapability = false;
    if (now.content() instanceof FileContent content
        && !SameNode.isSameContent(now, then, version)) {
      int open = meanwhile(now.attributes(), then.attributes());
      if (open != now.attributes().mode()) {
        FsOp close = new SetAttributes(node, SetAttributes.MODE, open, 0, 0, 0);
        add(steps, GuardedOps.on(node, at, close));
        mask |= SetAttributes.MODE;
      }
      content(node, at, content, now.attributes().size(), then, steps);
      mask |= SetAttributes.MTIME;
      takesCapability = true;
    }
    if ((mask & (SetAttributes.UID | SetAttributes.GID)) != 0) {
      mask |= SetAttributes.MODE; // a change of the owner clears bits of it
      takesCapability |= now.type() != NodeType.DIRECTORY;
    }
    if (mask != 0) {
      add(steps, GuardedOps.on(node, at, attributes(node, then, mask)));
    }
    xattrs(node, at, now.xattrs(), then, takesCapability, steps);
    return steps;
  }

  /**
   * The mode of a file while its content is changed, entry by entry: nobody may read what only the
   * one or only the other mode allows, and nobody may run a mixture with another's rights. If the
   * owner is another one, then the bits mean others, too: so nobody.
   */
  private static int meanwhile(NodeAttributes now, NodeAttributes then) {
    boolean isSameOwner = now.uid() == then.uid() && now.gid() == then.gid();
    return isSameOwner ? now.mode() & then.mode() & 0777 : 0;
  }

  /**
   * Changes the extended attributes: first those that get smaller, because there is a limit of what
   * all of a node may take.
   *
   * @param takesCapability whether the steps before have removed file capabilities, as any change
   *     of content or owner does
   */
  private void xattrs(
      NodeId node,
      @Nullable NameGuard at,
      MerkleTrie<Xattr> now,
      Node then,
      boolean takesCapability,
      List<GuardedOps> steps)
      throws LostChunkException {
    for (Xattr xattr : now) {
      boolean isGone = takesCapability && Arrays.equals(xattr.name(), CAPABILITY);
      if (!isGone && then.xattrs().get(xattr.key()) == null) {
        add(steps, GuardedOps.on(node, at, new FsOp.RemoveXattr(node, xattr.name())));
      }
    }
    for (boolean grows : new boolean[] {false, true}) {
      for (Xattr xattr : then.xattrs()) {
        boolean isGone = takesCapability && Arrays.equals(xattr.name(), CAPABILITY);
        Xattr old = isGone ? null : now.get(xattr.key());
        boolean isLarger = old == null || xattr.value().length() > old.value().length();
        boolean isChanged = old == null || !old.value().equals(xattr.value());
        if (isChanged && isLarger == grows) {
          if (xattr.value().length() > 0) {
            var _ = length(xattr.value().hash());
          }
          FsOp set = new FsOp.SetXattr(node, xattr.name(), xattr.value(), XattrMode.SET);
          add(steps, GuardedOps.on(node, at, set));
        }
      }
    }
  }

  /**
   * Changes the content: first the size, then holes, then what is mapped. So every byte that is the
   * same stays mapped all the time.
   */
  private void content(
      NodeId node,
      @Nullable NameGuard at,
      FileContent now,
      long nowSize,
      Node then,
      List<GuardedOps> steps)
      throws LostChunkException {
    long size = then.attributes().size();
    FileContent wanted = (FileContent) then.content();
    if (nowSize != size) {
      add(steps, GuardedOps.on(node, at, new FsOp.Truncate(node, size, false)));
    }
    long end = 0;
    List<Extent> missing = new ArrayList<>();
    for (Extent extent : wanted.extents()) {
      punch(node, at, now, end, extent.offset(), steps);
      end = extent.end();
      if (!isMapped(now, extent)) {
        missing.add(extent);
      }
    }
    punch(node, at, now, end, size, steps);
    List<ChunkRef> run = new ArrayList<>();
    long begin = 0;
    long next = 0;
    List<Part> parts = new ArrayList<>();
    for (Extent extent : missing) {
      int length = length(extent.chunk());
      if (extent.chunkOffset() != 0 || extent.length() != length) {
        parts.add(new Part(extent, length));
        continue;
      }
      if (!run.isEmpty() && (next != extent.offset() || run.size() == CHUNKS_PER_OP)) {
        add(steps, write(node, at, begin, run));
        run.clear();
      }
      if (run.isEmpty()) {
        begin = extent.offset();
      }
      run.add(new ChunkRef(extent.chunk(), length));
      next = extent.end();
    }
    if (!run.isEmpty()) {
      add(steps, write(node, at, begin, run));
    }
    parts(node, at, parts, steps);
  }

  private static GuardedOps write(
      NodeId node, @Nullable NameGuard at, long offset, List<ChunkRef> run) {
    return GuardedOps.on(node, at, new FsOp.Write(node, WriteMode.PWRITE, offset, run, false));
  }

  private static boolean isMapped(FileContent now, Extent extent) {
    Extent there = now.extents().get(TrieKey.of(extent.offset()));
    return there != null
        && there.length() == extent.length()
        && there.chunkOffset() == extent.chunkOffset()
        && there.chunk().equals(extent.chunk());
  }

  /** Makes a hole, unless there is one. */
  private void punch(
      NodeId node,
      @Nullable NameGuard at,
      FileContent now,
      long from,
      long to,
      List<GuardedOps> steps) {
    if (from >= to) {
      return;
    }
    Iterator<Extent> there = now.from(from);
    if (there.hasNext() && there.next().offset() < to) {
      add(
          steps,
          GuardedOps.on(
              node, at, new FsOp.Allocate(node, AllocateMode.PUNCH_HOLE, from, to - from, false)));
    }
  }

  /** Copies parts of chunks from a file without a name, which gets some chunks at a time. */
  private void parts(
      NodeId node, @Nullable NameGuard at, List<Part> parts, List<GuardedOps> steps) {
    if (parts.isEmpty()) {
      return;
    }
    NodeId from = plan.ids().next();
    add(steps, GuardedOps.unnamed(new FsOp.MakeTemporary(FsState.ROOT, 0, 0, 0), from));
    int first = 0;
    while (first < parts.size()) {
      Map<Hash, Long> begins = new HashMap<>();
      List<ChunkRef> some = new ArrayList<>();
      long end = 0;
      int next = first;
      while (next < parts.size()) {
        Part part = parts.get(next);
        if (!begins.containsKey(part.extent().chunk())) {
          if (some.size() == CHUNKS_PER_OP) {
            break;
          }
          begins.put(part.extent().chunk(), end);
          some.add(part.chunk());
          end += part.chunkLength();
        }
        next++;
      }
      add(steps, write(from, null, 0, some));
      for (Part part : parts.subList(first, next)) {
        Extent extent = part.extent();
        long begin = begins.getOrDefault(extent.chunk(), 0L);
        FsOp copy =
            new FsOp.CopyRange(
                from, begin + extent.chunkOffset(), node, extent.offset(), extent.length(), false);
        add(steps, GuardedOps.on(node, at, copy));
      }
      first = next;
    }
  }

  private void add(List<GuardedOps> steps, GuardedOps step) {
    limits.heap(HEAP_PER_STEP);
    taken += HEAP_PER_STEP;
    steps.add(step);
  }

  /** The steps so far are done: gives back the memory that they took. */
  public void done() {
    limits.heap(-taken);
    taken = 0;
    lengths.clear();
  }

  /** The length of a chunk; one that many extents have parts of is read once. */
  private int length(Hash chunk) throws LostChunkException {
    Integer known = lengths.get(chunk);
    if (known != null) {
      return known;
    }
    int length = chunks.length(chunk);
    if (lengths.size() >= MOST_LENGTHS) {
      lengths.clear();
    }
    lengths.put(chunk, length);
    return length;
  }
}
