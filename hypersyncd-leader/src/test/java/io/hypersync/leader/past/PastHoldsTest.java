package io.hypersync.leader.past;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.port.PastPort;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.WorkerMessage.PastStateRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** For how long states of the past are held for workers (hypersync.md 14.2). */
class PastHoldsTest {
  private static final WorkerId A = new WorkerId("a");
  private static final WorkerId B = new WorkerId("b");
  private static final ClientId RUN = new ClientId(1, 1);
  private static final ClientId NEXT_RUN = new ClientId(1, 2);
  private static final long AWAY_NS = 3_600_000_000_000L;
  private static final byte[] MANIFEST =
      Manifest.genesis(new WorkspaceId(1, 2), RootVersion.LATEST)
          .write(
              PageWriter.complete(
                  RootVersion.LATEST,
                  _ -> {
                    throw new AssertionError("it is in the manifest");
                  }))
          .bytes();

  private final List<String> calls = new ArrayList<>();
  private final List<String> sent = new ArrayList<>();
  private long request;
  private PastHolds holds = holds(List.of());

  @BeforeEach
  void connect() {
    holds.established(A, RUN, 0);
    holds.established(B, RUN, 0);
  }

  @Test
  void aStateIsMadeOnceAndHeldUntilTheLastWorkerGivesItBack() {
    ask(A, "before");
    assertTrue(holds.isMaking());
    assertEquals(List.of("make before"), calls);
    holds.made(snapshot(7), 0);
    assertFalse(holds.isMaking());
    ask(B, "7");
    assertEquals(List.of("a: state 7", "b: state 7"), sent);
    assertEquals("7 a,b", held());
    holds.released(A, 7);
    assertEquals("7 b", held());
    holds.released(B, 7);
    assertEquals(List.of("make before", "remove 7"), calls);
    assertEquals("7 ", held(), "a root until its record is gone");
    holds.removed(7);
    assertEquals("", held());
  }

  @Test
  void requestsAreCarriedOutOneAfterTheOther() {
    ask(A, "1");
    ask(B, "2");
    assertEquals(List.of("make 1"), calls);
    holds.failed("it is gone", "The oldest is that of entry 3.");
    assertEquals(List.of("make 1", "make 2"), calls);
    holds.made(snapshot(2), 0);
    assertEquals(List.of("a: refused it is gone", "b: state 2"), sent);
  }

  /** The state that is being made may be the one: its record must not go meanwhile. */
  @Test
  void noStateIsGivenUpWhileOneIsBeingMade() {
    have(A, 7);
    ask(B, "by-name");
    holds.released(A, 7);
    assertFalse(calls.contains("remove 7"));
    holds.made(snapshot(7), 0);
    assertEquals("7 b", held());
    assertFalse(calls.contains("remove 7"));
  }

  @Test
  void aStateThatIsAskedForWhileItGoesIsMadeAgain() {
    have(A, 7);
    holds.released(A, 7);
    ask(B, "7");
    assertEquals(List.of("make 7", "remove 7", "make 7"), calls);
    holds.removed(7);
    holds.made(snapshot(7), 0);
    assertEquals("7 b", held());
  }

  @Test
  void aRecordThatCannotBeRemovedStaysARootAndIsTriedAgain() {
    have(A, 7);
    holds.released(A, 7);
    holds.notRemoved(7);
    assertEquals("7 ", held());
    holds.tick(AWAY_NS);
    assertEquals(List.of("make 7", "remove 7", "remove 7"), calls);
  }

  @Test
  void aWorkerThatIsAwayKeepsItsStatesForATime() {
    have(A, 7);
    holds.left(A, 0);
    holds.tick(AWAY_NS - 1);
    assertEquals("7 a", held());
    holds.established(A, RUN, AWAY_NS - 1);
    ask(A, "7");
    holds.tick(2 * AWAY_NS);
    assertEquals("7 a", held(), "it is back");
    holds.left(A, 2 * AWAY_NS);
    holds.tick(3 * AWAY_NS);
    assertTrue(calls.contains("remove 7"));
  }

  /** It was unmounted while the worker was out of touch. */
  @Test
  void whatAWorkerThatComesBackDoesNotAskForIsGivenUp() {
    have(A, 7);
    have(A, 8);
    holds.left(A, 0);
    holds.established(A, RUN, 1);
    ask(A, "8");
    holds.tick(AWAY_NS);
    assertEquals("7 a;8 a", held());
    holds.tick(AWAY_NS + 5_000_000_000L);
    assertTrue(calls.contains("remove 7"));
    assertFalse(calls.contains("remove 8"));
  }

  @Test
  void anotherRunOfAWorkerHasNothingMounted() {
    have(A, 7);
    holds.left(A, 0);
    holds.established(A, NEXT_RUN, 0);
    assertTrue(calls.contains("remove 7"));
  }

  @Test
  void aStartHoldsWhatWasStoredUntilItsWorkersHaveAskedAgain() {
    holds = holds(List.of(snapshot(7), snapshot(9)));
    holds.established(A, RUN, 0);
    assertEquals("7 ;9 ", held());
    ask(A, "7");
    assertEquals(List.of("a: state 7"), sent);
    holds.tick(AWAY_NS);
    assertEquals(List.of("remove 9"), calls);
    assertEquals("7 a;9 ", held());
  }

  @Test
  void aWorkerHoldsABoundedNumber() {
    for (long index = 1; index <= Protocol.MAX_PAST_STATES; index++) {
      have(A, index);
    }
    sent.clear();
    ask(A, "99");
    assertTrue(sent.getFirst().startsWith("a: refused this worker holds 16"), sent::toString);
    ask(A, "1");
    assertEquals("a: state 1", sent.getLast(), "it holds that one already");
    ask(B, "99");
    holds.made(snapshot(99), 0);
    assertEquals("b: state 99", sent.getLast());
  }

  @Test
  void whoHasSaidNoHelloGetsNothing() {
    ask(new WorkerId("c"), "7");
    assertEquals(List.of(), calls);
  }

  private PastHolds holds(List<Snapshot> stored) {
    return new PastHolds(new PastHolds.Start(new Port(), stored, AWAY_NS), this::send, 0);
  }

  private void have(WorkerId worker, long index) {
    ask(worker, Long.toString(index));
    holds.made(snapshot(index), 0);
  }

  private void ask(WorkerId worker, String moment) {
    holds.requested(worker, new PastStateRequest(++request, moment));
  }

  private void send(WorkerId worker, LeaderMessage message) {
    sent.add(
        worker.name()
            + ": "
            + switch (message) {
              case LeaderMessage.PastState state -> "state " + state.index();
              case LeaderMessage.PastStateRefused refused -> "refused " + refused.message();
              default -> throw new AssertionError(message);
            });
  }

  private String held() {
    return String.join(
        ";",
        holds.held().stream().map(each -> each.snapshot().index() + " " + each.workers()).toList());
  }

  private static Snapshot snapshot(long index) {
    return new Snapshot(index, 0, 0, 0, false, "", MANIFEST);
  }

  private final class Port implements PastPort {
    @Override
    public void make(String moment) {
      calls.add("make " + moment);
    }

    @Override
    public void remove(long index) {
      calls.add("remove " + index);
    }
  }
}
