package io.hypersync.model.snapshot;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.StatePages;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageReader;
import io.hypersync.model.trie.PageSource;
import io.hypersync.model.trie.PageWalker;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.model.trie.RootVersion;
import org.jspecify.annotations.Nullable;

/**
 * What a snapshot is (hypersync.md 13.1): the state at one index of the log and what a replica has
 * to know to go on from there. It has no time of day and no host, so all replicas make the same
 * one, and its hash stands for the state and all its pages. Immutable. Integers are big-endian:
 *
 * <pre>
 *   0              8           9            10
 *   +--------------+-----------+------------+
 *   | "HSMANIFE"   | format u8 | version of |
 *   |              | = 1       | roots u8   |
 *   +--------------+-----------+------------+
 *   10               26          34              42          74           82
 *   +----------------+-----------+---------------+-----------+------------+------------------+
 *   | workspace 16 B | index u64 | last time i64 | root 32 B | weight u64 | the state, as    |
 *   |                |           |               |           |            | StatePages says  |
 *   +----------------+-----------+---------------+-----------+------------+------------------+
 * </pre>
 *
 * @param workspace the workspace whose log this is
 * @param index the index of the last entry that the state has
 * @param lastTimeNs the time of that entry, in nanoseconds since 1970; 0 at index 0
 * @param weight the state's estimate of memory ({@code StateWeight}), in bytes
 * @param state the state
 */
public record Manifest(
    WorkspaceId workspace, long index, long lastTimeNs, long weight, FsState state) {
  private static final long MAGIC = 0x48534d414e494645L; // "HSMANIFE"
  private static final int FORMAT = 1;

  /** Where the workspace is. */
  private static final int WORKSPACE_AT = Long.BYTES + 2;

  /** Manifests have two references, or two small tries, besides the numbers. */
  private static final int CAPACITY = 4096;

  /** The empty filesystem of a workspace, at index 0. */
  public static Manifest genesis(WorkspaceId workspace, RootVersion version) {
    FsState state = FsState.genesis(version);
    return new Manifest(workspace, 0, 0, StateWeight.of(state), state);
  }

  /** What {@link #write} made. */
  public record Written(Hash hash, byte[] bytes) {}

  /**
   * Writes the pages and returns the manifest, which is not stored yet: that comes when all pages
   * are durable.
   */
  public Written write(PageWriter pages) {
    CanonicalWriter out = new CanonicalWriter(CAPACITY);
    out.u64(MAGIC)
        .u8(FORMAT)
        .u8(state.version().code())
        .id(workspace.high(), workspace.low())
        .u64(index)
        .u64(lastTimeNs)
        .hash(state.root())
        .u64(weight);
    StatePages.write(state, out, pages);
    byte[] bytes = out.toBytes();
    return new Written(Blake3.hash(bytes), bytes);
  }

  /**
   * The weight that a manifest states, without reading a page.
   *
   * @throws DecodeException if it is no manifest
   */
  public static long weight(byte[] manifest) throws DecodeException {
    return Header.read(new CanonicalReader(manifest)).weight;
  }

  /**
   * The time of the last entry that a manifest states, in nanoseconds since 1970, without reading a
   * page.
   *
   * @throws DecodeException if it is no manifest
   */
  public static long lastTimeNs(byte[] manifest) throws DecodeException {
    return Header.read(new CanonicalReader(manifest)).lastTimeNs;
  }

  /**
   * The workspace that a manifest states, without reading a page.
   *
   * @throws DecodeException if it is no manifest
   */
  public static WorkspaceId workspace(byte[] manifest) throws DecodeException {
    return Header.read(new CanonicalReader(manifest)).workspace;
  }

  /**
   * The index of the last entry that a manifest states, without reading a page.
   *
   * @throws DecodeException if it is no manifest
   */
  public static long index(byte[] manifest) throws DecodeException {
    return Header.read(new CanonicalReader(manifest)).index;
  }

  /**
   * The root that a manifest states, without reading a page.
   *
   * @throws DecodeException if it is no manifest
   */
  public static Hash root(byte[] manifest) throws DecodeException {
    return Header.read(new CanonicalReader(manifest)).root;
  }

  /**
   * The version of the roots that a manifest states, without reading a page.
   *
   * @throws DecodeException if it is no manifest
   */
  public static RootVersion version(byte[] manifest) throws DecodeException {
    return Header.read(new CanonicalReader(manifest)).version;
  }

  /**
   * How large the state is that a manifest stands for, without reading a page.
   *
   * @throws DecodeException if it is no manifest
   */
  public static StatePages.Size size(byte[] manifest) throws DecodeException {
    CanonicalReader in = new CanonicalReader(manifest);
    var _ = Header.read(in);
    return StatePages.size(in);
  }

  /**
   * The manifest of the same state in another workspace. No page names a workspace, so it has the
   * same pages.
   *
   * @throws DecodeException if it is no manifest
   */
  public static byte[] inWorkspace(byte[] manifest, WorkspaceId workspace) throws DecodeException {
    var _ = Header.read(new CanonicalReader(manifest));
    CanonicalWriter id = new CanonicalWriter(WorkspaceId.BYTES);
    id.id(workspace.high(), workspace.low());
    byte[] moved = manifest.clone();
    System.arraycopy(id.toBytes(), 0, moved, WORKSPACE_AT, WorkspaceId.BYTES);
    return moved;
  }

  /** What comes before the state. */
  private record Header(
      RootVersion version,
      WorkspaceId workspace,
      long index,
      long lastTimeNs,
      Hash root,
      long weight) {
    static Header read(CanonicalReader in) throws DecodeException {
      if (in.u64() != MAGIC) {
        throw new DecodeException("not the manifest of a snapshot");
      }
      int format = in.u8();
      if (format != FORMAT) {
        throw new DecodeException(
            "the manifest has format "
                + format
                + ", and this version of hypersync reads "
                + FORMAT);
      }
      int code = in.u8();
      RootVersion version = RootVersion.ofCode(code);
      if (version == null) {
        throw new DecodeException("the manifest has roots of the unknown version " + code);
      }
      return new Header(
          version, new WorkspaceId(in.u64(), in.u64()), in.size(), in.u64(), in.hash(), in.size());
    }
  }

  /** How the pages of a manifest are read. */
  @FunctionalInterface
  public interface Pages {
    /** A reader for tries with hashes of this version. */
    PageReader reader(RootVersion version, PageSource source);
  }

  /**
   * Reads a manifest and its pages.
   *
   * @param bytes the manifest, whose hash has been checked
   * @param workspace the workspace that it must be of
   * @param pages {@code PageCache.reader}, {@link PageReader#verifying} or {@link
   *     PageReader#verifyingAndMarking}
   * @throws DecodeException if it is no manifest, is of another workspace, or the state that its
   *     pages give has another root than it says
   * @throws PageMissingException if a page is not there, or is damaged
   */
  public static Manifest read(byte[] bytes, WorkspaceId workspace, Pages pages, PageSource source)
      throws DecodeException, PageMissingException {
    return read(bytes, workspace, pages, source, null);
  }

  /**
   * Reads a manifest beside another state of the workspace: what is equal is taken from there, so
   * this reads, and adds to the heap, about what differs ({@link PageReader#sharing}). Every hash
   * of what is read is computed.
   *
   * @param like the other state, whose root was computed
   * @throws DecodeException as {@link #read}
   * @throws PageMissingException as {@link #read}
   */
  public static Manifest readBeside(
      FsState like, byte[] bytes, WorkspaceId workspace, PageSource source)
      throws DecodeException, PageMissingException {
    return read(bytes, workspace, PageReader::sharing, source, like);
  }

  private static Manifest read(
      byte[] bytes, WorkspaceId workspace, Pages pages, PageSource source, @Nullable FsState like)
      throws DecodeException, PageMissingException {
    CanonicalReader in = new CanonicalReader(bytes);
    Header header = Header.read(in);
    if (!header.workspace.equals(workspace)) {
      throw new DecodeException("the manifest is of workspace " + header.workspace);
    }
    FsState same = like != null && like.version() == header.version ? like : null;
    PageReader reader = pages.reader(header.version, source);
    FsState state = StatePages.read(header.version, header.weight, in, reader, same);
    in.finish();
    if (!state.root().equals(header.root)) {
      throw new DecodeException(
          "the pages give root " + state.root() + ", and the manifest says " + header.root);
    }
    return new Manifest(workspace, header.index, header.lastTimeNs, header.weight, state);
  }

  /**
   * Begins a walk over a manifest's pages and chunks; {@link PageWalker#step} goes on.
   *
   * @param bytes the manifest, whose hash has been checked
   * @param workspace the workspace that it must be of
   * @throws DecodeException if it is no manifest, or is of another workspace
   */
  public static void walk(byte[] bytes, WorkspaceId workspace, PageWalker pages)
      throws DecodeException {
    CanonicalReader in = state(bytes, workspace);
    StatePages.walk(in, pages);
    in.finish();
  }

  /**
   * Begins a walk over the pages of the orphans alone, of which there are few; none, as a rule.
   *
   * @param bytes as above
   * @param workspace as above
   * @throws DecodeException as above
   */
  public static void walkOrphans(byte[] bytes, WorkspaceId workspace, PageWalker pages)
      throws DecodeException {
    CanonicalReader in = state(bytes, workspace);
    StatePages.walkOrphans(in, pages);
    in.finish();
  }

  private static CanonicalReader state(byte[] bytes, WorkspaceId workspace) throws DecodeException {
    CanonicalReader in = new CanonicalReader(bytes);
    Header header = Header.read(in);
    if (!header.workspace.equals(workspace)) {
      throw new DecodeException("the manifest is of workspace " + header.workspace);
    }
    return in;
  }
}
