package io.hypersync.worker.fuse.jnr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.abi.FuseFlags;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.session.FuseCounters;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls by path become requests by node, and hold nothing when they are through. */
@Timeout(20)
class PathCallsTest {
  private static final Caller ROOT = new Caller(0, 0, 77);
  private static final Caller USER = new Caller(1000, 1000, 78);
  private static final FuseLockOwner OWNER = new FuseLockOwner(5);

  private final ScriptedHandler handler =
      new ScriptedHandler().with(1, "d", 2).with(2, "e", 3).with(3, "f", 4).with(1, "g", 5);
  private final AtomicBoolean signal = new AtomicBoolean();
  private final RequestLine requests = new RequestLine(handler, new FuseCounters(), signal::get);
  private final PathCalls calls = new PathCalls(requests, 2);

  @ParameterizedTest
  @CsvSource({"/, ''", "/a, a", "/a/b/c, a b c", "//a//b/, a b"})
  void aPathIsItsNames(String path, String names) {
    List<String> found =
        PathWalk.names(bytes(path)).stream()
            .map(name -> new String(name, StandardCharsets.UTF_8))
            .toList();
    assertEquals(names, String.join(" ", found));
  }

  @Test
  void namesAreBytes() {
    byte[] path = {'/', (byte) 0xff, '/', (byte) 0xc3, (byte) 0x28};
    assertEquals(List.of(1, 2), PathWalk.names(path).stream().map(name -> name.length).toList());
  }

  @Test
  void theAttributesOfAPathAreThoseOfItsLastName() throws Exception {
    assertEquals(new InodeNo(4), calls.getAttr(ROOT, bytes("/d/e/f")).ino());
    assertEquals(Map.of(), handler.held());
  }

  @Test
  void aPathThatEndsTooEarlyHoldsNothing() {
    assertEquals(Errno.ENOENT, errno(() -> calls.getAttr(ROOT, bytes("/d/e/x/f"))));
    assertEquals(Map.of(), handler.held());
  }

  @Test
  void aNewNameIsMadeInItsDirectory() throws Exception {
    calls.mkDir(ROOT, bytes("/d/e/new"), 0755);
    FuseRequest made = handler.requests.getLast();
    assertEquals(new InodeNo(3), made.header().nodeId());
    assertEquals("new", text(((FuseOperation.MkDir) made.operation()).name()));
    assertEquals(Map.of(), handler.held());
  }

  @Test
  void aRenameNamesBothDirectories() throws Exception {
    calls.rename(ROOT, bytes("/d/e/f"), bytes("/g2"));
    FuseRequest made = handler.requests.getLast();
    assertEquals(new InodeNo(3), made.header().nodeId());
    FuseOperation.Rename rename = (FuseOperation.Rename) made.operation();
    assertEquals(InodeNo.ROOT, rename.newParent());
    assertEquals("f g2", text(rename.name()) + " " + text(rename.newName()));
    assertEquals(Map.of(), handler.held());
  }

  @Test
  void theRootIsInNoDirectory() {
    assertEquals(Errno.EBUSY, errno(() -> calls.rmDir(ROOT, bytes("/"))));
  }

  @Test
  void anOpenFileHoldsItsNodeAndNoDirectory() throws Exception {
    FileHandle fh = calls.open(ROOT, bytes("/d/e/f"), 2);
    assertEquals(Map.of(4L, 1), handler.held());
    calls.close(ROOT, fh, 2);
    assertEquals(Map.of(), handler.held());
    assertEquals(Errno.EBADF, errno(() -> calls.read(ROOT, fh, 0, 10, 0)));
  }

  @Test
  void aNewFileIsHeldUntilItIsClosed() throws Exception {
    FileHandle fh = calls.create(ROOT, bytes("/d/new"), 0644, 2);
    assertEquals(Map.of(60L, 1), handler.held());
    calls.close(ROOT, fh, 2);
    assertEquals(Map.of(), handler.held());
  }

  @Test
  void anOpenThatFindsAnotherFileThereLooksOnceMore() throws Exception {
    handler.refuseOpens(Errno.ESTALE);
    calls.open(ROOT, bytes("/g"), 1);
    assertEquals(2, handler.requests.size());
    handler.refuseOpens(Errno.ESTALE, Errno.ESTALE);
    assertEquals(Errno.ESTALE, errno(() -> calls.open(ROOT, bytes("/g"), 1)));
    assertEquals(Map.of(5L, 1), handler.held());
  }

  @Test
  void whoIsNotRootLosesSetIdsByAWrite() throws Exception {
    FileHandle fh = calls.open(ROOT, bytes("/g"), 1);
    calls.write(USER, fh, 0, bytes("x"), 1);
    assertEquals(FuseFlags.Write.KILL_SUIDGID, lastWrite().writeFlags());
    calls.write(ROOT, fh, 0, bytes("x"), 1);
    assertEquals(0, lastWrite().writeFlags());
  }

  private FuseOperation.Write lastWrite() {
    return (FuseOperation.Write) handler.requests.getLast().operation();
  }

  @Test
  void aFaultOfTheFilesystemIsEio() throws Exception {
    FileHandle fh = calls.open(ROOT, bytes("/g"), 1);
    assertEquals(Errno.EIO, errno(() -> calls.fsync(ROOT, fh, 0)));
  }

  @Test
  void aSignalReachesACallThatWaits() throws Exception {
    FileHandle fh = calls.open(ROOT, bytes("/g"), 1);
    CompletableFuture<Errno> waits = waitForLock(fh);
    signal.set(true);
    assertEquals(Errno.EINTR, waits.get(10, TimeUnit.SECONDS));
    assertEquals(1, handler.interrupted.size());
  }

  @Test
  void onlySoManyCallsWaitForLocks() throws Exception {
    FileHandle fh = calls.open(ROOT, bytes("/g"), 1);
    CompletableFuture<Errno> first = waitForLock(fh);
    CompletableFuture<Errno> second = waitForLock(fh);
    assertEquals(
        Errno.ENOLCK, errno(() -> calls.setFlock(ROOT, fh, OWNER, 1, true)), "the third one");
    calls.setFlock(ROOT, fh, OWNER, 1, false);
    requests.close();
    assertEquals(Errno.EIO, first.get(10, TimeUnit.SECONDS), "the mount has ended");
    assertEquals(Errno.EIO, second.get(10, TimeUnit.SECONDS));
    assertEquals(0, requests.inFlight());
    assertEquals(Errno.EIO, errno(() -> calls.getAttr(ROOT, bytes("/g"))), "and later calls");
  }

  /** Waits for a lock on another thread; returns when the filesystem has the request. */
  private CompletableFuture<Errno> waitForLock(FileHandle fh) throws InterruptedException {
    int before = handler.waiting.size();
    CompletableFuture<Errno> ended =
        CompletableFuture.supplyAsync(
            () -> errno(() -> calls.setFlock(ROOT, fh, OWNER, 1, true)),
            task -> Thread.ofPlatform().daemon().start(task));
    while (handler.waiting.size() == before) {
      Thread.sleep(1);
    }
    return ended;
  }

  @Test
  void onlySoManyFilesAreOpen() throws Exception {
    OpenFiles open = new OpenFiles(1);
    open.add(new FileHandle(1), new InodeNo(4));
    assertEquals(Errno.ENFILE, errno(() -> open.add(new FileHandle(2), new InodeNo(4))));
    assertEquals(new InodeNo(4), open.remove(new FileHandle(1)));
    open.add(new FileHandle(2), new InodeNo(4));
  }

  private static Errno errno(Executable call) {
    return assertThrows(CallFailed.class, call).errno();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
