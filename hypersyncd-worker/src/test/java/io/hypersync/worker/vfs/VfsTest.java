package io.hypersync.worker.vfs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.CollectionRun;
import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.chunkstore.UsedChunks;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.state.Node;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.wire.message.WorkerMessage.LockRequest.Wish;
import io.hypersync.worker.fuse.abi.FuseFlags;
import io.hypersync.worker.fuse.abi.FuseFlags.SetAttrValid;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseLock;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.protocol.RequestHeader;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.lock.LockCall;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of the kernel and their replies. */
class VfsTest {
  private static final int O_RDWR = 2;
  private static final int O_EXCL = 0200;
  private static final int O_TRUNC = 01000;
  private static final int O_WRONLY = 1;
  private static final int O_APPEND = 02000;
  private static final int O_DIRECT = 040000;
  private static final int KEEP_SIZE = 1;
  private static final int PUNCH_HOLE = 2;
  private static final int ZERO_RANGE = 16;
  private static final int SEEK_DATA = 3;
  private static final int SEEK_HOLE = 4;
  private static final int WRITING =
      FuseFlags.OpenReply.DIRECT_IO | FuseFlags.OpenReply.PARALLEL_DIRECT_WRITES;

  private final TestTree tree = new TestTree();
  private final TestLocks locks = new TestLocks();
  private final InMemoryChunkStore chunks = new InMemoryChunkStore();
  private final KernelInodes inodes = new KernelInodes();
  private final List<InodeNo> dropped = new ArrayList<>();
  private final Vfs vfs = vfs(new CachePolicy(false, false, false, false));
  private InodeNo file = InodeNo.ROOT;
  private InodeNo directory = InodeNo.ROOT;

  private Vfs vfs(CachePolicy policy) {
    return new Vfs(
        tree::view,
        inodes,
        tree,
        locks,
        chunks,
        UsedChunks.none(),
        _ -> new int[] {50},
        () -> 1_000_000,
        dropped::add,
        policy,
        Clock.SYSTEM);
  }

  @BeforeEach
  void aFileAndADirectory() {
    file = known(tree.file("file"));
    directory = known(tree.directory("dir"));
  }

  static Stream<Arguments> onTheRoot() {
    byte[] longName = "x".repeat(256).getBytes(StandardCharsets.US_ASCII);
    return Stream.of(
        row(new FuseOperation.Lookup(name("file")), "entry"),
        row(new FuseOperation.Lookup(name("none")), "ENOENT"),
        row(new FuseOperation.Lookup(name("..")), "EINVAL"),
        row(new FuseOperation.Lookup(longName), "ENAMETOOLONG"),
        row(new FuseOperation.GetAttr(0, FileHandle.NONE), "attr size 0 mode 40755"),
        row(new FuseOperation.ReadLink(), "EINVAL"),
        row(new FuseOperation.StatFs(), "statfs"),
        row(new FuseOperation.OpenDir(0, 0), "open flags 0"),
        row(new FuseOperation.Open(O_RDWR, 0), "EISDIR"),
        row(new FuseOperation.Read(FileHandle.NONE, 0, 10, 0, FuseLockOwner.NONE, 0), "EISDIR"),
        row(new FuseOperation.MkDir(name("new"), 040755, 0), "entry"),
        row(new FuseOperation.MkDir(name("dir"), 0755, 0), "EEXIST"),
        row(new FuseOperation.MkDir(longName, 0755, 0), "ENAMETOOLONG"),
        row(new FuseOperation.MkNod(name("new"), 0100644, 0, 0), "entry"),
        row(new FuseOperation.MkNod(name("new"), 0010644, 0, 0), "entry"),
        row(new FuseOperation.MkNod(name("new"), 0040644, 0, 0), "EINVAL"),
        row(new FuseOperation.Symlink(name("new"), name("to")), "entry"),
        row(new FuseOperation.Symlink(name("new"), new byte[0]), "ENOENT"),
        row(new FuseOperation.Symlink(name("new"), new byte[4096]), "ENAMETOOLONG"),
        row(new FuseOperation.Unlink(name("file")), "ok"),
        row(new FuseOperation.Unlink(name("dir")), "EISDIR"),
        row(new FuseOperation.Unlink(name("none")), "ENOENT"),
        row(new FuseOperation.RmDir(name("dir")), "ok"),
        row(new FuseOperation.RmDir(name("file")), "ENOTDIR"),
        row(new FuseOperation.Rename(name("file"), InodeNo.ROOT, name("new"), 0), "ok"),
        row(new FuseOperation.Rename(name("file"), InodeNo.ROOT, name("dir"), 0), "EISDIR"),
        row(new FuseOperation.Rename(name("file"), InodeNo.ROOT, name("dir"), 1), "EEXIST"),
        row(new FuseOperation.Rename(name("file"), InodeNo.ROOT, name("dir"), 2), "ok"),
        row(new FuseOperation.Rename(name("file"), InodeNo.ROOT, name("new"), 2), "ENOENT"),
        row(new FuseOperation.Rename(name("file"), InodeNo.ROOT, name("new"), 4), "ENOTSUP"),
        row(new FuseOperation.Rename(name("file"), InodeNo.ROOT, name("new"), 5), "ENOTSUP"),
        row(new FuseOperation.Rename(name("file"), InodeNo.ROOT, name("new"), 8), "EINVAL"),
        row(new FuseOperation.Rename(name("file"), InodeNo.ROOT, name("new"), 3), "EINVAL"),
        row(new FuseOperation.Rename(name("file"), new InodeNo(99), name("new"), 0), "ESTALE"),
        row(new FuseOperation.Link(InodeNo.ROOT, name("new")), "EPERM"),
        row(
            new FuseOperation.Create(name("new"), O_RDWR, 0100644, 0, 0),
            "create flags " + WRITING),
        row(new FuseOperation.Create(name("new"), 0, 0644, 0, 0), "create flags 0"),
        row(new FuseOperation.Create(name("file"), 0, 0644, 0, 0), "create flags 0"),
        row(new FuseOperation.Create(name("file"), O_EXCL, 0644, 0, 0), "EEXIST"),
        row(new FuseOperation.Create(name("dir"), 0, 0644, 0, 0), "EISDIR"),
        row(new FuseOperation.SetXattr(name("user.a"), name("v"), 0, 0), "ok"),
        row(new FuseOperation.SetXattr(name("user.a"), name("v"), 1, 0), "ok"),
        row(new FuseOperation.SetXattr(name("user.a"), name("v"), 2, 0), "ENODATA"),
        row(new FuseOperation.SetXattr(name("user.a"), name("v"), 3, 0), "EINVAL"),
        row(new FuseOperation.SetXattr(name("user."), name("v"), 0, 0), "ENOTSUP"),
        row(new FuseOperation.SetXattr(name("system.a"), name("v"), 0, 0), "ENOTSUP"),
        row(new FuseOperation.SetXattr(name("user.a"), new byte[65_537], 0, 0), "E2BIG"),
        row(new FuseOperation.GetXattr(name("user.a"), 10), "ENODATA"),
        row(new FuseOperation.ListXattr(0), "xattr size 0"),
        row(new FuseOperation.RemoveXattr(name("user.a")), "ENODATA"),
        row(
            new FuseOperation.SetAttr(
                SetAttrValid.MODE, FileHandle.NONE, 0, FuseLockOwner.NONE, 0, 0, 0, 0700, 0, 0),
            "attr size 0 mode 40700"),
        row(
            new FuseOperation.SetAttr(
                SetAttrValid.SIZE, FileHandle.NONE, 5, FuseLockOwner.NONE, 0, 0, 0, 0, 0, 0),
            "EISDIR"),
        row(
            new FuseOperation.SetAttr(
                SetAttrValid.SIZE, FileHandle.NONE, -5, FuseLockOwner.NONE, 0, 0, 0, 0, 0, 0),
            "EFBIG"),
        row(new FuseOperation.FsyncDir(FileHandle.NONE, 0), "ok"),
        row(new FuseOperation.ReadDir(new FileHandle(99), 0, 100), "EBADF"),
        row(new FuseOperation.Forget(1), "nothing"),
        row(new FuseOperation.Flush(FileHandle.NONE, FuseLockOwner.NONE), "ok"),
        row(new FuseOperation.Access(0), "ENOSYS"),
        row(new FuseOperation.Ioctl(FileHandle.NONE, 0, 0, 0, new byte[0], 0), "ENOTTY"),
        row(new FuseOperation.Ioctl(FileHandle.NONE, 0, 0x40806685, 0, new byte[0], 0), "ENOTSUP"),
        row(new FuseOperation.Ioctl(FileHandle.NONE, 0, 0xc0286687, 0, new byte[0], 0), "ENOTSUP"),
        row(new FuseOperation.Ioctl(FileHandle.NONE, 0, 0x40046688, 0, new byte[0], 0), "ENOTTY"),
        row(new FuseOperation.Fallocate(FileHandle.NONE, 0, 1, 0), "EISDIR"),
        row(new FuseOperation.Lseek(FileHandle.NONE, 0, 3), "EINVAL"),
        row(new FuseOperation.Statx(0, FileHandle.NONE, 0, 0xfff), "statx mask fff btime 0 size 0"),
        row(new FuseOperation.GetXattr(name("system.a"), 10), "ENOTSUP"),
        row(new FuseOperation.Tmpfile(O_RDWR, 0600, 0, 0), "create flags " + WRITING));
  }

  @ParameterizedTest
  @MethodSource("onTheRoot")
  void theRoot(FuseOperation operation, String expected) {
    assertEquals(List.of(expected), ask(InodeNo.ROOT, operation).heard);
  }

  static Stream<Arguments> readOnly() {
    return Stream.of(
        row(new FuseOperation.MkDir(name("new"), 0755, 0), "EROFS"),
        row(new FuseOperation.Create(name("file"), 0, 0644, 0, 0), "EROFS"),
        row(new FuseOperation.Unlink(name("file")), "EROFS"),
        row(new FuseOperation.Rename(name("file"), InodeNo.ROOT, name("new"), 0), "EROFS"),
        row(new FuseOperation.SetXattr(name("user.a"), name("v"), 0, 0), "EROFS"),
        row(
            new FuseOperation.SetAttr(
                SetAttrValid.MODE, FileHandle.NONE, 0, FuseLockOwner.NONE, 0, 0, 0, 0, 0, 0),
            "EROFS"),
        row(new FuseOperation.Lookup(name("file")), "entry"),
        row(new FuseOperation.GetAttr(0, FileHandle.NONE), "attr size 0 mode 40755"));
  }

  @ParameterizedTest
  @MethodSource
  void readOnly(FuseOperation operation, String expected) {
    tree.readOnly();
    assertEquals(List.of(expected), ask(InodeNo.ROOT, operation).heard);
    assertEquals(List.of(), tree.ops);
  }

  @Test
  void aFileCannotBeOpenedForWritingWhileReadOnly() {
    tree.readOnly();
    assertEquals(List.of("EROFS"), ask(file, new FuseOperation.Open(O_RDWR, 0)).heard);
    assertEquals(List.of("open flags 0"), ask(file, new FuseOperation.Open(0, 0)).heard);
  }

  @Test
  void whatIsWrittenIsRead() {
    RecordedReply opened = ask(file, new FuseOperation.Open(O_RDWR, 0));
    assertEquals(List.of("open flags " + WRITING), opened.heard);
    write(opened.fh, 0, "hello", 0);
    write(opened.fh, 3, "P!", 0);
    write(opened.fh, 1, "+", O_APPEND);
    assertEquals(List.of("data helP!+"), read(opened.fh, 0, 100).heard);
    assertEquals(List.of("data P!"), read(opened.fh, 3, 2).heard);
    assertEquals(List.of("data "), read(opened.fh, 6, 2).heard);
    assertEquals(List.of("data "), read(opened.fh, Long.MAX_VALUE, 2).heard);
  }

  static Stream<Arguments> onAFile() {
    return Stream.of(
        row(new FuseOperation.Fallocate(FileHandle.NONE, 0, 20, 0), "ok"),
        row(new FuseOperation.Fallocate(FileHandle.NONE, 0, 20, KEEP_SIZE), "ok"),
        row(new FuseOperation.Fallocate(FileHandle.NONE, 0, 20, PUNCH_HOLE | KEEP_SIZE), "ok"),
        row(new FuseOperation.Fallocate(FileHandle.NONE, 0, 20, ZERO_RANGE), "ok"),
        row(new FuseOperation.Fallocate(FileHandle.NONE, 0, 20, ZERO_RANGE | KEEP_SIZE), "ok"),
        row(new FuseOperation.Fallocate(FileHandle.NONE, 0, 20, PUNCH_HOLE), "ENOTSUP"),
        row(new FuseOperation.Fallocate(FileHandle.NONE, 0, 20, 8), "ENOTSUP"),
        row(new FuseOperation.Fallocate(FileHandle.NONE, 0, 20, 32), "ENOTSUP"),
        row(new FuseOperation.Fallocate(FileHandle.NONE, 0, 20, 64), "ENOTSUP"),
        row(new FuseOperation.Fallocate(FileHandle.NONE, 0, 0, 0), "EINVAL"),
        row(new FuseOperation.Fallocate(FileHandle.NONE, 0, -1, 0), "EINVAL"),
        row(new FuseOperation.Fallocate(FileHandle.NONE, -1, 1, 0), "EINVAL"),
        row(new FuseOperation.Fallocate(FileHandle.NONE, 1, Long.MAX_VALUE, 0), "EFBIG"),
        row(new FuseOperation.Lseek(FileHandle.NONE, 0, SEEK_DATA), "lseek 0"),
        row(new FuseOperation.Lseek(FileHandle.NONE, 0, SEEK_HOLE), "lseek 5"),
        row(new FuseOperation.Lseek(FileHandle.NONE, 4, SEEK_HOLE), "lseek 5"),
        row(new FuseOperation.Lseek(FileHandle.NONE, 5, SEEK_HOLE), "ENXIO"),
        row(new FuseOperation.Lseek(FileHandle.NONE, 5, SEEK_DATA), "ENXIO"),
        row(new FuseOperation.Lseek(FileHandle.NONE, -1, SEEK_DATA), "ENXIO"),
        row(new FuseOperation.Lseek(FileHandle.NONE, 0, 5), "EINVAL"));
  }

  @ParameterizedTest
  @MethodSource
  void onAFile(FuseOperation operation, String expected) {
    write(FileHandle.NONE, 0, "hello", 0);
    assertEquals(List.of(expected), ask(file, operation).heard);
  }

  @Test
  void aCopyIsAsLongAsTheLeaderSays() {
    write(FileHandle.NONE, 0, "hello", 0);
    InodeNo copy = known(tree.file("copy"));
    assertEquals(List.of("copied 4"), copy(copy, 1, 2, -1).heard, "2^64-1 bytes asked for");
    assertEquals(List.of("copied 0"), copy(copy, 0, 0, 0).heard);
    assertEquals(List.of("copied 0"), copy(copy, 5, 0, 1).heard);
    assertEquals(List.of("EINVAL"), copy(file, 0, 2, 3).heard);
    assertEquals(List.of("EINVAL"), copy(copy, -1, 0, 1).heard);
    assertEquals(List.of("EFBIG"), copy(copy, 0, Long.MAX_VALUE, 2).heard);
    assertEquals(List.of("ESTALE"), copy(new InodeNo(99), 0, 0, 1).heard);
    RecordedReply read =
        ask(copy, new FuseOperation.Read(FileHandle.NONE, 0, 100, 0, FuseLockOwner.NONE, 0));
    assertEquals(List.of("data \0\0ello"), read.heard);
  }

  @Test
  void onlyAFileOfOTmpfileGetsAFirstName() {
    RecordedReply made = ask(InodeNo.ROOT, new FuseOperation.Tmpfile(O_RDWR, 0600, 0, 0));
    InodeNo inode = made.entries.getFirst().nodeId();
    assertEquals(0, made.entries.getFirst().attr().nlink());
    assertEquals(
        List.of("entry"), ask(InodeNo.ROOT, new FuseOperation.Link(inode, name("first"))).heard);
    assertEquals(
        List.of("entry"), ask(InodeNo.ROOT, new FuseOperation.Link(inode, name("second"))).heard);
    ask(InodeNo.ROOT, new FuseOperation.Unlink(name("first")));
    ask(InodeNo.ROOT, new FuseOperation.Unlink(name("second")));
    assertEquals(
        List.of("ENOENT"), ask(InodeNo.ROOT, new FuseOperation.Link(inode, name("third"))).heard);
    RecordedReply never = ask(InodeNo.ROOT, new FuseOperation.Tmpfile(O_RDWR | O_EXCL, 0600, 0, 0));
    InodeNo nameless = never.entries.getFirst().nodeId();
    assertEquals(
        List.of("ENOENT"), ask(InodeNo.ROOT, new FuseOperation.Link(nameless, name("x"))).heard);
  }

  @Test
  void opensWithODirectAreCounted() {
    ask(file, new FuseOperation.Open(O_RDWR | O_DIRECT, 0));
    ask(file, new FuseOperation.Open(O_RDWR, 0));
    ask(InodeNo.ROOT, new FuseOperation.Create(name("new"), O_RDWR | O_DIRECT, 0644, 0, 0));
    assertEquals(2, vfs.directOpens());
  }

  @Test
  void anAccessTimeLastsUntilTheKernelForgetsTheInode() {
    int both = SetAttrValid.ATIME | SetAttrValid.MTIME;
    assertEquals(7, setTimes(both, 7, 9), "atime");
    int now = SetAttrValid.ATIME_NOW | SetAttrValid.MTIME_NOW;
    setTimes(both | now, 11, 11);
    RecordedReply touched = ask(InodeNo.ROOT, new FuseOperation.Lookup(name("file")));
    assertEquals(touched.entries.getFirst().attr().mtimeNs(), atime(touched), "touched: as mtime");
    assertEquals(8, setTimes(SetAttrValid.ATIME | SetAttrValid.ATIME_NOW, 8, 0), "atime alone");
    ask(file, new FuseOperation.Forget(99));
    RecordedReply after = ask(InodeNo.ROOT, new FuseOperation.Lookup(name("file")));
    assertEquals(after.entries.getFirst().attr().mtimeNs(), atime(after), "as mtime again");
  }

  private long setTimes(int valid, long atimeNs, long mtimeNs) {
    ask(
        file,
        new FuseOperation.SetAttr(
            valid, FileHandle.NONE, 0, FuseLockOwner.NONE, atimeNs, mtimeNs, 0, 0, 0, 0));
    return atime(ask(InodeNo.ROOT, new FuseOperation.Lookup(name("file"))));
  }

  private static long atime(RecordedReply reply) {
    return reply.entries.getFirst().attr().atimeNs();
  }

  private RecordedReply copy(InodeNo target, long from, long to, long length) {
    return ask(
        file,
        new FuseOperation.CopyFileRange(
            FileHandle.NONE, from, target, FileHandle.NONE, to, length, 0));
  }

  @Test
  void aWriteOfNothingIsNoMutation() {
    assertEquals(List.of("write 0"), write(FileHandle.NONE, 5, "", 0).heard);
    assertEquals(List.of(), tree.ops);
  }

  @Test
  void aWritePastTheLargestFileIsRefused() {
    assertEquals(List.of("EFBIG"), write(FileHandle.NONE, Long.MAX_VALUE, "ab", 0).heard);
    assertEquals(List.of("EFBIG"), write(FileHandle.NONE, -1, "ab", 0).heard);
  }

  @Test
  void openWithTruncateIsOneMutation() {
    write(FileHandle.NONE, 0, "hello", 0);
    RecordedReply reply = ask(file, new FuseOperation.Open(O_RDWR | O_TRUNC, 0));
    assertEquals(List.of("open flags " + WRITING), reply.heard);
    assertEquals(2, tree.ops.size());
    assertEquals(List.of("data "), read(reply.fh, 0, 100).heard);
  }

  @Test
  void creationOfWhatIsThereTruncatesIfAsked() {
    write(FileHandle.NONE, 0, "hello", 0);
    RecordedReply reply =
        ask(InodeNo.ROOT, new FuseOperation.Create(name("file"), O_RDWR | O_TRUNC, 0644, 0, 0));
    assertEquals(List.of("create flags " + WRITING), reply.heard);
    assertEquals(0, reply.entries.getFirst().attr().size());
  }

  @ParameterizedTest
  @ValueSource(ints = {O_RDWR, O_WRONLY, O_TRUNC})
  void creationOfWhatIsThereChecksPermissions(int flags) {
    write(FileHandle.NONE, 0, "hello", 0);
    RequestHeader stranger =
        new RequestHeader(new RequestId(1), InodeNo.ROOT, 7, 7, 7, FuseOpcode.CREATE);
    RecordedReply reply = new RecordedReply();
    vfs.handle(
        new FuseRequest(stranger, new FuseOperation.Create(name("file"), flags, 0644, 0, 0)),
        reply);
    assertEquals(List.of("EACCES"), reply.heard);
    assertEquals(2, tree.ops.size(), "the write and the creation that failed: " + tree.ops);
  }

  @Test
  void sizeAndModeAreTwoMutationsAndOneAnswer() {
    RecordedReply reply =
        ask(
            file,
            new FuseOperation.SetAttr(
                SetAttrValid.SIZE | SetAttrValid.MODE,
                FileHandle.NONE,
                9,
                FuseLockOwner.NONE,
                0,
                0,
                0,
                0600,
                0,
                0));
    assertEquals(List.of("attr size 9 mode 100600"), reply.heard);
    assertEquals(2, tree.ops.size());
  }

  @Test
  void attributesOfItsOwn() {
    ask(file, new FuseOperation.SetXattr(name("user.b"), name("two"), 0, 0));
    ask(file, new FuseOperation.SetXattr(name("user.a"), new byte[0], 0, 0));
    assertEquals(
        List.of("data two"), ask(file, new FuseOperation.GetXattr(name("user.b"), 3)).heard);
    assertEquals(List.of("ERANGE"), ask(file, new FuseOperation.GetXattr(name("user.b"), 2)).heard);
    assertEquals(
        List.of("xattr size 3"), ask(file, new FuseOperation.GetXattr(name("user.b"), 0)).heard);
    assertEquals(List.of("data "), ask(file, new FuseOperation.GetXattr(name("user.a"), 9)).heard);
    assertEquals(
        List.of("data user.a\0user.b\0"), ask(file, new FuseOperation.ListXattr(100)).heard);
    assertEquals(List.of("ERANGE"), ask(file, new FuseOperation.ListXattr(5)).heard);
  }

  /** The caller waits, as for a slow disk. */
  @Test
  void whatCannotBeReadHereComesFromTheLeader() {
    Chunk chunk = write("hello");
    rot(chunk);
    List<ChunkRef> asked = new ArrayList<>();
    List<Runnable> ready = new ArrayList<>();
    tree.leadersChunks =
        (ref, then, _) -> {
          asked.add(ref);
          ready.add(then);
        };
    RecordedReply read =
        ask(file, new FuseOperation.Read(FileHandle.NONE, 1, 3, 0, FuseLockOwner.NONE, 0));
    assertEquals(List.of(), read.heard, "it waits");
    assertEquals(List.of(chunk.ref()), asked);
    chunks.put(chunk.hash(), chunk.bytes());
    ready.getFirst().run();
    assertEquals(List.of("data ell"), read.heard);
    assertEquals(1, vfs.readsThatFetched());
    ask(file, new FuseOperation.Read(FileHandle.NONE, 1, 3, 0, FuseLockOwner.NONE, 0));
    assertEquals(1, vfs.readsThatFetched(), "it is here now");
  }

  @Test
  void whatCannotBeReadAnywhereIsAnError() {
    rot(write("hello"));
    assertEquals(
        List.of("EIO"),
        ask(file, new FuseOperation.Read(FileHandle.NONE, 0, 5, 0, FuseLockOwner.NONE, 0)).heard,
        "no leader");
    List<ChunkRef> asked = new ArrayList<>();
    tree.leadersChunks =
        (ref, then, _) -> {
          asked.add(ref);
          then.run();
        };
    assertEquals(
        List.of("EIO"),
        ask(file, new FuseOperation.Read(FileHandle.NONE, 0, 5, 0, FuseLockOwner.NONE, 0)).heard);
    assertEquals(1, asked.size(), "once for each chunk: this disk does not keep what it is given");
  }

  /** What was fetched first may have left a small cache before the rest is here. */
  @Test
  void aChunkThatIsGoneAgainIsFetchedAgainAFewTimes() {
    Chunk chunk = write("hello");
    remove(chunk);
    List<ChunkRef> asked = new ArrayList<>();
    tree.leadersChunks =
        (ref, then, _) -> {
          asked.add(ref);
          if (asked.size() == 2) {
            chunks.put(chunk.hash(), chunk.bytes());
          }
          then.run();
        };
    FuseOperation.Read read =
        new FuseOperation.Read(FileHandle.NONE, 0, 5, 0, FuseLockOwner.NONE, 0);
    assertEquals(List.of("data hello"), ask(file, read).heard);
    assertEquals(1, vfs.readsThatFetched(), "a call counts once");
    remove(chunk);
    asked.addAll(List.of(chunk.ref(), chunk.ref()));
    assertEquals(List.of("EIO"), ask(file, read).heard);
    assertTrue(asked.size() < 20, asked.size() + " times");
  }

  /** It was overwritten since, and has been collected everywhere. */
  @Test
  void whatNobodyHasAnyMoreIsReadFromTheNewestState() {
    Chunk old = write("hello");
    remove(old);
    tree.leadersChunks =
        (ref, _, failed) -> {
          if (ref.hash().equals(old.hash())) {
            write("HELLO, longer"); // another call, meanwhile
          }
          failed.accept(Errno.EIO);
        };
    FuseOperation.Read read =
        new FuseOperation.Read(FileHandle.NONE, 0, 20, 0, FuseLockOwner.NONE, 0);
    assertEquals(List.of("data HELLO, longer"), ask(file, read).heard);
  }

  /** All that a read lacks is asked for at once. */
  @Test
  void aReadWaitsForItsChunksTogether() {
    Chunk first = write("hello");
    ask(file, new FuseOperation.Write(FileHandle.NONE, 9, name("you"), 0, FuseLockOwner.NONE, 0));
    Chunk second = Chunk.of(name("you"));
    remove(first);
    List<ChunkRef> asked = new ArrayList<>();
    List<Runnable> ready = new ArrayList<>();
    tree.leadersChunks =
        (ref, then, _) -> {
          asked.add(ref);
          ready.add(then);
        };
    RecordedReply read =
        ask(file, new FuseOperation.Read(FileHandle.NONE, 0, 20, 0, FuseLockOwner.NONE, 0));
    assertEquals(List.of(first.ref(), second.ref()), asked);
    chunks.put(first.hash(), first.bytes());
    ready.getFirst().run();
    assertEquals(List.of(), read.heard, "it waits for the other one");
    chunks.put(second.hash(), second.bytes());
    ready.getLast().run();
    assertEquals(List.of("data hello\0\0\0\0you"), read.heard);
    assertEquals(1, vfs.readsThatFetched());
  }

  @Test
  void theValueOfAnAttributeComesFromTheLeaderToo() {
    ask(file, new FuseOperation.SetXattr(name("user.b"), name("two"), 0, 0));
    Chunk chunk = Chunk.of(name("two"));
    rot(chunk);
    tree.leadersChunks =
        (_, then, _) -> {
          chunks.put(chunk.hash(), chunk.bytes());
          then.run();
        };
    assertEquals(
        List.of("data two"), ask(file, new FuseOperation.GetXattr(name("user.b"), 3)).heard);
  }

  /** A writer has the bytes, so the leader need not be asked for them. */
  @Test
  void aWriteOfTheSameBytesRepairsWhatHasRotten() {
    Chunk chunk = write("hello");
    rot(chunk);
    write("hello");
    assertArrayEquals(chunk.bytes(), chunks.getVerified(chunk.hash()));
  }

  /** Removes everything, this chunk among it. */
  private void remove(Chunk chunk) {
    try (CollectionRun run = chunks.beginCollection()) {
      while (!run.sweep(Long.MAX_VALUE).isDone()) {}
    }
    assertFalse(chunks.contains(chunk.hash()));
  }

  private Chunk write(String text) {
    assertEquals(
        List.of("write " + text.length()),
        ask(file, new FuseOperation.Write(FileHandle.NONE, 0, name(text), 0, FuseLockOwner.NONE, 0))
            .heard);
    return Chunk.of(name(text));
  }

  private void rot(Chunk chunk) {
    chunks.put(chunk.hash(), new byte[chunk.bytes().length]);
  }

  @Test
  void anOpenForWritingIsSentBackOnceIfItsNodeHasLostAName() {
    Vfs asking = vfs(new CachePolicy(true, true, true, false));
    Node node = tree.file("moved");
    InodeNo inode = known(node);
    assertEquals(writing(), ask(asking, inode, new FuseOperation.Open(O_RDWR, 0)).heard);
    tree.lost.add(node.id());
    for (int call = 0; call < 2; call++) {
      assertEquals(List.of("ESTALE"), ask(asking, inode, new FuseOperation.Open(O_RDWR, 0)).heard);
      assertEquals(writing(), ask(asking, inode, new FuseOperation.Open(O_RDWR, 0)).heard);
    }
    assertFalse(
        ask(asking, inode, new FuseOperation.Open(0, 0)).heard.contains("ESTALE"), "it only reads");
  }

  /**
   * ESTALE after the first path walk makes the kernel walk again; after the second it would be
   * returned to the caller.
   */
  @Test
  void noCallIsToldStaleTwice() {
    Vfs asking = vfs(new CachePolicy(true, true, true, false));
    Node node = tree.file("moved");
    InodeNo inode = known(node);
    tree.lost.add(node.id());
    assertEquals(
        List.of("ESTALE"),
        ask(asking, new InodeNo(77), new FuseOperation.GetAttr(0, FileHandle.NONE)).heard);
    assertEquals(writing(), ask(asking, inode, new FuseOperation.Open(O_RDWR, 0)).heard);
    assertEquals(List.of("ESTALE"), ask(asking, inode, new FuseOperation.Open(O_RDWR, 0)).heard);
    assertEquals(
        List.of("entry"),
        ask(asking, InodeNo.ROOT, new FuseOperation.Symlink(name("link"), name("elsewhere")))
            .heard);
    FuseOperation create = new FuseOperation.Create(name("link"), O_RDWR, 0644, 0, 0);
    assertEquals(List.of("EINTR"), ask(asking, InodeNo.ROOT, create).heard);
    assertEquals(List.of("ESTALE"), ask(asking, InodeNo.ROOT, create).heard, "another call");
  }

  /** So the request that follows belongs to another call, in its first walk. */
  @Test
  void aSecondWalkThatFindsNothingIsTheEndOfAnOpen() {
    Vfs asking = vfs(new CachePolicy(true, true, true, false));
    Node node = tree.file("moved");
    InodeNo inode = known(node);
    tree.lost.add(node.id());
    assertEquals(List.of("ESTALE"), ask(asking, inode, new FuseOperation.Open(O_RDWR, 0)).heard);
    ask(asking, InodeNo.ROOT, new FuseOperation.Lookup(name("none")));
    assertEquals(List.of("ESTALE"), ask(asking, inode, new FuseOperation.Open(O_RDWR, 0)).heard);
    assertEquals(writing(), ask(asking, inode, new FuseOperation.Open(O_RDWR, 0)).heard);
  }

  /** The kernel drops a dentry that turns out to be gone, and looks the same name up once more. */
  @Test
  void aNameThatIsFoundByTheSecondLookOfAWalkIsNoOtherCall() {
    Vfs asking = vfs(new CachePolicy(true, true, true, false));
    Node node = tree.file("moved");
    InodeNo inode = known(node);
    tree.lost.add(node.id());
    assertEquals(List.of("ESTALE"), ask(asking, inode, new FuseOperation.Open(O_RDWR, 0)).heard);
    ask(asking, InodeNo.ROOT, new FuseOperation.Lookup(name("back")));
    Node back = tree.file("back");
    tree.lost.add(back.id());
    ask(asking, InodeNo.ROOT, new FuseOperation.Lookup(name("back")));
    assertEquals(writing(), ask(asking, back.inode(), new FuseOperation.Open(O_RDWR, 0)).heard);
  }

  private static List<String> writing() {
    return List.of("open flags " + WRITING);
  }

  @Test
  void aListingIsPinnedUntilItIsRewound() {
    RecordedReply opened = ask(InodeNo.ROOT, new FuseOperation.OpenDir(0, 0));
    RecordedReply before = ask(InodeNo.ROOT, new FuseOperation.ReadDir(opened.fh, 0, 4096));
    tree.file("late");
    assertEquals(
        List.of("directory 0"),
        ask(InodeNo.ROOT, new FuseOperation.ReadDir(opened.fh, 4, 4096)).heard);
    RecordedReply after = ask(InodeNo.ROOT, new FuseOperation.ReadDir(opened.fh, 0, 4096));
    assertTrue(!before.heard.equals(after.heard), "rewinding shows the new file");
  }

  @Test
  void aHandleThatReadsTheKernelsListingGetsTheRestOfThatOne() {
    Vfs keeping = vfs(new CachePolicy(true, true, false, false));
    RecordedReply filling = ask(keeping, InodeNo.ROOT, new FuseOperation.OpenDir(0, 0));
    int use = FuseFlags.OpenReply.CACHE_DIR | FuseFlags.OpenReply.KEEP_CACHE;
    assertEquals(List.of("open flags " + use), filling.heard);
    RecordedReply other = ask(keeping, InodeNo.ROOT, new FuseOperation.OpenDir(0, 0));
    assertEquals(List.of("open flags " + FuseFlags.OpenReply.KEEP_CACHE), other.heard);
    RecordedReply all = ask(keeping, InodeNo.ROOT, new FuseOperation.ReadDir(filling.fh, 0, 4096));
    ask(keeping, InodeNo.ROOT, new FuseOperation.ReadDir(filling.fh, 4, 4096));
    ask(keeping, InodeNo.ROOT, new FuseOperation.ReleaseDir(filling.fh, 0, 0, FuseLockOwner.NONE));
    RecordedReply reading = ask(keeping, InodeNo.ROOT, new FuseOperation.OpenDir(0, 0));
    tree.file("a, which comes first");
    RecordedReply rest = ask(keeping, InodeNo.ROOT, new FuseOperation.ReadDir(reading.fh, 2, 4096));
    int twoDots = 2 * 32;
    assertEquals(
        List.of("directory " + (bytes(all) - twoDots)),
        rest.heard,
        "not the new row, " + all.heard);
  }

  @Test
  void aListingThatIsCompletedAfterAChangeIsDroppedFirst() {
    Vfs keeping = vfs(new CachePolicy(true, true, false, false));
    RecordedReply handle = ask(keeping, InodeNo.ROOT, new FuseOperation.OpenDir(0, 0));
    ask(keeping, InodeNo.ROOT, new FuseOperation.ReadDir(handle.fh, 0, 4096));
    assertFalse(inodes.takeListing(InodeNo.ROOT), "an incomplete one is not read");
    ask(keeping, InodeNo.ROOT, new FuseOperation.ReadDir(handle.fh, 4, 4096));
    assertEquals(List.of(InodeNo.ROOT), dropped);
    ask(keeping, InodeNo.ROOT, new FuseOperation.ReleaseDir(handle.fh, 0, 0, FuseLockOwner.NONE));
    handle = ask(keeping, InodeNo.ROOT, new FuseOperation.OpenDir(0, 0));
    ask(keeping, InodeNo.ROOT, new FuseOperation.ReadDir(handle.fh, 0, 4096));
    ask(keeping, InodeNo.ROOT, new FuseOperation.ReadDir(handle.fh, 4, 4096));
    assertEquals(List.of(InodeNo.ROOT), dropped, "unchanged since it was begun");
    assertTrue(inodes.takeListing(InodeNo.ROOT), "complete, and the handle is open");
  }

  @Test
  void aDirectoryThatIsBeingChangedIsReadAndNotKept() {
    Vfs keeping = vfs(new CachePolicy(true, true, false, false));
    ask(keeping, InodeNo.ROOT, new FuseOperation.Unlink(name("none")));
    RecordedReply handle = ask(keeping, InodeNo.ROOT, new FuseOperation.OpenDir(0, 0));
    assertEquals(List.of("open flags " + FuseFlags.OpenReply.KEEP_CACHE), handle.heard);
  }

  private static int bytes(RecordedReply listing) {
    return Integer.parseInt(listing.heard.getFirst().substring("directory ".length()));
  }

  @Test
  void readDirPlusCountsAsLookups() {
    RecordedReply opened = ask(InodeNo.ROOT, new FuseOperation.OpenDir(0, 0));
    int before = inodes.size();
    InodeNo late = tree.file("late").inode();
    ask(InodeNo.ROOT, new FuseOperation.ReadDirPlus(opened.fh, 0, 4096));
    assertNotNull(inodes.node(late));
    assertEquals(before + 1, inodes.size());
  }

  @Test
  void aFirstLookWaitsForWhatHasCome() {
    List<FuseOperation> looks =
        List.of(
            new FuseOperation.Lookup(name("late")),
            new FuseOperation.GetAttr(0, FileHandle.NONE),
            new FuseOperation.Open(0, 0),
            new FuseOperation.OpenDir(0, 0));
    tree.unread = true;
    for (FuseOperation look : looks) {
      tree.looks.clear();
      RecordedReply waits = ask(look instanceof FuseOperation.Open ? file : InodeNo.ROOT, look);
      assertEquals(List.of(), waits.heard, look::toString);
      assertEquals(
          1, ask(InodeNo.ROOT, look(look)).heard.size(), "one at a time waits for the agent");
      assertEquals(1, tree.looks.size());
      tree.looks.getFirst().run();
      assertEquals(1, waits.heard.size(), look::toString);
    }
    tree.looks.clear();
    RecordedReply sees = ask(InodeNo.ROOT, looks.getFirst());
    tree.file("late");
    tree.looks.getFirst().run();
    assertEquals(List.of("entry"), sees.heard, "what had come is seen");
  }

  /** The request as it can be made on the root: GETATTR in place of OPEN. */
  private static FuseOperation look(FuseOperation like) {
    return like instanceof FuseOperation.Open
        ? new FuseOperation.GetAttr(0, FileHandle.NONE)
        : like;
  }

  /**
   * An invalidation of pages waits for reads, so a read must not wait for entries that have
   * arrived.
   */
  @Test
  void readsOfAnOpenFileWaitForNobody() {
    RecordedReply opened = ask(file, new FuseOperation.Open(0, 0));
    tree.unread = true;
    RecordedReply read =
        ask(file, new FuseOperation.Read(opened.fh, 0, 4096, 0, FuseLockOwner.NONE, 0));
    assertEquals(1, read.heard.size());
    assertEquals(List.of(), tree.looks);
  }

  @Test
  void handlesAreReleased() {
    RecordedReply opened = ask(file, new FuseOperation.Open(0, 0));
    RecordedReply listing = ask(directory, new FuseOperation.OpenDir(0, 0));
    assertEquals(2, vfs.openHandles());
    ask(file, new FuseOperation.Release(opened.fh, 0, 0, FuseLockOwner.NONE));
    ask(directory, new FuseOperation.ReleaseDir(listing.fh, 0, 0, FuseLockOwner.NONE));
    assertEquals(0, vfs.openHandles());
  }

  @Test
  void anUnlinkedFileStaysReadable() {
    RecordedReply opened = ask(file, new FuseOperation.Open(O_RDWR, 0));
    write(opened.fh, 0, "still", 0);
    ask(InodeNo.ROOT, new FuseOperation.Unlink(name("file")));
    assertEquals(List.of("data still"), read(opened.fh, 0, 10).heard);
    write(opened.fh, 5, " here", 0);
    assertEquals(List.of("data still here"), read(opened.fh, 0, 10).heard);
  }

  @Test
  void anInodeThatTheKernelCannotHaveFromUsIsStale() {
    assertEquals(
        List.of("ESTALE"),
        ask(new InodeNo(12_345), new FuseOperation.GetAttr(0, FileHandle.NONE)).heard);
    ask(file, new FuseOperation.Forget(1));
    assertEquals(List.of("ESTALE"), ask(file, new FuseOperation.GetAttr(0, FileHandle.NONE)).heard);
  }

  /** The handle says which node it is of. */
  @Test
  void callsThroughAnOpenHandleDoNotNeedTheInode() {
    write(FileHandle.NONE, 0, "hello", 0);
    FileHandle open = ask(file, new FuseOperation.Open(O_RDWR, 0)).fh;
    FileHandle listed = ask(directory, new FuseOperation.OpenDir(0, 0)).fh;
    FuseLockOwner owner = new FuseLockOwner(9);
    FuseLock unlock = new FuseLock(0, Long.MAX_VALUE, 2, 42);
    ask(file, new FuseOperation.Forget(99));
    ask(directory, new FuseOperation.Forget(99));
    assertEquals(List.of("ESTALE"), read(FileHandle.NONE, 0, 10).heard);
    assertEquals(List.of("data hello"), read(open, 0, 10).heard);
    assertEquals(List.of("write 1"), write(open, 5, "!", 0).heard);
    for (FuseOperation operation :
        List.of(
            new FuseOperation.Fsync(open, 0),
            new FuseOperation.Flush(open, owner),
            new FuseOperation.SetLk(open, owner, unlock, 0, false),
            new FuseOperation.Fallocate(open, 0, 10, 0))) {
      assertEquals(List.of("ok"), ask(file, operation).heard, operation.toString());
    }
    assertEquals(List.of("lseek 0"), ask(file, new FuseOperation.Lseek(open, 0, SEEK_DATA)).heard);
    assertEquals(List.of("ok"), ask(directory, new FuseOperation.FsyncDir(listed, 0)).heard);
    ask(file, new FuseOperation.Release(open, 0, 0, owner));
    assertEquals(List.of("ESTALE"), read(open, 0, 10).heard, "it is closed");
  }

  @Test
  void aLockIsAskedForAndUnlockedOnlyIfItMayBeHeld() {
    FuseLock whole = new FuseLock(0, Long.MAX_VALUE, 1, 42);
    FuseLock unlock = new FuseLock(0, Long.MAX_VALUE, 2, 42);
    int flock = FuseFlags.Lock.FLOCK;
    assertEquals(
        List.of("ok"),
        ask(
                file,
                new FuseOperation.SetLk(new FileHandle(3), new FuseLockOwner(9), unlock, 0, false))
            .heard);
    assertEquals(
        List.of("ok"),
        ask(file, new FuseOperation.Flush(new FileHandle(3), new FuseLockOwner(9))).heard);
    assertEquals(List.of(), locks.calls, "nothing is held: nobody need be asked");
    RecordedReply posix =
        ask(
            file,
            new FuseOperation.SetLk(new FileHandle(3), new FuseLockOwner(9), whole, 0, false));
    RecordedReply waits =
        ask(
            file,
            new FuseOperation.SetLk(new FileHandle(3), new FuseLockOwner(7), whole, flock, true));
    assertEquals(2, locks.calls.size());
    LockCall first = locks.calls.getFirst();
    assertEquals(LockSpace.POSIX, first.key().space());
    assertEquals(Wish.TRY, first.wish());
    first.ending().granted();
    assertEquals(List.of("ok"), posix.heard);
    LockCall second = locks.calls.getLast();
    assertEquals(LockSpace.FLOCK, second.key().space());
    assertEquals(Wish.WAIT, second.wish());
    second.ending().failed(Errno.EINTR);
    assertEquals(List.of("EINTR"), waits.heard);
    assertEquals(
        List.of("ok"),
        ask(file, new FuseOperation.Flush(new FileHandle(3), new FuseLockOwner(9))).heard);
    assertEquals(List.of(first.key()), locks.released, "close frees fcntl locks");
    assertEquals(
        List.of("ok"),
        ask(file, new FuseOperation.Release(new FileHandle(3), 0, 0, new FuseLockOwner(9))).heard);
    assertTrue(locks.released.contains(second.key()), "the last close frees the rest");
    vfs.interrupted(new RequestId(77), 42);
    assertEquals(List.of(new RequestId(77)), locks.interrupted);
  }

  @Test
  void aLockThatMakesNoSenseIsRefused() {
    FuseLock backwards = new FuseLock(5, 4, 1, 42);
    FuseLock unknown = new FuseLock(0, 4, 3, 42);
    assertEquals(
        List.of("EINVAL"),
        ask(
                file,
                new FuseOperation.SetLk(new FileHandle(3), new FuseLockOwner(9), unknown, 0, false))
            .heard);
    assertEquals(
        List.of("EINVAL"),
        ask(
                file,
                new FuseOperation.SetLk(
                    new FileHandle(3), new FuseLockOwner(9), backwards, 0, false))
            .heard);
    assertEquals(
        List.of("EINVAL"),
        ask(file, new FuseOperation.GetLk(new FileHandle(3), new FuseLockOwner(9), backwards, 0))
            .heard);
  }

  private InodeNo known(Node node) {
    inodes.lookedUp(node);
    return node.inode();
  }

  private RecordedReply write(FileHandle fh, long offset, String text, int flags) {
    return ask(file, new FuseOperation.Write(fh, offset, name(text), 0, FuseLockOwner.NONE, flags));
  }

  private RecordedReply read(FileHandle fh, long offset, int size) {
    return ask(file, new FuseOperation.Read(fh, offset, size, 0, FuseLockOwner.NONE, 0));
  }

  private RecordedReply ask(InodeNo node, FuseOperation operation) {
    return ask(vfs, node, operation);
  }

  private static RecordedReply ask(Vfs vfs, InodeNo node, FuseOperation operation) {
    RecordedReply reply = new RecordedReply();
    RequestHeader header = new RequestHeader(new RequestId(1), node, 0, 0, 42, FuseOpcode.LOOKUP);
    vfs.handle(new FuseRequest(header, operation), reply);
    return reply;
  }

  private static Arguments row(FuseOperation operation, String expected) {
    return Arguments.of(operation, expected);
  }

  private static byte[] name(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
