package io.hypersync.worker.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.fixtures.Entries;
import io.hypersync.fixtures.States;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.wire.message.LeaderMessage.Welcome;
import io.hypersync.wire.message.NegotiatedParams;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.message.WorkerMessage.OpenLeaseAcquire;
import io.hypersync.wire.message.WorkerMessage.OpenLeaseRelease;
import io.hypersync.wire.message.WorkerMessage.OpenLeaseRenew;
import io.hypersync.worker.RecordingLeaderLink;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Which open-leases the leader is sent (hypersync.md 6.8). Times are in milliseconds. */
class OpenLeaseClientTest {
  private static final long MS = 1_000_000;
  private static final int TTL = 3_000;
  private static final NodeId A = new NodeId(1, 100);
  private static final NodeId B = new NodeId(1, 101);

  private final OpenNodes open = new OpenNodes();
  private final Set<InodeNo> known = new HashSet<>();

  /** Inodes that the kernel holds and that are not in use. */
  private final Set<InodeNo> idle = new HashSet<>();

  private final RecordingLeaderLink link = new RecordingLeaderLink();
  private final OpenLeaseClient leases = new OpenLeaseClient(link, new Kernel(), this::prune);
  private FsState state = FsState.genesis();
  private long index;
  private long now;
  private boolean established;

  @Test
  void whatIsOpenedIsSaidOnceAndWhatIsClosedToo() {
    welcome(7);
    open.opened(A);
    open.opened(A);
    open.opened(B);
    pass(100);
    open.closed(A);
    pass(100);
    assertEquals(List.of(new OpenLeaseAcquire(7, List.of(A, B))), sorted());
    open.closed(A);
    pass(100);
    assertEquals(new OpenLeaseRelease(7, List.of(A)), link.sent.getLast());
    assertEquals(1, leases.size());
  }

  @Test
  void whatIsOpenedAndClosedAtOnceIsNotWorthAWord() {
    welcome(7);
    open.opened(A);
    pass(20);
    open.closed(A);
    pass(1_000);
    assertEquals(List.of(), link.sent);
  }

  /** A process that reads a tree always has one file open, also when a message is due. */
  @Test
  void aWalkThatOpensOneFileAfterTheOtherIsNotWorthAWord() {
    welcome(7);
    for (int file = 0; file < 200; file++) {
      open.opened(new NodeId(2, file));
      pass(5);
      open.closed(new NodeId(2, file));
    }
    pass(1_000);
    assertEquals(List.of(), link.sent);
  }

  @Test
  void whatStaysOpenAmongThemIsSaidInTime() {
    welcome(7);
    open.opened(A);
    for (int file = 0; file < 10; file++) {
      open.opened(new NodeId(2, file));
      pass(5);
      open.closed(new NodeId(2, file));
    }
    pass(5);
    assertEquals(List.of(new OpenLeaseAcquire(7, List.of(A))), link.sent);
  }

  /**
   * It is unknown how long the node has been open; its lease must be sent before the report that
   * follows.
   */
  @Test
  void whatWasOpenedBeforeTheWorkerStoodStillIsSaidAtOnce() {
    welcome(7);
    orphan(B);
    open.opened(B);
    pass(100);
    link.sent.clear();
    open.opened(A);
    now += 300;
    apply(new FsOp.ReapOrphans(List.of(B)), LogEntry.NO_NODE);
    leases.tick(established, now * MS);
    assertEquals(List.of(new OpenLeaseAcquire(7, List.of(A))), link.sent);
  }

  @Test
  void everythingIsSaidAgainToEveryLeader() {
    open.opened(A);
    welcome(7);
    assertEquals(List.of(new OpenLeaseAcquire(7, List.of(A))), link.sent);
    established = false;
    open.opened(B);
    open.closed(A);
    pass(1_000);
    link.sent.clear();
    welcome(8);
    assertEquals(List.of(new OpenLeaseAcquire(8, List.of(B))), link.sent);
    pass(100);
    assertEquals(1, link.sent.size());
  }

  @Test
  void leasesAreRenewedAndOnlyOrphansAreListed() {
    welcome(7);
    open.opened(A);
    pass(100);
    link.sent.clear();
    pass(TTL / 3);
    assertEquals(List.of(new OpenLeaseRenew(7, List.of())), link.sent);
    orphan(A);
    link.sent.clear();
    pass(TTL / 3);
    assertEquals(List.of(new OpenLeaseRenew(7, List.of(A))), link.sent);
  }

  @Test
  void anOrphanThatIsKnownForLongIsHeldUntilItIsForgotten() {
    welcome(7);
    InodeNo inode = orphan(A);
    known.add(inode);
    pass(TTL / 3 - 20);
    assertEquals(List.of(), link.sent);
    pass(100);
    assertEquals(List.of(new OpenLeaseAcquire(7, List.of(A))), link.sent);
    known.clear();
    pass(TTL / 3 + 100);
    assertEquals(new OpenLeaseRelease(7, List.of(A)), link.sent.getLast());
  }

  @Test
  void anOrphanThatIsForgottenSoonIsNotWorthAWord() {
    welcome(7);
    known.add(orphan(A));
    pass(500);
    known.clear();
    pass(2 * TTL);
    assertEquals(List.of(), link.sent);
  }

  @Test
  void anOrphanThatTheKernelOnlyRemembersIsNotWorthAWord() {
    welcome(7);
    InodeNo inode = orphan(A);
    known.add(inode);
    idle.add(inode);
    pass(2 * TTL);
    assertEquals(List.of(), link.sent);
  }

  @Test
  void anOrphanThatTheKernelOnlyRemembersAfterItsCloseIsLetGo() {
    welcome(7);
    InodeNo inode = orphan(A);
    known.add(inode);
    open.opened(A);
    pass(TTL);
    assertEquals(new OpenLeaseAcquire(7, List.of(A)), link.sent.getFirst());
    idle.add(inode);
    open.closed(A);
    pass(TTL);
    assertEquals(new OpenLeaseRelease(7, List.of(A)), link.sent.getLast());
    assertEquals(0, leases.size());
  }

  @Test
  void anOrphanThatIsHeldWhenTheLeaderChangesIsStillWatched() {
    welcome(7);
    known.add(orphan(A));
    pass(TTL / 3 + 10); // checked, and not sent yet
    welcome(8);
    assertEquals(List.of(new OpenLeaseAcquire(8, List.of(A))), link.sent);
    known.clear();
    pass(TTL);
    assertEquals(new OpenLeaseRelease(8, List.of(A)), link.sent.getLast());
    assertEquals(0, leases.size());
  }

  @Test
  void aNodeThatWasReapedInSpiteOfAHandleIsLetGoWithIt() {
    welcome(7);
    open.opened(A);
    orphan(A);
    pass(100);
    apply(new FsOp.ReapOrphans(List.of(A)), LogEntry.NO_NODE);
    pass(100);
    assertEquals(1, leases.size());
    open.closed(A);
    pass(100);
    assertEquals(0, leases.size());
  }

  private List<WorkerMessage> sorted() {
    return link.sent.stream()
        .map(
            message ->
                message instanceof OpenLeaseAcquire(long epoch, List<NodeId> nodes)
                    ? new OpenLeaseAcquire(epoch, nodes.stream().sorted().toList())
                    : message)
        .toList();
  }

  private void prune(List<InodeNo> inodes) {
    inodes.stream().filter(idle::contains).forEach(known::remove);
  }

  private void welcome(long epoch) {
    established = true;
    leases.welcomed(
        new Welcome(new WorkspaceId(1, 1), epoch, 0, 100, NegotiatedParams.DEFAULT, 1, TTL),
        now * MS);
  }

  private void pass(long ms) {
    for (long left = ms; left > 0; left -= 10) {
      now += 10;
      leases.tick(established, now * MS);
    }
  }

  private InodeNo orphan(NodeId node) {
    apply(new FsOp.MakeTemporary(FsState.ROOT, 0600, 0, 0), node);
    return Objects.requireNonNull(state.node(node)).inode();
  }

  private void apply(FsOp op, NodeId created) {
    index++;
    FsState next = States.after(state, op, index, created);
    LogEntry entry = Entries.of(index, op).creating(created).entry();
    leases.applied(entry, state, next, now * MS);
    state = next;
  }

  private final class Kernel implements KernelReferences {
    @Override
    public boolean isOpen(NodeId node) {
      return open.isOpen(node);
    }

    @Override
    public void openNodes(Consumer<NodeId> receiver) {
      open.forEach(receiver);
    }

    @Override
    public void drainChanged(Consumer<NodeId> receiver) {
      open.drainChanged(receiver);
    }

    @Override
    public boolean isKnown(InodeNo inode) {
      return known.contains(inode);
    }
  }
}
