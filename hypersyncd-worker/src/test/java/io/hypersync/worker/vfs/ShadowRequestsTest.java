package io.hypersync.worker.vfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.worker.fuse.abi.FuseFlags.SetAttrValid;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseEntry;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.protocol.RequestHeader;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.fuse.session.FuseHandler;
import io.hypersync.worker.fuse.session.FuseReply;
import io.hypersync.worker.inotify.NameInDirectory;
import io.hypersync.worker.inotify.ShadowCall;
import io.hypersync.worker.inotify.ShadowCallRegistry;
import io.hypersync.worker.inotify.ShadowCaller;
import io.hypersync.worker.inotify.ShadowJob;
import io.hypersync.worker.inotify.ShadowTarget;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which threads' requests are shadow calls, and how they are answered (docs/inotify.md). */
class ShadowRequestsTest {
  private static final int SHADOW = 77;
  private static final int SOMEBODY = 78;
  private static final FuseOperation UNLINK = new FuseOperation.Unlink(bytes("file"));
  private static final FuseOperation LOOKUP = new FuseOperation.Lookup(bytes("file"));

  private final TestTree tree = new TestTree();
  private final KernelInodes inodes = new KernelInodes();
  private final ShadowCallRegistry registry = new ShadowCallRegistry();
  private final List<FuseOperation> passedOn = new ArrayList<>();
  private final Set<NameInDirectory> mountPoints = new HashSet<>();
  private final ShadowRequests requests =
      new ShadowRequests(
          new Beneath(),
          registry,
          inodes,
          tree::view,
          (place, _, _) -> mountPoints.contains(place));
  private final Node file;
  private boolean alive = true;

  ShadowRequestsTest() {
    file = tree.file("file");
    registry.trust(
        new ShadowCaller() {
          @Override
          public int tid() {
            return SHADOW;
          }

          @Override
          public boolean isCalling() {
            return alive;
          }
        });
  }

  @Test
  void everybodyElseGetsThroughToTheFilesystem() {
    begin(remove(null));
    ask(SOMEBODY, UNLINK);
    assertEquals(List.of(UNLINK), passedOn);
    assertEquals(false, registry.end());
  }

  @Test
  void aThreadThatHasGotTheSameNumberGetsThrough() {
    alive = false;
    ask(SHADOW, UNLINK);
    assertEquals(List.of(UNLINK), passedOn);
  }

  @Test
  void withoutACallEverythingIsRefused() {
    assertEquals(List.of("EPERM"), ask(SHADOW, UNLINK).heard);
    assertEquals(List.of("EPERM"), ask(SHADOW, new FuseOperation.RmDir(bytes("x"))).heard);
    assertEquals(List.of("EPERM"), ask(SHADOW, new FuseOperation.MkDir(bytes("x"), 0755, 0)).heard);
    assertEquals(
        List.of("EPERM"),
        ask(SHADOW, new FuseOperation.Rename(bytes("x"), InodeNo.ROOT, bytes("y"), 0)).heard);
    assertEquals(List.of("EPERM"), ask(SHADOW, new FuseOperation.Open(2, 0)).heard);
    assertEquals(List.of("EPERM"), ask(SHADOW, LOOKUP).heard);
    assertEquals(List.of("EPERM"), ask(SHADOW, setAttr(SetAttrValid.SIZE)).heard);
    assertEquals(List.of("ESTALE"), ask(SHADOW, setAttr(SetAttrValid.MTIME)).heard);
    assertEquals(List.of(), passedOn);
  }

  @Test
  void anUnlinkOfWhatTheKernelHadInItsCacheIsStale() {
    begin(remove(null));
    assertEquals(List.of("ESTALE"), ask(SHADOW, UNLINK).heard);
    FuseEntry entry = ask(SHADOW, LOOKUP).entries.getFirst();
    assertTrue(entry.nodeId().value() > NameInDirectory.NOWHERE.value(), "a stand-in");
    assertEquals(0, entry.entryTtlNs() + entry.attrTtlNs());
    assertEquals(List.of("ok"), ask(SHADOW, UNLINK).heard);
    assertTrue(registry.end());
  }

  @Test
  void aNameOnWhichSomethingIsMountedLeadsWhereItDoes() {
    begin(remove(null));
    mountPoints.add(new NameInDirectory(InodeNo.ROOT, Name.of("file")));
    ask(SHADOW, LOOKUP);
    assertEquals(List.of(LOOKUP), passedOn);
    assertEquals(List.of("ESTALE"), ask(SHADOW, UNLINK).heard);
    assertEquals(false, registry.end());
  }

  @Test
  void aNodeThatIsWatchedItselfIsTheRealOneWithTheLinksItHad() {
    begin(remove(file));
    var _ = tree.commit(new FsOp.Unlink(FsState.ROOT, Name.of("file")));
    FuseEntry entry = ask(SHADOW, LOOKUP).entries.getFirst();
    assertEquals(file.inode(), entry.nodeId());
    assertEquals(1, entry.attr().nlink());
    assertEquals(file.id(), inodes.node(entry.nodeId()), "counted, so that FORGET can come");
  }

  @Test
  void timesAreSetOfTheNodeAlone() {
    begin(new ShadowCall.Touch(null, file, true));
    assertEquals(List.of("ESTALE"), ask(SHADOW, setAttr(SetAttrValid.MTIME)).heard, "the root");
    assertEquals(false, registry.end());
  }

  @Test
  void whatTheKernelGivesBackGetsThrough() {
    ask(SHADOW, new FuseOperation.Forget(1));
    ask(SHADOW, new FuseOperation.ReleaseDir(new FileHandle(1), 0, 0, FuseLockOwner.NONE));
    assertEquals(2, passedOn.size());
  }

  private ShadowCall remove(@Nullable Node real) {
    return new ShadowCall.Remove(
        new NameInDirectory(InodeNo.ROOT, Name.of("file")), new ShadowTarget(false, real));
  }

  private void begin(ShadowCall call) {
    registry.begin(new ShadowJob(call, tree.view().state(), tree.view().state()));
  }

  private RecordedReply ask(int tid, FuseOperation operation) {
    RecordedReply reply = new RecordedReply();
    RequestHeader header =
        new RequestHeader(new RequestId(1), InodeNo.ROOT, 0, 0, tid, FuseOpcode.LOOKUP);
    requests.handle(new FuseRequest(header, operation), reply);
    return reply;
  }

  private static FuseOperation setAttr(int valid) {
    return new FuseOperation.SetAttr(
        valid, FileHandle.NONE, 0, FuseLockOwner.NONE, 0, 0, 0, 0, 0, 0);
  }

  private static byte[] bytes(String name) {
    return name.getBytes(StandardCharsets.US_ASCII);
  }

  private final class Beneath implements FuseHandler {
    @Override
    public void handle(FuseRequest request, FuseReply reply) {
      passedOn.add(request.operation());
    }

    @Override
    public void interrupted(RequestId unique, int pid) {}
  }
}
