package io.hypersync.worker.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.message.WorkerMessage.WorkerVisible;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.worker.port.LeaderLink;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * The lease that makes a mount writable while visibility is everywhere, and what is told for it.
 */
class VisibilityLeaseTest {
  private static final long MS = 1_000_000;
  private static final long BEGIN = 5_000 * MS;

  private final VisibilityLease lease = new VisibilityLease();
  private final List<WorkerMessage> sent = new ArrayList<>();
  private final VisibilityReports reports =
      new VisibilityReports(
          new LeaderLink() {
            @Override
            public void connect() {}

            @Override
            public void disconnect() {}

            @Override
            public void send(WorkerMessage message) {
              sent.add(message);
            }

            @Override
            public void flush() {}

            @Override
            public void measure(Consumer<PathFigures> then) {}
          },
          lease);

  @Test
  void noneIsNeededUnlessTheLeaderSaysSo() {
    assertFalse(lease.isNeeded());
    assertTrue(lease.isHeld(BEGIN));
    reports.tick(7, BEGIN);
    assertEquals(List.of(), sent);
  }

  @Test
  void itBeginsWhenTheReportWasSentAndNotWhenTheGrantCame() {
    joins();
    assertFalse(lease.isHeld(BEGIN), "there is none before the first grant");
    lease.told(grant(BEGIN + 100 * MS), true, BEGIN + 900 * MS);
    assertTrue(lease.isHeld(BEGIN + 1_099 * MS));
    assertFalse(lease.isHeld(BEGIN + 1_100 * MS));
  }

  @Test
  void aGrantThatIsOverTakenByALaterOneShortensNothing() {
    joins();
    lease.told(grant(BEGIN + 300 * MS), true, BEGIN + 310 * MS);
    lease.told(grant(BEGIN + 100 * MS), true, BEGIN + 320 * MS);
    assertTrue(lease.isHeld(BEGIN + 1_299 * MS));
  }

  @Test
  void whatWasGrantedOnAnEarlierConnectionDoesNotCount() {
    joins();
    lease.told(grant(BEGIN + 100 * MS), true, BEGIN + 110 * MS);
    lease.lost(BEGIN + 200 * MS);
    assertFalse(lease.isHeld(BEGIN + 201 * MS), "the leader may count it no longer than its Hello");
    lease.begins(BEGIN + 300 * MS);
    lease.told(announced(), false, BEGIN + 310 * MS);
    lease.told(grant(BEGIN + 100 * MS), false, BEGIN + 320 * MS);
    assertFalse(lease.isHeld(BEGIN + 321 * MS));
  }

  @Test
  void aGrantFromTheFutureIsNone() {
    joins();
    lease.told(grant(BEGIN + 5_000 * MS), true, BEGIN + 100 * MS);
    assertFalse(lease.isHeld(BEGIN + 100 * MS));
  }

  @Test
  void turningTheModeOnMakesNobodyReadOnly() {
    lease.begins(BEGIN);
    lease.told(announced(), true, BEGIN + 100 * MS);
    assertTrue(lease.isHeld(BEGIN + 1_099 * MS));
    lease.told(announced(), true, BEGIN + 1_000 * MS);
    assertFalse(lease.isHeld(BEGIN + 1_100 * MS), "only once: then it is to be granted");
  }

  @Test
  void turningItOffMakesItWritableAgain() {
    joins();
    assertFalse(lease.isHeld(BEGIN));
    lease.told(new LeaderMessage.VisibilityLease(0, 0), true, BEGIN);
    assertTrue(lease.isHeld(BEGIN));
  }

  @Test
  void entriesOfOthersAreToldAtOnceAndOwnOnesTogetherAfterAMoment() {
    joins();
    reports.tick(7, BEGIN);
    assertEquals(List.of(new WorkerVisible(7, BEGIN)), sent);
    reports.tick(8, BEGIN + 1 * MS); // an own entry
    assertEquals(1, sent.size());
    reports.foreign(9);
    reports.tick(9, BEGIN + 2 * MS);
    assertEquals(new WorkerVisible(9, BEGIN + 2 * MS), sent.get(1));
    reports.tick(10, BEGIN + 3 * MS);
    assertEquals(2, sent.size(), "an own one may have others behind it");
    reports.tick(11, BEGIN + 4 * MS);
    assertEquals(new WorkerVisible(11, BEGIN + 4 * MS), sent.get(2));
    reports.tick(11, BEGIN + 103 * MS);
    assertEquals(3, sent.size());
    reports.tick(11, BEGIN + 104 * MS);
    assertEquals(new WorkerVisible(11, BEGIN + 104 * MS), sent.get(3), "ten times in a lease");
  }

  private void joins() {
    lease.begins(BEGIN);
    reports.begins(BEGIN);
    lease.told(announced(), false, BEGIN);
  }

  private static LeaderMessage.VisibilityLease announced() {
    return new LeaderMessage.VisibilityLease(1_000, 0);
  }

  private static LeaderMessage.VisibilityLease grant(long sentNs) {
    return new LeaderMessage.VisibilityLease(1_000, sentNs);
  }
}
